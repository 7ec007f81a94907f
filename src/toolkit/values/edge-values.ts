import { isDeepStrictEqual } from 'node:util'
import { type Contract, isObject, type JsonValue, type LocatedSchema, schemaMap } from '../contract/index.js'
import { alternatives } from './alternatives.js'
import { listedValues, scalarsWithin } from './boundaries.js'
import { type Alternative, asNoValue, bounds, type Maker, stated, unlessNone } from './constraints.js'
import { createMaker } from './create-maker.js'
import { seededValue } from './create-values.js'
import { itemSchemas, memberSchemas } from './inner-schemas.js'

/** Maximum nesting depth at which members and items get edge values. */
const depthMost = 3
/** Maximum length of texts and lists, to keep requests small. */
const sizeMost = 1_000
/** Maximum number of edge values of one schema. */
const valuesMost = 80

/** Texts that programs often handle wrongly: empty, blank, markup, several scripts, beyond the basic plane. */
const texts: readonly string[] = [
  '',
  ' ',
  '0',
  '<b>"\'&',
  'Zoë 日本語 שלום',
  '🦄\u200d\u0000',
  'a'.repeat(200),
]
const numbers: readonly number[] = [0, 1, -1, 0.5, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

/**
 * Creates a function that lists valid values at the edges of a schema: each branch of a union, listed values, bounds of
 * numbers and lengths, empty and long texts, and empty lists. Objects have only the required members, then each optional
 * one, then each pair of them. The values are stable. The function throws a NoValueError if they cannot be made.
 */
export function createEdgeValues(contract: Contract): (schema: LocatedSchema) => readonly JsonValue[] {
  const maker = createMaker(contract, false)
  return (schema) => {
    try {
      return edgesOf([schema], maker, depthMost)
    } catch (error) {
      throw asNoValue(error, schema.pointer)
    }
  }
}

function edgesOf(all: readonly LocatedSchema[], maker: Maker, depth: number): readonly JsonValue[] {
  const candidates = alternatives({ all, none: [] }, maker.contract).flatMap((alternative) => [
    ...typical(alternative.schemas, maker),
    ...scalars(alternative),
    ...(depth > 0 ? [...lists(alternative, maker, depth), ...objects(alternative, maker, depth)] : []),
  ])
  const distinct = new Map(candidates.map((value) => [JSON.stringify(value), value]))
  const valid = [...distinct.values()].filter((value) => all.every((located) => maker.fits(located, value)))
  return valid.slice(0, valuesMost)
}

/** One readable value of the schemas, if there is one. */
function typical(all: readonly LocatedSchema[], maker: Maker): readonly JsonValue[] {
  const place = all.map(({ pointer }) => pointer).join(' ')
  const value = unlessNone(() => seededValue(maker.make({ all, none: [] }, 0), place))
  return value === undefined ? [] : [value]
}

function scalars(alternative: Alternative): readonly JsonValue[] {
  const { types, schemas } = alternative
  const { most } = bounds(alternative, 'minLength', 'maxLength')
  return [
    ...schemas.flatMap(({ schema }) => [...listedValues(schema), ...scalarsWithin(schema)]),
    ...(types.includes('null') ? [null] : []),
    ...(types.includes('boolean') ? [true, false] : []),
    ...(types.includes('string') ? [...texts, 'a'.repeat(Math.min(most, sizeMost))] : []),
    ...(types.includes('integer') ? numbers : []),
  ]
}

function lists(alternative: Alternative, maker: Maker, depth: number): readonly JsonValue[] {
  if (!alternative.types.includes('array')) return []
  const { least, most } = bounds(alternative, 'minItems', 'maxItems')
  const items = edgesOf(
    alternative.schemas.flatMap((located) => itemSchemas(located, 0)),
    maker,
    depth - 1,
  )
  const [item] = items
  if (item === undefined) return [[]]
  const counts = [least, least + 1, most].filter((count) => count <= Math.min(most, sizeMost))
  return [
    [],
    ...counts.map((count) => Array.from({ length: count }, (_, at) => items[at % items.length] ?? item)),
    ...items.map((value) => Array.from({ length: Math.max(1, least) }, () => value)),
  ]
}

function objects(alternative: Alternative, maker: Maker, depth: number): readonly JsonValue[] {
  const { types, schemas } = alternative
  if (!types.includes('object')) return []
  const [base] = typical(schemas, maker)
  if (base === undefined || !isObject(base)) return []
  const required = new Set(stated(alternative, 'required').flat().map(String))
  const names = [
    ...new Set(schemas.flatMap((located) => schemaMap(located, 'properties').map(([name]) => name))),
  ]
  const optional = names.filter((name) => !required.has(name) && base[name] !== undefined)
  const only = (kept: readonly string[]): JsonValue =>
    Object.fromEntries(Object.entries(base).filter(([name]) => required.has(name) || kept.includes(name)))
  const pairs = optional.flatMap((one, at) => optional.slice(at + 1).map((other) => [one, other]))
  return [
    only([]),
    ...optional.map((name) => only([name])),
    ...names.flatMap((name) => {
      const inner = schemas.flatMap((located) => memberSchemas(located, name))
      const others = edgesOf(inner, maker, depth - 1).filter((value) => !isDeepStrictEqual(value, base[name]))
      return others.map((value) => ({ ...base, [name]: value }))
    }),
    ...pairs.map(only),
  ]
}
