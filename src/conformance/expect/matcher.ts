import { isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import type { Finding } from '../../report/index.js'

/** Compares an expectation, which can contain matchers, with an actual value. */
export type Match = (expected: JsonValue, actual: JsonValue | undefined, where: string) => readonly Finding[]

/** Matcher names begin with `$`. `${name}` is a variable, and `$$` escapes a literal `$`. */
export const TEST_NAME = /^\$(?![{$])/

/** Returns true for a non-empty object whose member names are all matcher names. */
export function isTest(value: JsonValue | undefined): value is JsonObject {
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => TEST_NAME.test(name))
}

/** Returns true if a value contains an object that would count as a matcher. */
export function containsTest(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.some(containsTest)
  return isObject(value) && (Object.values(value).some(containsTest) || isTest(value))
}
