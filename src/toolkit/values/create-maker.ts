import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import {
  type Contract,
  endOfReferences,
  isArray,
  type JsonValue,
  type KeywordType,
  keywordRows,
} from '../contract/index.js'
import { alternatives } from './alternatives.js'
import { bounded } from './bounded.js'
import {
  type Alternative,
  asNoValue,
  type Constraints,
  type Maker,
  NoValueError,
  shown,
  sparseLevel,
  stated,
  type TypeName,
  typeOf,
  unlessNone,
} from './constraints.js'
import { createChecker } from './create-checker.js'
import { listValues } from './list-values.js'
import { numberValues } from './number-values.js'
import { objectValues } from './object-values.js'
import { sizeOf, withSize } from './sizes.js'
import { textValues } from './texts/text-values.js'

/** Maximum additional nesting for recursive schemas that need deep values. */
const depthMost = 50
/** Number of values to try before an alternative counts as impossible. */
const triesMost = 200
/** Number of values in one value from which fewer are tried. */
const usualSize = 100
/** Null values are generated once in this many values. */
const nullOnceIn = 7

/** Creates the generator for values of a contract's schemas. */
export function createMaker(contract: Contract, varied: boolean, small = false): Maker {
  const known = new Map<string, fc.Arbitrary<JsonValue> | NoValueError>()
  const maker: Maker = { contract, varied, small, fits: createChecker(contract), make }
  let depthLeft = 0

  function make({ all, none }: Constraints, level: number): fc.Arbitrary<JsonValue> {
    const constraints = { all: all.map((located) => endOfReferences(located, contract)), none }
    if (level < sparseLevel) return remembered(constraints, level)
    if (level > sparseLevel) {
      depthLeft -= 1
      try {
        if (depthLeft < 0) throw new NoValueError(placeOf(constraints, contract))
        return remembered(constraints, level)
      } finally {
        depthLeft += 1
      }
    }
    // At deep levels the shallowest possible values are generated, so that recursive schemas terminate.
    for (depthLeft = 0; ; depthLeft++) {
      const found = unlessNone(() => remembered(constraints, level))
      if (found) return found
      if (depthLeft === depthMost) return remembered(constraints, level)
    }
  }

  function remembered(constraints: Constraints, level: number): fc.Arbitrary<JsonValue> {
    const place = level < sparseLevel ? String(level) : `${Math.min(level, sparseLevel + 1)} ${depthLeft}`
    const key = JSON.stringify([
      place,
      ...[constraints.all, constraints.none].map((all) => all.map(({ pointer }) => pointer)),
    ])
    const found =
      known.get(key) ??
      outcome(() => fromConstraints(constraints, maker, level), placeOf(constraints, contract))
    known.set(key, found)
    if (found instanceof NoValueError) throw found
    return found
  }

  return maker
}

function outcome(make: () => fc.Arbitrary<JsonValue>, place: string): fc.Arbitrary<JsonValue> | NoValueError {
  try {
    return make()
  } catch (error) {
    return asNoValue(error, place)
  }
}

function fromConstraints(constraints: Constraints, maker: Maker, level: number): fc.Arbitrary<JsonValue> {
  const place = placeOf(constraints, maker.contract)
  const fits = (value: JsonValue) =>
    constraints.all.every((located) => maker.fits(located, value)) &&
    !constraints.none.some((located) => maker.fits(located, value))
  let reason = new NoValueError(place)
  const optionsOf = (all: readonly Alternative[]) =>
    all.flatMap((alternative) => {
      const values = outcome(() => fromAlternative(alternative, maker, level, fits, place), place)
      if (!(values instanceof NoValueError)) return [{ alternative, values }]
      reason = values
      return []
    })
  const likely = alternatives(constraints, maker.contract)
  const isRefusing = likely.some(({ none }) => none.length > 0)
  const found = optionsOf(likely)
  // Usual values may all fit a schema that they must not fit.
  const options =
    found.length > 0 || !isRefusing ? found : optionsOf(alternatives(constraints, maker.contract, true))
  if (options.length === 0) throw reason
  const all = fc.oneof(
    ...options.map(({ alternative, values }) => ({
      arbitrary: values,
      weight: isNull(alternative) ? 1 : nullOnceIn - 1,
    })),
  )
  return withSize(all, Math.max(...options.map(({ values }) => sizeOf(values))), place)
}

function isNull(alternative: Alternative): boolean {
  return alternative.types.every((type) => type === 'null') || stated(alternative, 'const').includes(null)
}

/** Keywords that generated values may violate, so the values are checked. */
const unsure = 'unevaluatedItems unevaluatedProperties uniqueItems contains maxContains propertyNames'.split(
  ' ',
)

function fromAlternative(
  alternative: Alternative,
  maker: Maker,
  level: number,
  fits: (value: JsonValue) => boolean,
  place: string,
): fc.Arbitrary<JsonValue> {
  const listed = listedValues(alternative)
  const candidates = listed ?? (maker.varied ? [] : shown(alternative))
  const found = candidates.filter((value) => alternative.types.includes(typeOf(value)) && fits(value))
  if (found.length > 0) return fc.constantFrom(...found)
  if (listed) throw new NoValueError(place)
  let reason = new NoValueError(place)
  const ofTypes = (types: readonly TypeName[]) =>
    types.flatMap((type) => {
      const values = outcome(() => ofType(type, alternative, maker, level, place), place)
      if (!(values instanceof NoValueError))
        return [{ arbitrary: values, weight: type === 'null' ? 1 : nullOnceIn - 1 }]
      reason = values
      return []
    })
  const isSure =
    level > 0 &&
    alternative.none.length === 0 &&
    unsure.every((keyword) => stated(alternative, keyword).length === 0)
  for (const types of [likelyTypes(alternative), alternative.types]) {
    const options = ofTypes(types)
    if (options.length === 0) continue
    const values = fc.oneof(...options)
    const size = Math.max(...options.map(({ arbitrary }) => sizeOf(arbitrary)))
    const tries = Math.ceil(triesMost / Math.max(1, size / usualSize))
    const checked = isSure ? values : bounded(values, fits, place, tries)
    if (checked) return withSize(checked, size, place)
    reason = new NoValueError(place)
  }
  throw reason
}

/** Values that all `const` and `enum` keywords share; undefined if there are none of these keywords. */
function listedValues(alternative: Alternative): readonly JsonValue[] | undefined {
  const lists = [
    ...stated(alternative, 'const').map((value) => [value]),
    ...stated(alternative, 'enum').filter(isArray),
  ]
  const [first, ...others] = lists
  return first?.filter((value) =>
    others.every((list) => list.some((other) => isDeepStrictEqual(value, other))),
  )
}

/** Returns the declared types, or those that keywords imply. Without either, returns simple types. */
function likelyTypes(alternative: Alternative): readonly TypeName[] {
  const { types, isTyped, schemas } = alternative
  // "integer" suffices for both, unless a schema declares "number".
  const numeric = types.includes('integer') ? types.filter((type) => type !== 'number') : types
  if (isTyped) return stated(alternative, 'type').flat().includes('number') ? types : numeric
  const about = new Set(
    schemas.flatMap(({ schema }) => Object.keys(schema).map((name) => keywordRows.get(name)?.type)),
  )
  const hinted = types.filter((type) => about.has(type as KeywordType))
  return hinted.length > 0 ? hinted : types.filter((type) => ['string', 'integer', 'boolean'].includes(type))
}

function ofType(
  type: TypeName,
  alternative: Alternative,
  maker: Maker,
  level: number,
  place: string,
): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numberValues(alternative, type === 'integer', maker, place)
    case 'string':
      return textValues(alternative, maker, place)
    case 'array':
      return listValues(alternative, maker, level, place)
    case 'object':
      return objectValues(alternative, maker, level, place)
  }
}

/** Pointer to report for unmet constraints, after following plain references. */
function placeOf({ all: [first] }: Constraints, contract: Contract): string {
  return first ? endOfReferences(first, contract).pointer : '#'
}
