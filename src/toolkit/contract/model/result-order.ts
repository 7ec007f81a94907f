import { amountOf } from '../amount.js'
import { arrayMember, isArray, isObject, type JsonValue, member, stringMember } from '../json.js'
import { pointerTokens, valueAt } from '../json-pointer.js'
import type { Method } from './contract.js'

/** A list in a result whose items ascend (`x-result-order`). */
interface OrderedList {
  /** JSON pointer into the result. */
  readonly pointer: string
  /** `pointer` as reference tokens (RFC 6901). */
  readonly tokens: readonly string[]
  readonly items: readonly JsonValue[]
  /** Names of the members that decide the order, the most significant first. */
  readonly names: readonly string[]
}

/** Returns the lists of a result that have an order. */
export function orderedLists({ extensions }: Method, result: JsonValue): readonly OrderedList[] {
  return arrayMember(extensions, 'x-result-order').flatMap((order) => {
    const pointer = isObject(order) ? stringMember(order, 'list') : undefined
    if (!isObject(order) || pointer === undefined) return []
    const tokens = pointerTokens(`#${pointer}`) ?? []
    const items = valueAt(result, tokens)
    return isArray(items) ? [{ pointer, tokens, items, names: arrayMember(order, 'by').map(String) }] : []
  })
}

/**
 * Compares the places of two items of an ordered list.
 * @returns a positive number if the first one comes after the other, 0 for the same place, and NaN if a member is null,
 *   absent or no number
 */
export function compareItems(one: JsonValue, other: JsonValue, names: readonly string[]): number {
  for (const name of names) {
    const [amount, otherAmount] = [memberAmount(one, name), memberAmount(other, name)]
    if (amount === undefined || otherAmount === undefined) return Number.NaN
    if (amount !== otherAmount) return amount > otherAmount ? 1 : -1
  }
  return 0
}

const memberAmount = (item: JsonValue, name: string) =>
  isObject(item) ? amountOf(member(item, name)) : undefined
