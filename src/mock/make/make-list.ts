import { arrayMember, isArray, type JsonValue, type LocatedSchema, member } from '../../contract/index.js'
import { canonicalJson } from '../canonical-json.js'
import { itemSchemas } from './inner-schemas.js'
import { bounds, held, numbers } from './keywords.js'
import { NoValueError } from './no-value.js'
import type { Demand, Mood, Search } from './wish.js'

/** A list without bounds has so many items at most. */
const itemsUsually = 3
/** So many items are tried until one is found that the list does not have yet. */
const triesMost = 20

/**
 * A list of the length and with the items that a demand asks for.
 * @throws NoValueError where none was found
 */
export function makeList(demand: Demand, search: Search, mood: Mood, place: string): JsonValue {
  const { schemas } = demand
  const { least, most } = bounds(demand, 'minItems', 'maxItems')
  const wanted = held(demand, 'contains')
  const isUnique = schemas.some(({ schema }) => member(schema, 'uniqueItems') === true)
  const needed = Math.max(least, wanted.length > 0 ? Math.max(1, ...numbers(demand, 'minContains')) : 0)
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
    const contained = index < needed ? containedAt(demand, wanted, index) : []
    const others = index < needed ? [] : spare(demand, wanted)
    try {
      for (let tried = 0; tried < triesMost; tried++) {
        const item = search.make({ all: [...all, ...contained], none: others }, mood.depth + 1)
        if (!isUnique || !seen.has(canonicalJson(item))) return item
      }
      return undefined
    } catch (error) {
      if (!(error instanceof NoValueError) || index < needed) throw error
      return undefined
    }
  }
}

/** The first items are those that the list must contain. */
function containedAt(
  demand: Demand,
  wanted: readonly LocatedSchema[],
  index: number,
): readonly LocatedSchema[] {
  const times = Math.max(1, ...numbers(demand, 'minContains'))
  return index < times ? wanted : []
}

/** Where the list may contain only so many, the other items are none of them. */
function spare(demand: Demand, wanted: readonly LocatedSchema[]): readonly LocatedSchema[] {
  return numbers(demand, 'maxContains').length > 0 ? wanted : []
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
