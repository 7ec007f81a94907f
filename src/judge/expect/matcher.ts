import { isArray, isObject, type JsonObject, type JsonValue } from '../../toolkit/contract/index.js'
import { cut, describe, type Finding } from '../report/index.js'

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

/** Describes an expectation in a few words of bounded length. */
export function describeMatcher(expected: JsonValue | undefined): string {
  if (!isTest(expected)) return describe(expected)
  const phrases = Object.entries(expected).map(([name, argument]) => phrase(name, argument ?? null))
  return cut(phrases.join(' and '))
}

function phrase(name: string, argument: JsonValue): string {
  const make = PHRASES[name]
  return make === undefined ? `${name} ${describe(argument)}` : make(argument)
}

const PHRASES: Readonly<Record<string, (argument: JsonValue) => string>> = {
  $is: (value) => describe(value),
  $schema: (pointer) => `what ${textOf(pointer)} of the contract allows`,
  $pattern: (pattern) => `text like /${textOf(pattern)}/`,
  $type: (type) => `the type ${isArray(type) ? type.map(textOf).join(' or ') : textOf(type)}`,
  $min: (bound) => `at least ${textOf(bound)}`,
  $max: (bound) => `at most ${textOf(bound)}`,
  $near: (near) => {
    const { value = null, within = null } = isObject(near) ? near : {}
    return `at most ${textOf(within)} from ${textOf(value)}`
  },
  '$one-of': (values) => `one of ${listed(values)}`,
  $not: (value) => `anything but ${describeMatcher(value)}`,
  $each: (item) => `a list whose every item is ${describeMatcher(item)}`,
  $contains: (item) => `a list with an item that is ${describeMatcher(item)}`,
  $length: (length) => `length ${describeMatcher(length)}`,
  $unordered: (values) =>
    isArray(values) && values.length > 0 ? `in any order ${listed(values)}` : 'an empty list',
  $has: (members) => `an object with ${memberList(members)}`,
  $empty: () => 'an empty list, object, text or body',
  $absent: () => 'nothing',
}

function listed(values: JsonValue): string {
  return isArray(values) ? values.slice(0, 20).map(describeMatcher).join(', ') : describe(values)
}

function memberList(members: JsonValue): string {
  if (!isObject(members)) return describe(members)
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${describeMatcher(value)}`)
    .join(', ')
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
