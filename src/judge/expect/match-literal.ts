import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
} from '../../toolkit/contract/index.js'
import { count, describe, describeList, type Finding } from '../report/index.js'
import { describeMatcher, type Match } from './matcher.js'

/**
 * Strings with a shorter common start are shown from the beginning. Otherwise this many characters before the
 * difference are shown.
 */
const SHORT = 100
const SHOWN_BEFORE = 10

/** Maximum number of differences that are listed for one list or object. */
const MOST_FINDINGS = 10

/** Compares a value literally. Members and items are compared with `match`. */
export function matchLiteral(
  expected: JsonValue,
  actual: JsonValue | undefined,
  where: string,
  match: Match,
): readonly Finding[] {
  if (isArray(expected)) {
    return isArray(actual) ? matchLists(expected, actual, where, match) : differs(expected, actual, where)
  }
  if (isObject(expected)) {
    return isObject(actual) ? matchObjects(expected, actual, where, match) : differs(expected, actual, where)
  }
  return expected === actual ? [] : differs(expected, actual, where)
}

/** Compares a value literally, including members that look like matchers. */
export function matchExactly(
  expected: JsonValue,
  actual: JsonValue | undefined,
  where: string,
): readonly Finding[] {
  return matchLiteral(expected, actual, where, matchExactly)
}

function isData(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

/** Returns the finding for a value that differs from the expected one. */
export function differs(
  expected: JsonValue,
  actual: JsonValue | undefined,
  where: string,
): readonly Finding[] {
  const place = differingPlace(expected, actual)
  if (place === undefined) return [{ where, expected: describeMatcher(expected), got: got(actual, where) }]
  const part = (text: string) => `…${describe(text.slice(place - SHOWN_BEFORE))}`
  const position = `from character ${count(place + 1)} on `
  return [
    { where, expected: `${position}${part(String(expected))}`, got: `${position}${part(String(actual))}` },
  ]
}

/**
 * Returns the offset of the difference in two long hexadecimal strings, if the description would end before
 * it. Other strings are always shown from the beginning, because a secret is recognized by its beginning.
 */
function differingPlace(expected: JsonValue, actual: JsonValue | undefined): number | undefined {
  if (!isData(expected) || !isData(actual)) return undefined
  let place = 0
  while (place < expected.length && expected[place] === actual[place]) place++
  return place < SHORT ? undefined : place
}

/** Describes the actual value at a place, or the name that is missing. */
export function got(actual: JsonValue | undefined, where: string): string {
  if (actual !== undefined) return describe(actual)
  if (where.startsWith('header ')) return 'no such header'
  const name = where
    .slice(where.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replaceAll('%25', '%')
  return `no ${name.length > 60 ? `${name.slice(0, 60)}…` : name} member`
}

/** Limits the findings of one list or object and appends the number of omitted ones. */
export function bounded(findings: readonly Finding[], where: string): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings
  const shown = findings.slice(0, MOST_FINDINGS - 1)
  const more = findings.length - shown.length
  const rest = { where, expected: 'no further differences', got: `${count(more)} more` }
  return [...shown, rest]
}

function matchLists(
  expected: readonly JsonValue[],
  actual: readonly JsonValue[],
  where: string,
  match: Match,
): readonly Finding[] {
  if (expected.length !== actual.length) {
    const lengths = { where, expected: describeList(expected), got: describeList(actual) }
    const first = expected.flatMap((item, at) => match(item, actual[at], joinPointer(where, at)))[0]
    return first === undefined ? [lengths] : [lengths, first]
  }
  const findings = expected.flatMap((item, at) => match(item, actual[at], joinPointer(where, at)))
  return bounded(findings, where)
}

function matchObjects(
  expected: JsonObject,
  actual: JsonObject,
  where: string,
  match: Match,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [name, value] of Object.entries(expected)) {
    if (value !== undefined) findings.push(...match(value, member(actual, name), joinPointer(where, name)))
  }
  for (const [name, value] of Object.entries(actual)) {
    if (value === undefined || Object.hasOwn(expected, name)) continue
    findings.push({ where: joinPointer(where, name), expected: 'no such member', got: describe(value) })
  }
  return bounded(findings, where)
}
