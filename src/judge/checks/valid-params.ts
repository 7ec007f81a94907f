import {
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  member,
} from '../../toolkit/contract/index.js'

/**
 * Returns true if sent parameters are complete and each value fits its schema.
 * @param fits returns true if a schema of a parameter accepts a value
 */
export function hasValidParams(
  { params }: Method,
  given: JsonValue | undefined,
  fits: (schema: LocatedSchema, value: JsonValue) => boolean,
): boolean {
  if (isArray(given) && given.length > params.length) return false
  return params.every(({ name, required, schema }, at) => {
    const value = isArray(given) ? given[at] : isObject(given) ? member(given, name) : undefined
    return value === undefined ? !required : fits(schema, value)
  })
}
