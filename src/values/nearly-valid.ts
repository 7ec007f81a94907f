import fc from 'fast-check'
import {
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  objectMember,
  schemaMap,
} from '../contract/index.js'
import { alternatives, without } from './alternatives.js'
import { bounded } from './bounded.js'
import {
  type Alternative,
  type Constraints,
  isKeywordSchema,
  isPlainReference,
  type KeywordSchema,
  type Maker,
  NoValueError,
  sparseLevel,
  stated,
  unlessNone,
} from './constraints.js'
import { itemSchemas, memberSchemas } from './inner-schemas.js'
import { assertions } from './negate-schema.js'

/** Further ways to break a schema are left out. */
const breaksMost = 1_000
/** Values that are tried before a way counts as impossible, and ways that are tried before the search ends. */
const triesMost = 30

/** A value that breaks exactly one constraint. */
export interface NearlyValid {
  readonly value: JsonValue
  /** The JSON pointer of the keyword that the value breaks, and the keyword. */
  readonly pointer: string
  readonly keyword: string
}

/** One way to break one constraint. */
interface Break extends Pick<NearlyValid, 'pointer' | 'keyword'> {
  /** Values that keep all other constraints. @throws NoValueError where there are none */
  readonly values: () => fc.Arbitrary<JsonValue>
}

/**
 * Values that break exactly one of the constraints that a schema states, at any place inside.
 * @throws NoValueError where every value fits
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
 * Ways to break one of the constraints on a value, or on a value inside it.
 * @param most the number of ways from which on others are left out
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

/** True where a change inside a value breaks nothing but what is said of the inside. */
function isOpen(alternative: Alternative): boolean {
  const words = ['const', 'enum', 'uniqueItems', 'contains', 'unevaluatedProperties', 'unevaluatedItems']
  return words.every((keyword) => stated(alternative, keyword).length === 0)
}

function ownBreaks(alternative: Alternative, maker: Maker, level: number): readonly Break[] {
  return alternative.schemas.filter(isStated).flatMap((own) =>
    assertions(own.schema)
      .filter((keyword) => keyword !== 'properties' && keyword !== 'items')
      .map((keyword) =>
        breakOf(own, keyword, { ...alternative, all: others(alternative, own) }, maker, level),
      ),
  )
}

/** Breaks of the keywords that alternatives replace. */
function compositionBreaks(
  located: LocatedSchema,
  all: readonly LocatedSchema[],
  maker: Maker,
  level: number,
): readonly Break[] {
  const seen = new Set<LocatedSchema['schema']>()
  let own: LocatedSchema | undefined = located
  for (; own && !seen.has(own.schema) && isPlainReference(own); own = followed(own, maker.contract)) {
    seen.add(own.schema)
  }
  if (!own || !isKeywordSchema(own) || !isStated(own)) return []
  const { pointer, schema } = own
  const kept = { all: all.filter((each) => each !== located), none: [] }
  return compositions
    .filter((keyword) => member(schema, keyword) !== undefined && member(schema, 'nullable') !== true)
    .map((keyword) => breakOf({ pointer, schema }, keyword, kept, maker, level))
}

const compositions = 'not anyOf oneOf if dependencies dependentRequired dependentSchemas'.split(' ')

/** True for a schema of the document, and not one that says the opposite of another one. */
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

/** The schemas of an alternative apart from one: the alternative has replaced their compositions. */
function others({ schemas }: Alternative, own?: KeywordSchema): readonly KeywordSchema[] {
  return schemas.filter((each) => each !== own).map((each) => ({ ...each, pointer: `${each.pointer}~own` }))
}

/** A schema with one keyword, and what that keyword refers to. */
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
    case 'additionalItems':
      return { items: [member(schema, 'items') ?? []].flat().map(() => true), additionalItems: value }
    case 'contains':
      return together('contains', 'minContains', 'maxContains')
    case 'if':
      return together('if', 'then', 'else')
    default:
      return together(keyword)
  }
}

/** Breaks of a member that a schema declares, and of a list's first item. */
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
