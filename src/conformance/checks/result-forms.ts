import { isDeepStrictEqual } from 'node:util'
import {
  arrayMember,
  type Contract,
  isArray,
  isObject,
  isSchema,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  stringMember,
} from '../../contract/index.js'

/** The schema of a non-null result for one value of a parameter (`x-result-when`). */
interface ResultForm {
  readonly param: string
  readonly value: JsonValue
  readonly schema: LocatedSchema
}

/** Reads the `x-result-when` entries of a method. */
function resultForms({ extensions, pointer }: Method): readonly ResultForm[] {
  const name = 'x-result-when'
  return arrayMember(extensions, name).flatMap((entry, at) => {
    if (!isObject(entry)) return []
    const param = stringMember(entry, 'param')
    const schema = member(entry, 'schema')
    if (param === undefined || !isSchema(schema)) return []
    const located = { pointer: joinPointer(pointer, name, at, 'schema'), schema }
    return [{ param, value: member(entry, 'value') ?? null, schema: located }]
  })
}

/** Returns the schemas of all forms. No other part of OpenRPC refers to them. */
export function formSchemas({ methods }: Contract): readonly LocatedSchema[] {
  return methods.flatMap((method) => resultForms(method).map(({ schema }) => schema))
}

/** Returns the forms that apply to the given parameters. An omitted parameter has its default. */
export function formsFor(method: Method, params: readonly JsonValue[] | JsonObject): readonly ResultForm[] {
  return resultForms(method).filter(({ param: name, value }) => {
    const position = method.params.findIndex((param) => param.name === name)
    const given = isArray(params) ? params[position] : member(params, name)
    return isDeepStrictEqual(given ?? method.params[position]?.default, value)
  })
}
