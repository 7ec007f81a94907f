import { isArray } from '../../json.js'
import { type LocatedSchema, schemaList } from '../../model/schema.js'
import { compareOptional } from './compare-conditions.js'
import { type Comparison, shares } from './comparison.js'
import { keyword, schemaOrAnything } from './schema-view.js'

/** The item schemas of an array: those by position, then the schema of all other items. */
interface Items {
  readonly tuple: readonly LocatedSchema[]
  readonly rest: LocatedSchema
  readonly restKeyword: 'items' | 'additionalItems'
}

/**
 * Compares `items`, `additionalItems` and `contains` (draft-07 validation, section 6.4), tuples by position.
 */
export function compareItems(comparison: Comparison): void {
  if (!shares(comparison, ['array'])) return
  const [before, after] = [itemsOf(comparison.old), itemsOf(comparison.new)]
  const length = Math.max(before.tuple.length, after.tuple.length)
  for (let at = 0; at < length; at++) {
    comparison.descend(itemAt(before, at), itemAt(after, at), ['items', String(at)])
  }
  comparison.descend(before.rest, after.rest, [after.restKeyword])
  compareOptional(comparison, 'contains', 'same')
}

function itemsOf(side: LocatedSchema): Items {
  if (isArray(keyword(side, 'items'))) {
    const rest = schemaOrAnything(side, 'additionalItems')
    return { tuple: schemaList(side, 'items'), rest, restKeyword: 'additionalItems' }
  }
  return { tuple: [], rest: schemaOrAnything(side, 'items'), restKeyword: 'items' }
}

function itemAt({ tuple, rest }: Items, at: number): LocatedSchema {
  return tuple[at] ?? rest
}
