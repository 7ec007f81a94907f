import fc from 'fast-check'
import { canonicalText, type JsonValue, type LocatedSchema, schemaList } from '../contract/index.js'
import {
  type Alternative,
  bounds,
  held,
  isKeywordSchema,
  type Maker,
  NoValueError,
  numbers,
  sparseLevel,
  stated,
  unlessNone,
} from './constraints.js'
import { itemSchemas, partSchemas } from './inner-schemas.js'
import { sizeOf, withSize } from './sizes.js'
import { lengthMost } from './texts/pattern-texts.js'

/** Maximum number of items of an unbounded list. */
const itemsUsually = 3
/** Number of values in an item from which lists hold only what they must. */
const largeItem = 100
/** Candidates generated for each item of a list with unique items. */
const candidatesEach = 6

/**
 * Generates lists that fit an alternative. Items that `contains` requires come first, or as early as the items of a
 * tuple permit.
 * @throws NoValueError if there are none
 */
export function listValues(
  alternative: Alternative,
  maker: Maker,
  level: number,
  place: string,
): fc.Arbitrary<JsonValue> {
  const contained = containedItems(alternative, bounds(alternative, 'minItems', 'maxItems').most)
  const latest = contained.length === 0 ? 0 : tupleLength(alternative)
  for (let start = 0; start < latest; start++) {
    const found = unlessNone(() => listsWith({ contained, start }, alternative, maker, level, place))
    if (found) return found
  }
  return listsWith({ contained, start: latest }, alternative, maker, level, place)
}

function tupleLength({ schemas }: Alternative): number {
  return Math.max(0, ...schemas.map((located) => schemaList(located, 'items').length))
}

/** Schemas of the items that `contains` requires, and the index of the first of these items. */
interface Contained {
  readonly contained: readonly (readonly LocatedSchema[])[]
  readonly start: number
}

function listsWith(
  { contained, start }: Contained,
  alternative: Alternative,
  maker: Maker,
  level: number,
  place: string,
): fc.Arbitrary<JsonValue> {
  const { schemas } = alternative
  const { least, most } = bounds(alternative, 'minItems', 'maxItems')
  const containing = start + contained.length
  const needed = Math.max(least, containing)
  if (needed > Math.min(most, lengthMost)) throw new NoValueError(place)
  const none = numbers(alternative, 'maxContains').length > 0 ? held(alternative, 'contains') : []
  const item = (index: number) => {
    const wanted = contained[index - start]
    const all = partSchemas(schemas, 'unevaluatedItems', (located) => itemSchemas(located, index))
    const constraints = { all: [...all, ...(wanted ?? [])], none: wanted ? [] : none }
    return index < needed
      ? maker.make(constraints, level + 1)
      : unlessNone(() => maker.make(constraints, level + 1))
  }
  const isSparse = level >= sparseLevel
  const tuple = Math.max(containing, tupleLength(alternative))
  const first = Array.from({ length: isSparse ? Math.min(needed, tuple) : Math.min(most, tuple) }, (_, at) =>
    item(at),
  )
  const end = first.indexOf(undefined)
  const head = (end < 0 ? first : first.slice(0, end)).filter((each) => each !== undefined)
  const following =
    end < 0 && !(isSparse && needed <= head.length) && most > head.length ? item(head.length) : undefined
  const isUnique = stated(alternative, 'uniqueItems').includes(true)
  const usual = maker.varied || tuple > 0 ? 0 : 1
  const minLength = Math.max(0, needed - head.length, Math.min(usual, most))
  const isLarge = following !== undefined && sizeOf(following) >= largeItem
  const maxLength = Math.min(most - head.length, Math.max(minLength, isSparse || isLarge ? 0 : itemsUsually))
  const tail = following
    ? fc.array(following, {
        minLength: isUnique ? minLength * candidatesEach : minLength,
        maxLength: isUnique ? maxLength * candidatesEach : maxLength,
        size: 'max',
      })
    : fc.constant([])
  const isRepeated = stated({ schemas: alternative.none.filter(isKeywordSchema) }, 'uniqueItems').includes(
    true,
  )
  const generated = isUnique ? minLength * candidatesEach : minLength
  const size =
    head.reduce((sum, each) => sum + sizeOf(each), 1) + (following ? generated * sizeOf(following) : 0)
  const lists = fc.tuple(fc.tuple(...head), tail).map(([one, other]): JsonValue => {
    const list = [...one, ...other]
    if (isRepeated) return [...list.slice(0, -1), ...list.slice(0, 1)]
    return isUnique ? distinct(list).slice(0, head.length + maxLength) : list
  })
  return withSize(lists, size, place)
}

/**
 * Schemas of the leading items that `contains` requires. If the list is too short, one item must satisfy
 * several schemas.
 */
function containedItems(alternative: Alternative, most: number): readonly (readonly LocatedSchema[])[] {
  const wanted = held(alternative, 'contains')
  const counts = numbers(alternative, 'minContains')
  const times = wanted.length === 0 ? 0 : Math.min(lengthMost, counts.length === 0 ? 1 : Math.max(...counts))
  const apart = Array.from({ length: times }, () => wanted.map((each) => [each])).flat()
  return apart.length <= most ? apart : Array.from({ length: times }, () => wanted)
}

/** Returns each item once. Members of equal objects may have any order. */
function distinct(list: readonly JsonValue[]): readonly JsonValue[] {
  const seen = new Set<string>()
  return list.filter((item) => {
    const text = canonicalText(item)
    return !seen.has(text) && seen.add(text)
  })
}
