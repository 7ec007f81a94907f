import {
  arrayMember,
  canonicalText,
  isObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  type SchemaChecker,
  schemaMember,
  stringMember,
} from '../contract/index.js'
import type { ParamValues } from './params-key.js'

/** Schema of non-null results if a parameter has a value or matches a schema (`x-result-when`). */
interface ResultForm {
  readonly position: number
  readonly value: JsonValue
  readonly matches: LocatedSchema | undefined
  readonly schema: LocatedSchema
}

/** Schemas that the result must fit for the given parameters, all of them. */
export function resultSchemas(
  method: Method,
  params: ParamValues,
  check: SchemaChecker,
): readonly LocatedSchema[] {
  if (!method.result) return []
  const forms = resultForms(method).filter(({ position, value, matches }) => {
    const sent = params[position]
    if (!matches) return canonicalText(sent) === canonicalText(value)
    return sent !== undefined && check(matches, sent).length === 0
  })
  return [method.result.schema, ...forms.map(({ schema }) => schema)]
}

function resultForms({ extensions, pointer, params }: Method): readonly ResultForm[] {
  const name = 'x-result-when'
  return arrayMember(extensions, name).flatMap((entry, at) => {
    if (!isObject(entry)) return []
    const place = { pointer: joinPointer(pointer, name, at), schema: entry }
    const position = params.findIndex((param) => param.name === stringMember(entry, 'param'))
    const schema = schemaMember(place, 'schema')
    if (position < 0 || !schema) return []
    return [
      { position, value: member(entry, 'value') ?? null, matches: schemaMember(place, 'matches'), schema },
    ]
  })
}
