import fc from 'fast-check'
import {
  arrayMember,
  endOfReferences,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  objectMember,
  schemaMap,
  tupleKeywords,
} from '../contract/index.js'
import { alternatives, without } from './alternatives.js'
import { bounded } from './bounded.js'
import {
  type Alternative,
  type Constraints,
  isKeywordSchema,
  type KeywordSchema,
  type Maker,
  NoValueError,
  sparseLevel,
  stated,
  unlessNone,
} from './constraints.js'
import { itemSchemas, memberSchemas } from './inner-schemas.js'
import { assertions } from './negate-schema.js'

/** Maximum number of ways to violate a schema. */
const breaksMost = 1_000
/** Number of values to try for each way, and number of ways to try before the search ends. */
const triesMost = 30

/** A value that violates exactly one constraint. */
export interface NearlyValid {
  readonly value: JsonValue
  /** JSON pointer of the violated keyword. */
  readonly pointer: string
  readonly keyword: string
}

/** One way to violate one constraint. */
interface Break extends Pick<NearlyValid, 'pointer' | 'keyword'> {
  /**
   * Generates values that meet all other constraints.
   * @throws NoValueError if there are none
   */
  readonly values: () => fc.Arbitrary<JsonValue>
}

/**
 * Generates values that violate exactly one constraint of a schema, at any depth.
 * @throws NoValueError if every value fits
 */
export function nearlyValidValues(located: LocatedSchema, maker: Maker): fc.Arbitrary<NearlyValid> {
  const known = new Map<Break, fc.Arbitrary<NearlyValid> | undefined>()
  const breaks = breaksOf([located], maker, 0, breaksMost)
  const possible = (start: number): fc.Arbitrary<NearlyValid> => {
    for (const each of [...breaks.slice(start), ...breaks.slice(0, start)].slice(0, triesMost)) {
      if (!known.has(each))
        known.set(
          each,
          unlessNone(() => broken(each, located, maker)),
        )
      const values = known.get(each)
      if (values) return values
    }
    throw new NoValueError(located.pointer)
  }
  possible(0)
  return fc.nat(breaks.length - 1).chain(possible)
}

function broken(
  { pointer, keyword, values }: Break,
  located: LocatedSchema,
  maker: Maker,
): fc.Arbitrary<NearlyValid> {
  const checked = bounded(values(), (value) => !maker.fits(located, value), pointer, triesMost)
  if (!checked) throw new NoValueError(pointer)
  return checked.map((value) => ({ value, pointer, keyword }))
}

/**
 * Lists the ways to violate one constraint on a value, or on a value within it.
 * @param most maximum number of ways
 */
function breaksOf(
  all: readonly LocatedSchema[],
  maker: Maker,
  level: number,
  most: number,
): readonly Break[] {
  if (most < 1) return []
  const options = alternatives({ all, none: [] }, maker.contract)
  const share = most / Math.max(1, options.length)
  const ofParts = options.flatMap((alternative) => [
    ...ownBreaks(alternative, maker, level),
    ...(level < sparseLevel && isOpen(alternative) ? innerBreaks(alternative, maker, level, share) : []),
  ])
  return [...ofParts, ...all.flatMap((located) => compositionBreaks(located, all, maker, level))].slice(
    0,
    most,
  )
}

/** True if a change within a value cannot violate constraints on the value itself. */
function isOpen(alternative: Alternative): boolean {
  const words = ['const', 'enum', 'uniqueItems', 'contains', 'unevaluatedProperties', 'unevaluatedItems']
  return words.every((keyword) => stated(alternative, keyword).length === 0)
}

function ownBreaks(alternative: Alternative, maker: Maker, level: number): readonly Break[] {
  return alternative.schemas.filter(isStated).flatMap((own) =>
    assertions(own.schema)
      .filter(
        (keyword) => keyword !== 'properties' && keyword !== (tupleKeywords(own.schema)?.first ?? 'items'),
      )
      .map((keyword) =>
        breakOf(own, keyword, { ...alternative, all: others(alternative, own) }, maker, level),
      ),
  )
}

/** Violations of the keywords that alternatives expand. */
function compositionBreaks(
  located: LocatedSchema,
  all: readonly LocatedSchema[],
  maker: Maker,
  level: number,
): readonly Break[] {
  const own = endOfReferences(located, maker.contract)
  if (!isKeywordSchema(own) || !isStated(own)) return []
  const { pointer, schema } = own
  const kept = { all: all.filter((each) => each !== located), none: [] }
  return compositions
    .filter((keyword) => member(schema, keyword) !== undefined && member(schema, 'nullable') !== true)
    .map((keyword) => breakOf({ pointer, schema }, keyword, kept, maker, level))
}

const compositions = 'not anyOf oneOf if dependencies dependentRequired dependentSchemas'.split(' ')

/** True for a schema of the document, false for a derived one such as a negation. */
function isStated({ pointer }: LocatedSchema): boolean {
  return !/~(?![01]|value)/.test(pointer)
}

function breakOf(own: KeywordSchema, keyword: string, kept: Constraints, maker: Maker, level: number): Break {
  const { pointer, schema } = own
  return {
    pointer: joinPointer(pointer.replaceAll('~value', ''), keyword),
    keyword,
    values() {
      const rest = { pointer: `${pointer}~without ${keyword}`, schema: without(schema, [keyword]) }
      const refused = { pointer: `${pointer}~only ${keyword}`, schema: only(schema, keyword) }
      return maker.make({ all: [...kept.all, rest], none: [...kept.none, refused] }, level)
    },
  }
}

/** Schemas of an alternative except one. Their compositions are already expanded. */
function others({ schemas }: Alternative, own?: KeywordSchema): readonly KeywordSchema[] {
  return schemas.filter((each) => each !== own).map((each) => ({ ...each, pointer: `${each.pointer}~own` }))
}

/** Reduces a schema to one keyword and the keywords that it depends on. */
function only(schema: JsonObject, keyword: string): JsonObject {
  const value = member(schema, keyword) ?? true
  const together = (...words: readonly string[]) =>
    Object.fromEntries(Object.entries(schema).filter(([word]) => words.includes(word)))
  const named = (words: string) => {
    const names = Object.keys(objectMember(schema, words)).map((name) => [name, true] as const)
    return names.length > 0 ? { [words]: Object.fromEntries(names) } : {}
  }
  switch (keyword) {
    case 'additionalProperties':
      return { ...named('properties'), ...named('patternProperties'), additionalProperties: value }
    case 'items':
    case 'additionalItems': {
      const tuple = tupleKeywords(schema)
      if (keyword !== tuple?.others) return together(keyword)
      return { items: arrayMember(schema, tuple.first).map(() => true), additionalItems: value }
    }
    case 'contains':
      return together('contains', 'minContains', 'maxContains')
    case 'if':
      return together('if', 'then', 'else')
    default:
      return together(keyword)
  }
}

/** Violations within declared members and within the first item of a list. */
function innerBreaks(alternative: Alternative, maker: Maker, level: number, most: number): readonly Break[] {
  const { schemas, types, none } = alternative
  const place = schemas[0]?.pointer ?? '#'
  const outer = (words: JsonObject, name: string) =>
    maker.make(
      { all: [...others(alternative), { pointer: `${place}~with ${name}`, schema: words }], none },
      level,
    )
  const names = types.includes('object')
    ? new Set(schemas.flatMap((located) => schemaMap(located, 'properties').map(([name]) => name)))
    : new Set<string>()
  const isRefused = (value: JsonValue) => !none.some((located) => maker.fits(located, value))
  const checked = (values: fc.Arbitrary<JsonValue>) => {
    const found = bounded(values, isRefused, place, triesMost)
    if (!found) throw new NoValueError(place)
    return found
  }
  const share = most / (names.size + 1)
  const ofMembers = [...names].flatMap((name) =>
    breaksOf(
      schemas.flatMap((located) => memberSchemas(located, name)),
      maker,
      level + 1,
      share,
    ).map((inner) => ({
      ...inner,
      values: () =>
        checked(
          fc
            .tuple(outer({ type: 'object', required: [name] }, name), inner.values())
            .map(([object, value]) =>
              Object.fromEntries([...Object.entries(isObject(object) ? object : {}), [name, value]]),
            ),
        ),
    })),
  )
  const ofItems = types.includes('array')
    ? breaksOf(
        schemas.flatMap((located) => itemSchemas(located, 0)),
        maker,
        level + 1,
        share,
      ).map((inner) => ({
        ...inner,
        values: () =>
          checked(
            fc
              .tuple(outer({ type: 'array', minItems: 1 }, 'items'), inner.values())
              .map(([list, value]) => [value, ...(isArray(list) ? list.slice(1) : [])]),
          ),
      }))
    : []
  return [...ofMembers, ...ofItems]
}
