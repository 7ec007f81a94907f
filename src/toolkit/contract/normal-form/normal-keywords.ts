import { canonicalText } from '../canonical.js'
import { isMultipleOf } from '../exact-multiples.js'
import { isValidatedFormat } from '../formats.js'
import type { JsonObject, JsonValue } from '../json.js'
import { keywordRows } from '../model/schema-keywords.js'
import { type Conjunction, requiredNames, type Together } from './conjunction.js'
import type { TypeAtom } from './type-atoms.js'

/**
 * How a normal form refers to other schemas: to those of members and items by class, to those of the same value by
 * form.
 */
export interface Naming {
  readonly inner: (all: Together) => JsonValue
  readonly outer: (all: Together) => JsonObject
  /** Names a schema whose keywords depend on what other keywords evaluate. */
  readonly whole: (located: Together[number]) => JsonValue
}

/**
 * Returns the constraints of a conjunction on values of one type, as keywords without redundancy in a fixed order.
 * @returns undefined if the conjunction accepts no value of the type
 */
export function normalKeywords(one: Conjunction, type: TypeAtom, naming: Naming): JsonObject | undefined {
  const logic = logicOf(one, type, naming)
  const own = ownKeywords(one, type, naming)
  if (logic === undefined || own === undefined) return undefined
  const all = Object.entries({ ...logic, ...own }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all)
}

type Keywords = Readonly<Record<string, JsonValue | undefined>>

function ownKeywords(one: Conjunction, type: TypeAtom, naming: Naming): Keywords | undefined {
  const plain = plainKeywords(one, type)
  switch (type) {
    case 'null':
    case 'boolean':
      return plain
    case 'integer':
    case 'fraction': {
      const numbers = numberKeywords(one, type)
      return numbers && { ...plain, ...numbers }
    }
    case 'string': {
      const lengths = counts(one, 'minLength', 'maxLength')
      return lengths && { ...plain, ...lengths }
    }
    case 'array': {
      const list = listKeywords(one, naming)
      return list && { ...plain, ...list }
    }
    case 'object': {
      const object = objectKeywords(one, naming)
      return object && { ...plain, ...object }
    }
  }
}

const bounds =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties required'

/** Returns the keywords whose values have no order. */
function plainKeywords({ plain }: Conjunction, type: TypeAtom): Keywords {
  const entries = [...plain].flatMap(([keyword, values]) => {
    if (bounds.split(' ').includes(keyword) || !isAbout(keyword, type)) return []
    if (keyword === 'format' && type !== 'string' && values.every(isValidatedFormat)) return []
    return [[keyword, sortedTexts(values)] as const]
  })
  return Object.fromEntries(entries)
}

/** Returns true if a keyword applies to values of a type. */
function isAbout(keyword: string, type: TypeAtom): boolean {
  const about = keywordRows.get(keyword)?.type
  return (
    about === undefined ||
    about === type ||
    (about === 'number' && (type === 'integer' || type === 'fraction'))
  )
}

function sortedTexts(values: readonly JsonValue[]): readonly string[] {
  return [...new Set(values.map(canonicalText))].sort()
}

function numbersOf({ plain }: Conjunction, keyword: string): readonly number[] {
  return (plain.get(keyword) ?? []).filter((value) => typeof value === 'number')
}

function numberKeywords(one: Conjunction, type: 'integer' | 'fraction'): Keywords | undefined {
  const whole = (value: number, isExclusive: boolean, inward: number) => {
    if (type === 'fraction') return value
    const rounded = inward > 0 ? Math.ceil(value) : Math.floor(value)
    return isExclusive && rounded === value ? rounded + inward : rounded
  }
  const least = Math.max(...numbersOf(one, 'minimum').map((value) => whole(value, false, 1)))
  const above = Math.max(...numbersOf(one, 'exclusiveMinimum').map((value) => whole(value, true, 1)))
  const most = Math.min(...numbersOf(one, 'maximum').map((value) => whole(value, false, -1)))
  const below = Math.min(...numbersOf(one, 'exclusiveMaximum').map((value) => whole(value, true, -1)))
  const [low, high] = [Math.max(least, above), Math.min(most, below)]
  const isOpenBelow = type === 'fraction' && above >= least && Number.isFinite(above)
  const isOpenAbove = type === 'fraction' && below <= most && Number.isFinite(below)
  if (low > high || (low === high && (isOpenBelow || isOpenAbove))) return undefined
  const steps = numbersOf(one, 'multipleOf')
  if (type === 'fraction' && steps.some((step) => Number.isInteger(step))) return undefined
  const kept = steps.filter((step) => type === 'fraction' || !isMultipleOf(1, step))
  return {
    ...(Number.isFinite(low) && { [isOpenBelow ? 'exclusiveMinimum' : 'minimum']: low }),
    ...(Number.isFinite(high) && { [isOpenAbove ? 'exclusiveMaximum' : 'maximum']: high }),
    ...(kept.length > 0 && { multipleOf: [...new Set(kept)].sort((a, b) => a - b) }),
  }
}

/** Returns a range of counts; undefined if it is empty. */
function counts(
  one: Conjunction,
  lower: string,
  upper: string,
  most = Number.POSITIVE_INFINITY,
): Keywords | undefined {
  const low = Math.max(0, ...numbersOf(one, lower))
  const high = Math.min(most, ...numbersOf(one, upper))
  if (low > high) return undefined
  return { ...(low > 0 && { [lower]: low }), ...(Number.isFinite(high) && { [upper]: high }) }
}

function isNothing(all: Together): boolean {
  return all.some(({ schema }) => schema === false)
}

function listKeywords(one: Conjunction, naming: Naming): Keywords | undefined {
  const { tuple, rest } = one.items
  const end = tuple.findIndex(isNothing)
  const limit = end >= 0 ? end : isNothing(rest) ? tuple.length : Number.POSITIVE_INFINITY
  const size = counts(one, 'minItems', 'maxItems', limit)
  if (size === undefined) return undefined
  const most = Number(size['maxItems'] ?? Number.POSITIVE_INFINITY)
  const hasRest = most > tuple.length && rest.length > 0
  const others = hasRest ? naming.inner(rest) : ''
  const items = tuple.slice(0, most).map((all) => (all.length === 0 ? '' : naming.inner(all)))
  const texts = items.map((item) => canonicalText(item))
  const isUsed = most > tuple.length
  const last = texts.findLastIndex((text) => !isUsed || text !== canonicalText(others))
  const kept = items.slice(0, isUsed ? last + 1 : items.findLastIndex((item) => item !== '') + 1)
  return {
    ...size,
    ...(kept.length > 0 && { items: kept }),
    ...(hasRest && { additionalItems: others }),
    ...(one.plain.get('uniqueItems')?.includes(true) && most > 1 && { uniqueItems: true }),
    ...(one.contains.length > 0 && {
      contains: sortedTexts(
        one.contains.map(({ schema, least, most: many }) => [
          naming.inner([schema]),
          least,
          Number.isFinite(many) ? many : '',
        ]),
      ),
    }),
  }
}

function objectKeywords(one: Conjunction, naming: Naming): Keywords | undefined {
  const required = requiredNames(one)
  const size = counts(one, 'minProperties', 'maxProperties')
  if (size === undefined || required.length > Number(size['maxProperties'] ?? Number.POSITIVE_INFINITY))
    return undefined
  if (required.some((name) => isNothing(one.properties.get(name) ?? []))) return undefined
  const { minProperties, ...others } = size
  return {
    ...others,
    ...(Number(minProperties ?? 0) > required.length && { minProperties }),
    ...(required.length > 0 && { required }),
    properties: named(one.properties, naming),
    patternProperties: named(one.patterns, naming),
    ...(one.additional.length > 0 && {
      additionalProperties: sortedTexts(
        one.additional.map(({ names, patterns, schema }) => [names, patterns, naming.inner([schema])]),
      ),
    }),
    ...(one.names.length > 0 && { propertyNames: naming.inner(one.names) }),
    ...dependencyKeywords(one, required, naming),
  }
}

function named(all: ReadonlyMap<string, Together>, naming: Naming): JsonObject | undefined {
  if (all.size === 0) return undefined
  return Object.fromEntries(
    [...all].map(([name, schemas]) => [name, schemas.length === 0 ? '' : naming.inner(schemas)]),
  )
}

function dependencyKeywords(
  { dependencies }: Conjunction,
  required: readonly string[],
  naming: Naming,
): Keywords {
  const entries = [...dependencies].flatMap(([name, { names, schemas }]) => {
    const others = [...new Set(names)].filter((other) => other !== name && !required.includes(other)).sort()
    const forms = schemas.map((schema) => naming.outer([schema])['object'] ?? 'none')
    return others.length + forms.length === 0 ? [] : [[name, [others, sortedTexts(forms)]] as const]
  })
  return entries.length === 0 ? {} : { dependencies: Object.fromEntries(entries) }
}

/**
 * Returns the constraints of `not`, `oneOf` and long unions on values of a type; undefined if they refuse all values.
 */
function logicOf(one: Conjunction, type: TypeAtom, naming: Naming): Keywords | undefined {
  const textsOf = (all: Together) =>
    all.map((located) => canonicalText(naming.outer([located])[type])).filter((text) => text !== '')
  const refused = new Set(textsOf(one.not))
  // A value that fits an alternative twice does not fit exactly one.
  const exactly = one.exactly.map((forms) => textsOf(forms).sort())
  const some = one.some.map((forms) => sortedTexts(textsOf(forms)))
  if (refused.has('[{}]') || [...exactly, ...some].some(({ length }) => length === 0)) return undefined
  return {
    ...(refused.size > 0 && { not: [...refused].sort() }),
    ...(exactly.length > 0 && { oneOf: sortedTexts(exactly) }),
    ...(some.length > 0 && { anyOf: sortedTexts(some) }),
    ...(one.whole.length > 0 && { allOf: sortedTexts(one.whole.map(naming.whole)) }),
  }
}
