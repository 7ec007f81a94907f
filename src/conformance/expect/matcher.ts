import { isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import type { Finding } from '../run/report.js'

/** Compares what is expected, matchers included, with what came at a place. */
export type Match = (expected: JsonValue, actual: JsonValue | undefined, where: string) => readonly Finding[]

/** Names of tests begin with `$`; `${name}` is a variable, and `$$` the way to write one that is none. */
export const TEST_NAME = /^\$(?![{$])/

/** Whether an object is a test: all its members have names of tests, and it has some. */
export function isTest(value: JsonValue | undefined): value is JsonObject {
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => TEST_NAME.test(name))
}

/** Whether an object within a value would be taken for a test. */
export function containsTest(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.some(containsTest)
  return isObject(value) && (Object.values(value).some(containsTest) || isTest(value))
}
