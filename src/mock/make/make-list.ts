import { arrayMember, isArray, type JsonValue, type LocatedSchema, member } from '../../contract/index.js'
import { canonicalJson } from '../canonical-json.js'
import { itemSchemas } from './inner-schemas.js'
import { bounds, held, numbers } from './keywords.js'
import { NoValueError } from './no-value.js'
import type { Demand, Mood, Search } from './wish.js'

/** A list without bounds has so many items at most. */
const itemsUsually = 3
/** No list can be asked to contain more. */
const lengthMost = 10_000
/** So many items are tried until one is found that the list does not have yet. */
const triesMost = 20

/**
 * A list of the length and with the items that a demand asks for.
 * @throws NoValueError where none was found
 */
export function makeList(demand: Demand, search: Search, mood: Mood, place: string): JsonValue {
  const { schemas } = demand
  const { least, most } = bounds(demand, 'minItems', 'maxItems')
  const isUnique = schemas.some(({ schema }) => member(schema, 'uniqueItems') === true)
  const contained = containedItems(demand, most)
  const needed = Math.max(least, contained.length)
  if (needed > most) throw new NoValueError(place)
  const limit = Math.min(most, lengthPossible(demand, search, needed))
  const count = Math.max(needed, Math.min(limit, usualCount(demand, search, mood)))
  const list: JsonValue[] = []
  const seen = new Set<string>()
  while (list.length < count) {
    const item = makeItem(list.length)
    if (item === undefined) break
    seen.add(canonicalJson(item))
    list.push(item)
  }
  if (list.length < needed) throw new NoValueError(place)
  return list

  /** The next item; undefined where there is none that has to be there. */
  function makeItem(index: number): JsonValue | undefined {
    const all = schemas.flatMap((located) => itemSchemas(located, index))
    const wanted = contained[index]
    const wish = { all: [...all, ...(wanted ?? [])], none: wanted ? [] : notContained(demand) }
    try {
      for (let tried = 0; tried < triesMost; tried++) {
        const item = search.make(wish, mood.depth + 1)
        if (!isUnique || !seen.has(canonicalJson(item))) return item
      }
      return undefined
    } catch (error) {
      if (!(error instanceof NoValueError) || index < needed) throw error
      return undefined
    }
  }
}

/** What the first items must fit because the list must contain such items; one may have to stand for several. */
function containedItems(demand: Demand, most: number): readonly (readonly LocatedSchema[])[] {
  const wanted = held(demand, 'contains')
  const stated = numbers(demand, 'minContains')
  const times = wanted.length === 0 ? 0 : stated.length === 0 ? 1 : Math.max(...stated)
  const apart = Array.from({ length: Math.min(times, lengthMost) }, () => wanted.map((each) => [each])).flat()
  return apart.length <= most ? apart : Array.from({ length: Math.min(times, lengthMost) }, () => wanted)
}

/** Where the list may contain only so many, the other items are none of them. */
function notContained(demand: Demand): readonly LocatedSchema[] {
  return numbers(demand, 'maxContains').length > 0 ? held(demand, 'contains') : []
}

/** How long a list can be whose items have to end: a tuple may be closed, an item may have no value. */
function lengthPossible({ schemas }: Demand, { heightOf }: Search, needed: number): number {
  const tuples = schemas.flatMap(({ schema }) => {
    const items = member(schema, 'items')
    return isArray(items) ? [items.length] : []
  })
  const looked = Math.max(needed, itemsUsually, ...tuples) + 1
  for (let index = needed; index < looked; index++) {
    const inner = schemas.flatMap((located) => itemSchemas(located, index))
    if (inner.some((located) => heightOf(located) === Number.POSITIVE_INFINITY)) return index
  }
  return looked
}

function usualCount({ schemas }: Demand, { random }: Search, { thrifty, attempt }: Mood): number {
  if (thrifty) return 0
  const tuple = Math.max(0, ...schemas.map(({ schema }) => arrayMember(schema, 'items').length))
  return tuple > 0 && attempt === 0 ? tuple : random.whole(1, itemsUsually)
}
