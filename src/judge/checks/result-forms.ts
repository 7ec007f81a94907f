import { isDeepStrictEqual } from 'node:util'
import {
  arrayMember,
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  schemaMember,
  stringMember,
} from '../../toolkit/contract/index.js'

/** The schema of a non-null result if a parameter has a value or matches a schema (`x-result-when`). */
interface ResultForm {
  readonly param: string
  readonly value: JsonValue
  readonly matches: LocatedSchema | undefined
  readonly schema: LocatedSchema
}

/** Returns true if a value matches the schema at a pointer. */
type Matches = (pointer: string, value: JsonValue) => boolean

/** Reads the `x-result-when` entries of a method. */
function resultForms({ extensions, pointer }: Method): readonly ResultForm[] {
  const name = 'x-result-when'
  return arrayMember(extensions, name).flatMap((entry, at) => {
    if (!isObject(entry)) return []
    const place = joinPointer(pointer, name, at)
    const param = stringMember(entry, 'param')
    const schema = schemaMember({ pointer: place, schema: entry }, 'schema')
    const matches = schemaMember({ pointer: place, schema: entry }, 'matches')
    if (param === undefined || !schema) return []
    return [{ param, value: member(entry, 'value') ?? null, matches, schema }]
  })
}

/** Returns the schemas of all forms. No other part of OpenRPC refers to them. */
export function formSchemas({ methods }: Contract): readonly LocatedSchema[] {
  return methods.flatMap((method) =>
    resultForms(method).flatMap(({ schema, matches }) => [schema, ...(matches ? [matches] : [])]),
  )
}

/** Returns the forms that apply to the given parameters. An omitted parameter has its default. */
export function formsFor(
  method: Method,
  params: readonly JsonValue[] | JsonObject,
  isMatch: Matches,
): readonly ResultForm[] {
  return resultForms(method).filter(({ param: name, value, matches }) => {
    const position = method.params.findIndex((param) => param.name === name)
    const given = isArray(params) ? params[position] : member(params, name)
    const sent = given ?? method.params[position]?.default
    if (!matches) return isDeepStrictEqual(sent, value)
    return sent !== undefined && isMatch(matches.pointer, sent)
  })
}
