import {
  amountOf,
  isArray,
  isObject,
  type JsonValue,
  joinPath,
  joinPointer,
  member,
  pointerTokens,
  valueAt,
} from '../../toolkit/contract/index.js'
import { cut, describe, describeMember, type Finding } from '../report/index.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { bounded, differs, got, matchExactly } from './match-literal.js'
import { matchUnordered } from './match-unordered.js'
import type { Match } from './matcher.js'
import { isNear } from './near.js'
import { nearestFindings } from './nearest-findings.js'
import type { SchemaCheck } from './schema-check.js'

/** Context that matchers get beside their argument and the value. */
export interface TestTools {
  readonly match: Match
  readonly schemas: SchemaCheck
}

type Test = (argument: JsonValue, actual: JsonValue, where: string, tools: TestTools) => readonly Finding[]

/** Matchers of present values, by name. */
export const matcherTests: Readonly<Record<string, Test>> = {
  $is: (value, actual, where) => matchExactly(value, actual, where),
  $schema: testSchema,
  $pattern: (pattern, actual, where) =>
    holds(typeof actual === 'string' && compiled(pattern).test(actual), { $pattern: pattern }, actual, where),
  $type: (types, actual, where) => {
    const names = isArray(types) ? types : [types]
    return holds(
      names.some((name) => isOfType(actual, name)),
      { $type: types },
      actual,
      where,
    )
  },
  $min: (bound, actual, where) =>
    holds(
      isWithin(bound, actual, (a, b) => a >= b),
      { $min: bound },
      actual,
      where,
    ),
  $max: (bound, actual, where) =>
    holds(
      isWithin(bound, actual, (a, b) => a <= b),
      { $max: bound },
      actual,
      where,
    ),
  $near: testNear,
  $each: (item, actual, where, { match }) => {
    if (!isArray(actual)) return differs({ $each: item }, actual, where)
    return bounded(
      actual.flatMap((value, at) => match(item, value, joinPointer(where, at))),
      where,
    )
  },
  $contains: (item, actual, where, { match }) => {
    if (!isArray(actual)) return differs({ $contains: item }, actual, where)
    if (actual.some((value) => match(item, value, where).length === 0)) return []
    const candidates = actual.map((value, at) => ({ value, where: joinPointer(where, at) }))
    return [
      ...(nearestFindings(item, candidates, match) ?? []),
      ...differs({ $contains: item }, actual, where),
    ]
  },
  $length: testLength,
  $unordered: (items, actual, where, { match }) => {
    if (!isArray(actual)) return differs({ $unordered: items }, actual, where)
    return matchUnordered(listOf(items, '$unordered'), actual, where, match)
  },
  $has: (members, actual, where, { match }) => {
    if (!isObject(members)) throw new ScenarioRunError(`$has takes an object, not ${describe(members)}`)
    if (!isObject(actual)) return differs({ $has: members }, actual, where)
    const findings = Object.entries(members).flatMap(([name, expected]) =>
      match(expected ?? null, member(actual, name), joinPointer(where, name)),
    )
    return bounded(findings, where)
  },
  $empty: (_, actual, where) => {
    const size = isArray(actual) || typeof actual === 'string' ? actual.length : undefined
    const isEmpty = size === 0 || (isObject(actual) && Object.keys(actual).length === 0)
    return holds(isEmpty, { $empty: true }, actual, where)
  },
}

/** Returns the list argument of a matcher. */
export function listOf(argument: JsonValue, name: string): readonly JsonValue[] {
  if (isArray(argument)) return argument
  throw new ScenarioRunError(`${name} takes a list, not ${describe(argument)}`)
}

function holds(test: boolean, expected: JsonValue, actual: JsonValue, where: string): readonly Finding[] {
  return test ? [] : differs(expected, actual, where)
}

function compiled(pattern: JsonValue): RegExp {
  try {
    if (typeof pattern === 'string') return new RegExp(pattern, 'u')
  } catch {
    // Reported below. A variable can have produced an invalid pattern.
  }
  throw new ScenarioRunError(`$pattern takes a regular expression, not ${describe(pattern)}`)
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

/** A hexadecimal bound only accepts hexadecimal quantities. A numeric bound accepts both. */
function isWithin(
  bound: JsonValue,
  actual: JsonValue,
  compare: (a: number | bigint, b: number | bigint) => boolean,
) {
  const limit = amountOf(bound)
  if (limit === undefined) {
    throw new ScenarioRunError(
      `$min and $max take a number or a hexadecimal quantity, not ${describe(bound)}`,
    )
  }
  const amount = amountOf(actual)
  if (amount === undefined || (typeof limit === 'bigint' && typeof amount === 'number')) return false
  return compare(amount, limit)
}

function testNear(near: JsonValue, actual: JsonValue, where: string): readonly Finding[] {
  const { value = null, within = null } = isObject(near) ? near : {}
  const isWithin = isNear(value, actual, within)
  if (isWithin === undefined) {
    throw new ScenarioRunError(
      `$near takes { value, within }: a number or a hexadecimal quantity, and a difference such as 10, '0x10' or '10%'; not ${describe(near)}`,
    )
  }
  return holds(isWithin, { $near: near }, actual, where)
}

function testLength(length: JsonValue, actual: JsonValue, where: string, { match }: TestTools) {
  if (!isArray(actual) && typeof actual !== 'string') return differs({ $length: length }, actual, where)
  const size = isArray(actual) ? actual.length : [...actual].length
  return match(length, size, where).map((finding) => ({
    where: finding.where,
    expected: cut(`length ${finding.expected}`),
    got: cut(`length ${size}: ${describe(actual)}`),
  }))
}

function testSchema(pointer: JsonValue, actual: JsonValue, where: string, { schemas }: TestTools) {
  if (typeof pointer !== 'string') {
    throw new ScenarioRunError(`$schema takes a JSON pointer into the contract, not ${describe(pointer)}`)
  }
  const findings = schemas(pointer, actual).map(({ path, message, member: name }) => {
    const part = valueBelow(actual, path)
    return {
      where: `${where}${path}`,
      expected: cut(`${message} (${pointer})`),
      got: name === undefined ? got(part, `${where}${path}`) : describeMember(part, name),
    }
  })
  return bounded(findings, where)
}

/** Returns the value at a JSON pointer in plain form (not in fragment form). */
function valueBelow(value: JsonValue, path: string): JsonValue | undefined {
  const tokens = pointerTokens(joinPath('#', path))
  return tokens && valueAt(value, tokens)
}
