import fc from 'fast-check'
import { isMultipleOf, type JsonValue } from '../contract/index.js'
import { bounded } from './bounded.js'
import { type Alternative, type Maker, NoValueError, numbers } from './constraints.js'

/** Without bounds, numbers that people read are from 1 to this. */
const span = 1000
/** Numbers that are not whole have so many parts in one, where there is room for them. */
const parts = 100

/**
 * Numbers within the bounds of an alternative that are multiples of what it asks for.
 * @throws NoValueError where there are none
 */
export function numberValues(
  alternative: Alternative,
  isWhole: boolean,
  { varied }: Maker,
  place: string,
): fc.Arbitrary<JsonValue> {
  const of = (keyword: string) => numbers(alternative, keyword)
  const from = Math.max(Number.NEGATIVE_INFINITY, ...of('minimum'), ...of('exclusiveMinimum'))
  const to = Math.min(Number.POSITIVE_INFINITY, ...of('maximum'), ...of('exclusiveMaximum'))
  const steps = of('multipleOf')
  const fits = (value: number) =>
    value >= from &&
    value <= to &&
    !of('exclusiveMinimum').includes(value) &&
    !of('exclusiveMaximum').includes(value) &&
    (!isWhole || Number.isInteger(value)) &&
    steps.every((step) => isMultipleOf(value, step))
  if (from > to) throw new NoValueError(place)
  const [low, high] = varied ? [Math.max(from, -1e15), Math.min(to, 1e15)] : room(from, to)
  const step = commonStep(steps, isWhole)
  const candidates =
    step === undefined
      ? [multiples(1 / parts, low, high), fractions(low, high)]
      : [multiples(step, low, high)]
  const ends = fc.constantFrom(low, high, 0)
  const found = [...candidates, ends].flatMap((values) =>
    values ? (bounded(values, fits, place) ?? []) : [],
  )
  const [usual] = found
  if (!usual) throw new NoValueError(place)
  return (varied ? fc.oneof(...found) : usual).map((value) => value + 0)
}

/** The span that numbers are taken from: what is allowed, or the part of it that is nearest to zero. */
function room(from: number, to: number): readonly [low: number, high: number] {
  if (Number.isFinite(from)) return [from, Math.min(to, from + Math.max(span, Math.abs(from)))]
  if (!Number.isFinite(to)) return [1, span]
  return to > 0 ? [Math.max(0, to - span), to] : [to - Math.max(span, Math.abs(to)), to]
}

/** A step whose multiples are multiples of all steps; undefined where any number will do. */
function commonStep(steps: readonly number[], isWhole: boolean): number | undefined {
  const all = isWhole ? [...steps, 1] : steps
  if (all.length === 0) return undefined
  const largest = Math.max(...all)
  const factors = Array.from({ length: span }, (_, at) => rounded(largest * (at + 1)))
  return factors.find((step) => all.every((each) => isMultipleOf(step, each))) ?? largest
}

/** Whole multiples of a step; undefined where a double cannot count them. */
function multiples(step: number, low: number, high: number): fc.Arbitrary<number> | undefined {
  const [min, max] = [Math.ceil(rounded(low / step)), Math.floor(rounded(high / step))]
  if (min > max || !Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return undefined
  return fc.integer({ min, max }).map((count) => rounded(count * step))
}

function fractions(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
}

/** A number without the digits that calculating in binary adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(15))
}
