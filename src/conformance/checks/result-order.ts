import {
  arrayMember,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  type Method,
  member,
  pointerTokens,
  stringMember,
  valueAt,
} from '../../contract/index.js'
import { amountOf } from '../expect/near.js'
import type { Problem } from './problem.js'

/**
 * Checks the order of the lists in a result (`x-result-order`).
 * @returns the first item of each list that is out of order
 */
export function orderProblems({ extensions }: Method, result: JsonValue): readonly Problem[] {
  return arrayMember(extensions, 'x-result-order').flatMap((order) => {
    const pointer = isObject(order) ? stringMember(order, 'list') : undefined
    if (!isObject(order) || pointer === undefined) return []
    const list = valueAt(result, pointerTokens(`#${pointer}`) ?? [])
    const names = arrayMember(order, 'by').map(String)
    const at = isArray(list) ? firstOutOfOrder(list, names) : -1
    const message = `must come after the item before it by ${names.join(', ')}`
    return at < 0 ? [] : [{ path: joinPointer(pointer, at), message }]
  })
}

function firstOutOfOrder(list: readonly JsonValue[], names: readonly string[]): number {
  const places = list.map((item) =>
    names.map((name) => (isObject(item) ? amountOf(member(item, name)) : undefined)),
  )
  return places.findIndex((place, at) => at > 0 && !isAfter(place, places[at - 1] ?? []))
}

type Place = readonly (number | bigint | undefined)[]

/** Also returns true if a member is null or absent, because it cannot be compared. */
function isAfter(place: Place, before: Place): boolean {
  for (const [at, amount] of place.entries()) {
    const other = before[at]
    if (amount === undefined || other === undefined) return true
    if (amount !== other) return amount > other
  }
  return false
}
