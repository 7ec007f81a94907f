import {
  arrayMember,
  isObject,
  isSchema,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  stringMember,
} from '../contract/index.js'
import { canonicalJson } from './canonical-json.js'
import type { ParamValues } from './params-key.js'

/** Schema of non-null results when a parameter has a given value (`x-result-when`). */
interface ResultForm {
  readonly position: number
  readonly value: JsonValue
  readonly schema: LocatedSchema
}

/** Schemas that the result must fit for the given parameters, all of them. */
export function resultSchemas(method: Method, params: ParamValues): readonly LocatedSchema[] {
  if (!method.result) return []
  const forms = resultForms(method).filter(
    ({ position, value }) => canonicalJson(params[position]) === canonicalJson(value),
  )
  return [method.result.schema, ...forms.map(({ schema }) => schema)]
}

function resultForms({ extensions, pointer, params }: Method): readonly ResultForm[] {
  const name = 'x-result-when'
  return arrayMember(extensions, name).flatMap((entry, at) => {
    if (!isObject(entry)) return []
    const position = params.findIndex((param) => param.name === stringMember(entry, 'param'))
    const schema = member(entry, 'schema')
    if (position < 0 || !isSchema(schema)) return []
    const located = { pointer: joinPointer(pointer, name, at, 'schema'), schema }
    return [{ position, value: member(entry, 'value') ?? null, schema: located }]
  })
}
