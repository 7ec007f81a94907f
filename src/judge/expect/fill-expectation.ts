import type { JsonValue } from '@concordat/rpc'
import { isArray, isObject } from '../../toolkit/contract/index.js'
import { fill, fillText, type Variables } from '../scenario/fill.js'
import type { Expectation, Matcher } from '../scenario/scenario.js'
import { containsTest, TEST_NAME } from './matcher.js'

/**
 * Replaces `${variables}` in an expectation. Captured values are compared literally: their members that begin
 * with `$` are no matchers.
 * @throws ScenarioRunError as `fill` does
 */
export function fillExpectation(expectation: Expectation, variables: Variables): Expectation {
  const { result, error, status, headers, id, items, body, within, accepted } = expectation
  const matcher = (value: Matcher) => fillMatcher(value, variables)
  return {
    ...(result !== undefined && { result: matcher(result) }),
    ...(error !== undefined && { error: mapMembers(error, matcher) }),
    ...(status !== undefined && { status: matcher(status) }),
    ...(headers !== undefined && { headers: mapMembers(headers, matcher) }),
    ...(id !== undefined && { id: fillText(id, variables) }),
    ...(items !== undefined && { items: items.map((item) => fillExpectation(item, variables)) }),
    ...(body !== undefined && { body: matcher(body) }),
    ...(within !== undefined && { within }),
    ...(accepted !== undefined && { accepted }),
  }
}

function mapMembers<T extends Readonly<Record<string, Matcher>>>(
  members: T,
  matcher: (value: Matcher) => Matcher,
): T {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, matcher(value)])) as T
}

function fillMatcher(value: Matcher, variables: Variables): JsonValue {
  if (typeof value === 'string') return literally(fill(value, variables))
  if (isArray(value)) return value.map((item) => fillMatcher(item, variables))
  if (!isObject(value)) return value
  const filled = Object.entries(value).map(([name, argument = null]) => [
    TEST_NAME.test(name) ? name : fillText(name, variables),
    fillArgument(name, argument, variables),
  ])
  return Object.fromEntries(filled)
}

/** `$is` takes its value literally. A variable can hold a whole list of matchers or all members of `$has`. */
function fillArgument(name: string, argument: Matcher, variables: Variables): JsonValue {
  if (name === '$is') return fill(argument, variables)
  if (['$one-of', '$unordered', '$has'].includes(name) && typeof argument === 'string') {
    return eachLiterally(fill(argument, variables))
  }
  return fillMatcher(argument, variables)
}

function eachLiterally(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(literally)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, literally(item ?? null)]))
}

function literally(value: JsonValue): JsonValue {
  return containsTest(value) ? { $is: value } : value
}
