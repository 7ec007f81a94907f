import { isMultipleOf, type JsonValue, type LocatedSchema, type TypeAtom } from '../../contract/index.js'
import type { ChangeKind } from '../change-kinds.js'
import { type Effect, effects } from '../effect.js'
import { shown } from '../words.js'
import { allKeywords, bothValues, type Comparison, noteKeyword, shares } from './comparison.js'
import { keyword } from './schema-view.js'
import { typesOf } from './type-set.js'

const numeric: readonly TypeAtom[] = ['integer', 'fraction']

/** Size keywords with the type they apply to, and whether they are a lower or an upper bound. */
const sizes: readonly (readonly [string, readonly TypeAtom[], 'least' | 'most'])[] = [
  ['minLength', ['string'], 'least'],
  ['maxLength', ['string'], 'most'],
  ['minItems', ['array'], 'least'],
  ['maxItems', ['array'], 'most'],
  ['minProperties', ['object'], 'least'],
  ['maxProperties', ['object'], 'most'],
]

/**
 * Compares ranges, lengths and counts (draft-07 validation, sections 6.2 to 6.5) by the values that they
 * allow.
 */
export function compareBounds(comparison: Comparison): void {
  const present = allKeywords(comparison)
  if (shares(comparison, numeric)) {
    compareBound(comparison, 'least', ['minimum', 'exclusiveMinimum'])
    compareBound(comparison, 'most', ['maximum', 'exclusiveMaximum'])
    if (present.has('multipleOf')) compareMultiple(comparison)
  }
  for (const [name, types, end] of sizes) {
    if (present.has(name) && shares(comparison, types)) compareBound(comparison, end, [name])
  }
}

/** The effective bound of one end. */
interface Bound {
  readonly keyword: string
  readonly value: number
  readonly exclusive: boolean
}

function compareBound(comparison: Comparison, end: 'least' | 'most', names: readonly string[]): void {
  const [before, after] = [comparison.old, comparison.new].map((side) => nearest(side, end, names))
  const order = tightness(after, end) - tightness(before, end)
  const isTighter = order > 0 || (order === 0 && Boolean(after?.exclusive) && !before?.exclusive)
  const isLooser = order < 0 || (order === 0 && Boolean(before?.exclusive) && !after?.exclusive)
  if (!isTighter && !isLooser) return
  const name = after?.keyword ?? before?.keyword ?? ''
  const kind = !before
    ? 'constraint-added'
    : !after
      ? 'constraint-removed'
      : isTighter
        ? 'constraint-tightened'
        : 'constraint-loosened'
  const effect = isTighter ? effects.narrowed : effects.widened
  noteKeyword(comparison, name, kind, effect, changeText(before && text(before), after && text(after)))
}

function nearest(side: LocatedSchema, end: 'least' | 'most', names: readonly string[]): Bound | undefined {
  const isWhole = [...typesOf(side)].every((type) => type !== 'fraction') && names.length > 1
  const bounds = names.flatMap((name) => {
    const value = keyword(side, name)
    if (typeof value !== 'number' || (names.length === 1 && end === 'least' && value <= 0)) return []
    return { keyword: name, value, exclusive: name.startsWith('exclusive') }
  })
  bounds.sort((a, b) => tightness(b, end) - tightness(a, end) || Number(b.exclusive) - Number(a.exclusive))
  return isWhole && bounds[0] ? whole(bounds[0], end) : bounds[0]
}

/**
 * Converts a bound for integers to an inclusive integer: more than 0 and at least 0.5 both become at least 1.
 */
function whole({ keyword: name, value, exclusive }: Bound, end: 'least' | 'most'): Bound {
  const inward = end === 'least' ? Math.ceil(value) : Math.floor(value)
  const step = exclusive && inward === value ? (end === 'least' ? 1 : -1) : 0
  return { keyword: name, value: inward + step, exclusive: false }
}

function tightness(bound: Bound | undefined, end: 'least' | 'most'): number {
  if (!bound) return Number.NEGATIVE_INFINITY
  return end === 'least' ? bound.value : -bound.value
}

function text({ keyword: name, value }: Bound): string {
  return `${name} ${value}`
}

/** Describes the change of a keyword: `gained minimum 1`, `lost minimum 1`, `minimum 1 became minimum 2`. */
function changeText(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `gained ${after}`
  return after === undefined ? `lost ${before}` : `${before} became ${after}`
}

function compareMultiple(comparison: Comparison): void {
  const { before, after } = bothValues(comparison, 'multipleOf')
  if (before === after) return
  const [old, next] = [before, after].map((value) => value !== undefined && `multipleOf ${shown(value)}`)
  const [kind, effect] = multipleOrder(before, after)
  noteKeyword(comparison, 'multipleOf', kind, effect, changeText(old || undefined, next || undefined))
}

function multipleOrder(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly [ChangeKind, Effect] {
  if (typeof before !== 'number') return ['constraint-added', effects.narrowed]
  if (typeof after !== 'number') return ['constraint-removed', effects.widened]
  if (isMultipleOf(after, before)) return ['constraint-tightened', effects.narrowed]
  if (isMultipleOf(before, after)) return ['constraint-loosened', effects.widened]
  return ['constraint-changed', effects.replaced]
}
