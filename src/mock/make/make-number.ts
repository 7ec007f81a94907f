import { numbers } from './keywords.js'
import { NoValueError } from './no-value.js'
import type { Random } from './random.js'
import type { Demand } from './wish.js'

/** Where no bound is given, numbers are taken from a span of this size. */
const span = 1000
/** So many numbers are tried. */
const triesMost = 40
/** Numbers that are not whole have so many decimals, where there is room for them. */
const decimals = 2

/**
 * A number within the bounds of a demand, and a multiple of what it asks for.
 * @throws NoValueError where there is none, or none was found
 */
export function makeNumber(demand: Demand, isWhole: boolean, random: Random, place: string): number {
  const from = Math.max(
    Number.NEGATIVE_INFINITY,
    ...numbers(demand, 'minimum'),
    ...numbers(demand, 'exclusiveMinimum'),
  )
  const to = Math.min(
    Number.POSITIVE_INFINITY,
    ...numbers(demand, 'maximum'),
    ...numbers(demand, 'exclusiveMaximum'),
  )
  const steps = numbers(demand, 'multipleOf')
  const fits = (value: number) =>
    value >= from &&
    value <= to &&
    !numbers(demand, 'exclusiveMinimum').includes(value) &&
    !numbers(demand, 'exclusiveMaximum').includes(value) &&
    (!isWhole || Number.isInteger(value)) &&
    steps.every((step) => Number.isInteger(value / step))
  const [low, high] = room(from, to)
  const step = commonStep(steps, isWhole)
  for (let tried = 0; tried < triesMost; tried++) {
    const value = candidate(low, high, step, isWhole, random)
    const found = [value, rounded(value), low, high, 0].find(fits)
    if (found !== undefined) return found + 0
  }
  throw new NoValueError(place)
}

/** The span that numbers are taken from: what is allowed, or the part of it that is nearest to zero. */
function room(from: number, to: number): readonly [low: number, high: number] {
  if (Number.isFinite(from)) return [from, Math.min(to, from + Math.max(span, Math.abs(from)))]
  if (!Number.isFinite(to)) return [1, span]
  return to > 0 ? [Math.max(0, to - span), to] : [to - Math.max(span, Math.abs(to)), to]
}

/** A step that all multiples are taken of, undefined where any number will do. */
function commonStep(steps: readonly number[], isWhole: boolean): number | undefined {
  const all = isWhole && steps.length > 0 ? [...steps, 1] : steps
  const largest = Math.max(...all)
  if (all.length === 0) return undefined
  for (let factor = 1; factor <= span; factor++) {
    const step = rounded(largest * factor)
    if (all.every((each) => Number.isInteger(step / each))) return step
  }
  return largest
}

function candidate(
  low: number,
  high: number,
  step: number | undefined,
  isWhole: boolean,
  random: Random,
): number {
  if (step !== undefined) return step * random.whole(Math.ceil(low / step), Math.floor(high / step))
  if (isWhole) return random.whole(Math.ceil(low), Math.floor(high))
  const value = low + random.fraction() * (high - low)
  const short = Number(value.toFixed(decimals))
  return short > low && short < high ? short : value
}

/** Without the digits that calculating in binary adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(15))
}
