import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Law,
  type Method,
  member,
} from '../../../toolkit/contract/index.js'
import { count, describe } from '../../report/index.js'
import { compareDecimals, decimalOf, decimalText, isEqual, sumOf } from './amounts.js'
import { judgeEchoes, judgeSubset, type ResultVerdict } from './judge-request.js'
import { valueIn, valuesAt } from './values-at.js'

type Sorted = Extract<Law, { kind: 'sorted' }>
type AddsUp = Extract<Law, { kind: 'adds-up' }>
type Pages = Extract<Law, { kind: 'pages' }>

/**
 * Judges one result by a law. Laws about several calls say nothing about one result.
 * @param params the parameters of the call, by name
 */
export function judgeResult(law: Law, method: Method, params: JsonObject, result: JsonValue): ResultVerdict {
  if (law.kind === 'sorted') return judgeOrder(law, result)
  if (law.kind === 'pages') return judgePage(law, method, params, result)
  if (law.kind === 'subset-by') return judgeSubset(law, params, result)
  if (law.kind === 'echoes') return judgeEchoes(law, params, result)
  if (law.kind === 'adds-up' && law.of === undefined) {
    const parts = valuesAt(result, law.parts).map(({ value }) => value)
    return judgeParts(law, result, parts)
  }
  return 'nothing'
}

/** Members that identify an item. */
const identities = ['id', '_id', 'uuid', 'key', 'hash']

function hasIdentity(item: JsonValue): boolean {
  return isObject(item) && identities.some((name) => member(item, name) !== undefined)
}

function judgeOrder({ list, by }: Sorted, result: JsonValue): ResultVerdict {
  let compared = 0
  for (const { pointer, value } of valuesAt(result, list)) {
    if (!isArray(value)) continue
    for (let at = 1; at < value.length; at++) {
      const [before = null, after = null] = [value[at - 1], value[at]]
      for (const { path, isDescending } of by) {
        const [first, second] = [valueIn(before, path), valueIn(after, path)]
        const order = orderOf(first, second)
        if (order === undefined) break
        compared++
        if (order === 0) continue
        if (order < 0 !== isDescending) break
        const where = `/result${pointer}/${at}${path.map((token) => `/${token}`).join('')}`
        const expected = `${isDescending ? 'at most' : 'at least'} ${describe(first)}, as in the item before it`
        return { where, expected, got: describe(second) }
      }
    }
  }
  return compared > 0 ? 'follows' : 'nothing'
}

/** Compares two numbers, or two texts by their code units. Returns undefined for other values. */
function orderOf(one: JsonValue | undefined, other: JsonValue | undefined): number | undefined {
  const areQuantities = [one, other].every(
    (value) => typeof value === 'number' || (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)),
  )
  const [first, second] = [decimalOf(one), decimalOf(other)]
  if (areQuantities && first && second) return compareDecimals(first, second)
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  return one < other ? -1 : Number(one > other)
}

/** Compares a total with parts. Values that are no numbers say nothing, as their schema judges them. */
export function judgeParts(
  { total, isCount }: Pick<AddsUp, 'total' | 'isCount'>,
  result: JsonValue,
  parts: readonly JsonValue[],
): ResultVerdict {
  const [placed] = valuesAt(result, total)
  const stated = decimalOf(placed?.value)
  const amounts = isCount ? [{ units: BigInt(parts.length), scale: 0 }] : parts.map(decimalOf)
  const known = amounts.filter((amount) => amount !== undefined)
  if (placed === undefined || stated === undefined || known.length < amounts.length) return 'nothing'
  const sum = sumOf(known)
  const isBinary = [placed.value, ...parts].some((value) => typeof value === 'number')
  if (isEqual(sum, stated, isBinary)) return 'follows'
  const noun = parts.length === 1 ? 'part' : 'parts'
  const expected = `${decimalText(sum)}, ${isCount ? 'the number' : 'the sum'} of ${isCount ? `the ${noun}` : `${count(parts.length)} ${noun}`}`
  return { where: `/result${placed.pointer}`, expected, got: describe(placed.value) }
}

/**
 * A page has at most the requested number of items, and no item with an identity twice. Equal items without an identity
 * may be different things with the same members.
 */
function judgePage(
  { list, size }: Pages,
  { params: own }: Method,
  params: JsonObject,
  result: JsonValue,
): ResultVerdict {
  const items = valueIn(result, list)
  if (!isArray(items)) return 'nothing'
  const where = `/result${list.map((token) => `/${token}`).join('')}`
  const asked = member(params, size)
  const most = asked ?? own.find(({ name }) => name === size)?.default
  const isDefault = asked === undefined ? `, the default of "${size}"` : `, as "${size}" says`
  if (typeof most === 'number' && items.length > most)
    return {
      where,
      expected: `at most ${count(most)} items${isDefault}`,
      got: `${count(items.length)} items`,
    }
  const seen = new Set<string>()
  const twice = items.findIndex(
    (item) => hasIdentity(item) && seen.size === seen.add(JSON.stringify(item)).size,
  )
  if (twice >= 0)
    return {
      where: `${where}/${twice}`,
      expected: 'an item that the page does not have yet',
      got: describe(items[twice]),
    }
  return typeof most === 'number' || items.length > 1 ? 'follows' : 'nothing'
}
