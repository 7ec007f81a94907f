import fc from 'fast-check'
import { isMultipleOf, type JsonValue } from '../contract/index.js'
import { bounded } from './bounded.js'
import { type Alternative, type Maker, NoValueError, numbers } from './constraints.js'

/** Upper end of readable numbers without bounds, which start at 1. */
const span = 1000
/** Small numbers are at most this far from the smallest. */
const smallSpan = 8
/** Denominator of generated fractions. A range without such a fraction gets other values. */
const parts = 100
/** Bound of varied numbers without bounds of their own, in both directions. */
const usualMost = 1e15

/**
 * Generates numbers within the bounds of an alternative that satisfy `multipleOf`.
 * @throws NoValueError if there are none
 */
export function numberValues(
  alternative: Alternative,
  isWhole: boolean,
  { varied, small }: Maker,
  place: string,
): fc.Arbitrary<JsonValue> {
  const of = (keyword: string) => numbers(alternative, keyword)
  const from = Math.max(Number.NEGATIVE_INFINITY, ...of('minimum'), ...of('exclusiveMinimum'))
  const to = Math.min(Number.POSITIVE_INFINITY, ...of('maximum'), ...of('exclusiveMaximum'))
  const steps = of('multipleOf')
  const fits = (value: number) =>
    Number.isFinite(value) &&
    value >= from &&
    value <= to &&
    !of('exclusiveMinimum').includes(value) &&
    !of('exclusiveMaximum').includes(value) &&
    (!isWhole || Number.isInteger(value)) &&
    steps.every((step) => isMultipleOf(value, step))
  if (from > to) throw new NoValueError(place)
  const usualRange = [Math.max(from, -usualMost), Math.min(to, usualMost)] as const
  const isUsual = varied && usualRange[0] <= usualRange[1]
  const [low, high] = (isUsual ? usualRange : room(from, to)).map(finite) as [number, number]
  const step = commonStep(steps, isWhole)
  const candidates =
    step === undefined
      ? [multiples(1 / parts, low, high), fractions(low, high)]
      : [multiples(step, low, high)]
  const ends = fc.constantFrom(low, high, 0)
  const near = small ? [multiples(step ?? 1, ...nearest(from, to))] : []
  const found = [...near, ...candidates, ends].flatMap((values) =>
    values ? (bounded(values, fits, place) ?? []) : [],
  )
  const [usual] = found
  if (!usual) throw new NoValueError(place)
  return (varied ? fc.oneof(...found) : usual).map((value) => value + 0)
}

/** Sums at the ends of the range of doubles would be infinite, which JSON cannot express. */
function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
}

/** Range of readable numbers: the allowed range, shortened around its bound or near zero. */
function room(from: number, to: number): readonly [low: number, high: number] {
  if (Number.isFinite(from)) return [from, Math.min(to, from + Math.max(span, Math.abs(from)))]
  if (!Number.isFinite(to)) return [1, span]
  return to > 0 ? [Math.max(0, to - span), to] : [to - Math.max(span, Math.abs(to)), to]
}

/** The smallest numbers of a range: from zero, or from the bound that is nearest to it. */
function nearest(from: number, to: number): readonly [low: number, high: number] {
  if (to < 0) return [Math.max(from, to - smallSpan), to]
  const low = Math.max(from, 0)
  return [low, Math.min(to, low + smallSpan)]
}

/** Finds a step whose multiples are multiples of all steps; undefined without steps. */
function commonStep(steps: readonly number[], isWhole: boolean): number | undefined {
  const all = isWhole ? [...steps, 1] : steps
  if (all.length === 0) return undefined
  const largest = Math.max(...all)
  for (let factor = 1; factor <= span; factor++) {
    const step = rounded(largest * factor)
    if (all.every((each) => isMultipleOf(step, each))) return step
  }
  return largest
}

/** Generates multiples of a step; undefined if their count exceeds safe integers or there are none. */
function multiples(step: number, low: number, high: number): fc.Arbitrary<number> | undefined {
  const [min, max] = [Math.ceil(rounded(low / step)), Math.floor(rounded(high / step))]
  if (min > max || !Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return undefined
  return fc.integer({ min, max }).map((count) => rounded(count * step))
}

function fractions(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
}

/** Removes the digits of binary rounding errors. */
function rounded(value: number): number {
  return Number(value.toPrecision(15))
}
