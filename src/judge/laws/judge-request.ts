import {
  type Asked,
  isArray,
  type JsonObject,
  type JsonValue,
  type Law,
  type Tokens,
} from '../../toolkit/contract/index.js'
import { describe, type Finding } from '../report/index.js'
import { compareDecimals, decimalOf } from './amounts.js'
import { type Placed, valueIn, valuesAt } from './values-at.js'

/** What a law says about one result: nothing, that the result follows it, or how the result violates it. */
export type ResultVerdict = 'nothing' | 'follows' | Finding

type Subset = Extract<Law, { kind: 'subset-by' }>
type Echoes = Extract<Law, { kind: 'echoes' }>

/** Judges that each item of a list has what the request asked for. */
export function judgeSubset(
  { list, members, bounds }: Subset,
  params: JsonObject,
  result: JsonValue,
): ResultVerdict {
  const items = valuesAt(result, [...list, '*'])
  const asked = members.filter(({ param }) => isRestriction(valueIn(params, param)))
  const bounded = bounds.filter(({ from, to }) => [from, to].some((path) => isNumber(valueIn(params, path))))
  if (items.length === 0 || asked.length + bounded.length === 0) return 'nothing'
  for (const item of items) {
    for (const one of asked) {
      const finding = askedFinding(one, params, item)
      if (finding !== undefined) return finding
    }
    for (const { member, from, to } of bounded) {
      const value = valueIn(item.value, member)
      const [least, most] = [valueIn(params, from), valueIn(params, to)]
      if (isAtMost(least, value) && isAtMost(value, most)) continue
      const expected = `${boundText('at least', least)}${isNumber(least) && isNumber(most) ? ' and ' : ''}${boundText('at most', most)}, as the request says`
      return { where: whereOf(item, member), expected, got: describe(value) }
    }
  }
  return 'follows'
}

/** Judges that a result has what the request named. A result that is null says nothing. */
export function judgeEchoes({ members }: Echoes, params: JsonObject, result: JsonValue): ResultVerdict {
  if (result === null) return 'nothing'
  const asked = members.filter(({ param }) => isRestriction(valueIn(params, param)))
  for (const one of asked) {
    const finding = askedFinding(one, params, { pointer: '', value: result })
    if (finding !== undefined) return finding
  }
  return asked.length > 0 ? 'follows' : 'nothing'
}

function askedFinding({ member, param }: Asked, params: JsonObject, item: Placed) {
  const [asked = null, value] = [valueIn(params, param), valueIn(item.value, member)]
  if (isMatch(asked, value)) return undefined
  const expected = `${describe(asked)}, as "${param.join('/')}" of the request says`
  return { where: whereOf(item, member), expected, got: describe(value) }
}

/**
 * True if a value is what was asked for: null asks for nothing, a list for one of its values, and a list beside a list for
 * each value at its position. An empty list asks for nothing. Texts in hexadecimal are compared without their case.
 */
function isMatch(asked: JsonValue, value: JsonValue | undefined): boolean {
  if (!isRestriction(asked)) return true
  if (isArray(asked) && isArray(value ?? null))
    return asked.every((one, at) => isMatch(one, (value as readonly JsonValue[])[at]))
  if (isArray(asked)) return asked.some((one) => isMatch(one, value))
  return isSame(asked, value)
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  if (one === other) return true
  const areHex = [one, other].every((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value))
  if (!areHex || typeof one !== 'string' || typeof other !== 'string') return false
  if (one.toLowerCase() === other.toLowerCase()) return true
  const [first, second] = [decimalOf(one), decimalOf(other)]
  return first !== undefined && second !== undefined && compareDecimals(first, second) === 0
}

function isRestriction(asked: JsonValue | undefined): asked is JsonValue {
  return asked !== undefined && asked !== null && !(isArray(asked) && asked.length === 0)
}

/** True for a number and a hexadecimal quantity, but no other text. */
export function isNumber(value: JsonValue | undefined): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value))
}

/** True if one number is at most another. Values that are no numbers bound nothing. */
function isAtMost(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (!isNumber(one) || !isNumber(other)) return true
  const [first, second] = [decimalOf(one), decimalOf(other)]
  return first === undefined || second === undefined || compareDecimals(first, second) <= 0
}

function boundText(words: string, bound: JsonValue | undefined): string {
  return isNumber(bound) ? `${words} ${describe(bound)}` : ''
}

function whereOf({ pointer }: Placed, member: Tokens): string {
  return `/result${pointer}${member.map((token) => `/${token}`).join('')}`
}
