import fc from 'fast-check'
import { isObject, type JsonValue, schemaMap } from '../contract/index.js'
import { bounded, usualTries } from './bounded.js'
import {
  type Alternative,
  bounds,
  held,
  type Maker,
  NoValueError,
  sparseLevel,
  stated,
  unlessNone,
} from './constraints.js'
import { memberSchemas, partSchemas } from './inner-schemas.js'
import { sizeOf, withSize } from './sizes.js'
import { word } from './texts/format-texts.js'
import { patternTexts } from './texts/pattern-texts.js'

/** Maximum number of optional members by nesting level; zero at deeper levels. */
const optionalMost = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 6, 3]
/** Maximum number of members of an object that declares none by name. */
const unnamedUsually = 2
/** Maximum number of undeclared members that an object must have. */
const unnamedMost = 10_000

/**
 * Generates objects that fit an alternative.
 * @throws NoValueError if there are none
 */
export function objectValues(
  alternative: Alternative,
  maker: Maker,
  level: number,
  place: string,
): fc.Arbitrary<JsonValue> {
  const { least, most } = bounds(alternative, 'minProperties', 'maxProperties')
  const rules = held(alternative, 'propertyNames')
  const isNamed = (name: string) => rules.every((rule) => maker.fits(rule, name))
  const valuesOf = (name: string) => {
    const all = partSchemas(alternative.schemas, 'unevaluatedProperties', (located) =>
      memberSchemas(located, name),
    )
    return maker.make({ all, none: [] }, level + 1)
  }
  const required = [...new Set(stated(alternative, 'required').flat().map(String))]
  if (Math.max(least, required.length) > most || !required.every(isNamed)) throw new NoValueError(place)
  const declared = alternative.schemas.flatMap((located) =>
    schemaMap(located, 'properties').map(([name]) => name),
  )
  const values = new Map(required.map((name) => [name, valuesOf(name)]))
  const isSparse = level >= sparseLevel
  for (const name of isSparse && required.length >= least ? [] : declared) {
    const found = values.has(name) || !isNamed(name) ? undefined : unlessNone(() => valuesOf(name))
    if (found) values.set(name, found)
  }
  const optional = [...values.keys()].filter((name) => !required.includes(name))
  const wanted = Math.max(0, least - required.length)
  const room = Math.min(optional.length, most - required.length)
  const maxLength = Math.min(room, Math.max(wanted, optionalMost[level] ?? 0))
  const minLength = maker.varied ? Math.min(wanted, maxLength) : maxLength
  const isMap = declared.length === 0 && !isSparse && hasUnnamedMembers(alternative)
  const more = unnamedMembers(
    { alternative, maker, isNamed, valuesOf },
    [...values.keys()],
    {
      least: wanted - minLength,
      most: Math.min(most - required.length - maxLength, isMap ? unnamedUsually : 0),
      isUsual: isMap && !maker.varied,
    },
    place,
  )
  const order = [...new Set([...declared, ...required])].filter((name) => values.has(name))
  const size = [...values.values()].reduce((sum, each) => sum + sizeOf(each), sizeOf(more))
  const objects = fc.tuple(fc.subarray(optional, { minLength, maxLength }), more).chain(([kept, others]) => {
    const names = order.filter((name) => required.includes(name) || kept.includes(name))
    const own = fc.tuple(...names.map((name) => values.get(name) ?? fc.constant(null)))
    return own.map(
      (all): JsonValue => Object.fromEntries([...all.map((value, at) => [names[at], value]), ...others]),
    )
  })
  return withSize(objects, size, place)
}

interface Naming {
  readonly alternative: Alternative
  readonly maker: Maker
  readonly isNamed: (name: string) => boolean
  readonly valuesOf: (name: string) => fc.Arbitrary<JsonValue>
}

/** Generates undeclared members as pairs of name and value. */
function unnamedMembers(
  { alternative, maker, isNamed, valuesOf }: Naming,
  known: readonly string[],
  { least, most, isUsual }: { readonly least: number; readonly most: number; readonly isUsual: boolean },
  place: string,
): fc.Arbitrary<readonly (readonly [string, JsonValue])[]> {
  const maxLength = Math.max(least, most)
  if (maxLength <= 0) return fc.constant([])
  if (least > unnamedMost) throw new NoValueError(place)
  const patterns = alternative.schemas.flatMap((located) =>
    schemaMap(located, 'patternProperties').map(([pattern]) => pattern),
  )
  const rules = held(alternative, 'propertyNames')
  const text = { pointer: `${place}~name`, schema: { type: 'string' } }
  const free =
    maxLength > unnamedUsually
      ? fc.noBias(fc.tuple(word(), fc.nat(9_999)).map((parts) => parts.join('')))
      : word()
  const ruled = rules.length > 0 ? unlessNone(() => maker.make({ all: [text, ...rules], none: [] }, 0)) : free
  const isFree = (name: unknown) =>
    typeof name === 'string' && !known.includes(name) && isNamed(name) && canBe(() => valuesOf(name))
  const names = [ruled, ...patterns.map((pattern) => patternTexts(pattern))].flatMap((each) => {
    const found = each && bounded<JsonValue>(each, isFree, place)
    return found ? [found.map(String)] : []
  })
  if (names.length === 0) {
    if (least > 0) throw new NoValueError(place)
    return fc.constant([])
  }
  const pairs = fc.oneof(...names).chain((name) => valuesOf(name).map((value) => [name, value] as const))
  const minLength = Math.max(least, isUsual ? 1 : 0)
  // Some names of many are equal.
  const spare = Math.ceil(least / 8)
  const distinct = bounded(
    fc
      .array(pairs, {
        minLength: minLength + (spare > 1 ? spare : 0),
        maxLength: maxLength + least,
        size: 'max',
      })
      .map((all) => [...new Map(all)].slice(0, maxLength)),
    (all) => all.length >= least,
    place,
    Math.ceil(usualTries / Math.max(1, least)),
  )
  const [name = ''] = fc.sample(fc.oneof(...names), { seed: 1, numRuns: 1 })
  if (!distinct) throw new NoValueError(place)
  return withSize(distinct, least * sizeOf(valuesOf(name)), place)
}

function canBe(make: () => unknown): boolean {
  return unlessNone(make) !== undefined
}

/** True if the contract describes undeclared members. */
function hasUnnamedMembers(alternative: Alternative): boolean {
  return (
    stated(alternative, 'patternProperties').length > 0 ||
    held(alternative, 'additionalProperties').some(({ schema }) => isObject(schema))
  )
}
