import {
  type Asked,
  isArray,
  type JsonObject,
  type JsonValue,
  type Law,
  type Tokens,
} from '../../../toolkit/contract/index.js'
import { describe, type Finding } from '../../report/index.js'
import { compareDecimals, decimalOf } from './amounts.js'
import { type Placed, valueIn, valuesAt } from './values-at.js'

/** The verdict of a law on one result: not applicable, followed, or the violation. */
export type ResultVerdict = 'nothing' | 'follows' | Finding

type Subset = Extract<Law, { kind: 'subset-by' }>
type Echoes = Extract<Law, { kind: 'echoes' }>

/** Judges that each item of a list matches the parameters of the request. */
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

/** Judges that the members of a result match the parameters of the request. Does not apply to a null result. */
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
 * True if a value matches a parameter. Null and an empty list match every value. A list matches each of its values, and
 * a list of values position by position. Hexadecimal texts are compared without their case.
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

/** True if the first number is at most the second. Also true if a value is not a number. */
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
