import {
  compareItems,
  type JsonValue,
  joinPointer,
  type Method,
  orderedLists,
} from '../../toolkit/contract/index.js'
import type { Problem } from '../expect/schema-check.js'

/**
 * Checks the order of the lists in a result (`x-result-order`). Items that cannot be compared are in order.
 * @returns the first item of each list that is out of order
 */
export function orderProblems(method: Method, result: JsonValue): readonly Problem[] {
  return orderedLists(method, result).flatMap(({ pointer, items, names }) => {
    const at = items.findIndex((item, index) => {
      const before = items[index - 1]
      return before !== undefined && compareItems(item, before, names) <= 0
    })
    const message = `must come after the item before it by ${names.join(', ')}`
    return at < 0 ? [] : [{ path: joinPointer(pointer, at), message }]
  })
}
