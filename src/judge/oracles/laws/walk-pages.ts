import { isDeepStrictEqual } from 'node:util'
import {
  isArray,
  type JsonObject,
  type JsonValue,
  type Law,
  type Method,
} from '../../../toolkit/contract/index.js'
import { count, describe, type Finding } from '../../report/index.js'
import { decimalOf, isEqual } from './amounts.js'
import { judgeResult } from './judge-result.js'
import {
  type Asking,
  attemptsMost,
  distinct,
  type LawCalls,
  LawViolated,
  parametersTried,
} from './law-calls.js'
import { sentParams } from './law-params.js'
import { stableResult } from './stable-result.js'
import { valueIn, valuesAt } from './values-at.js'

export type Pages = Extract<Law, { kind: 'pages' }>

/** Joined pages of a list. */
export interface Walk {
  readonly items: readonly JsonValue[]
  /** Number of the call that returned each item. */
  readonly steps: readonly number[]
  /** True if the last page was reached. */
  readonly isWhole: boolean
  /** Number of the last call. */
  readonly last: number
  /** The totals that the pages state, with the number of the call and the JSON pointer. */
  readonly totals: readonly { readonly step: number; readonly pointer: string; readonly value: JsonValue }[]
}

/** Sizes of the pages that should contain the whole list, the largest valid one first. */
const largestSizes = [1000, 500, 250, 200, 100, 50, 25, 20, 10, 5]
/** Calls for one list. */
const pagesMost = 8

/** Judges that the pages of a list join to the whole. Returns the reason if no list was long enough. */
export function* judgePages(law: Pages, calls: LawCalls): Asking<string | undefined> {
  const { method } = calls.stated
  let judged = 0
  for (const rest of distinct(
    [...calls.parametersOf(method), {}].map((named) => withoutPage(law, named)),
  ).slice(0, parametersTried)) {
    if (yield* judgeList(law, method, rest, calls)) judged++
  }
  return judged > 0 ? undefined : `no call of ${method.name} gave a list with two items`
}

/** Parameters without those that select a page. */
export function withoutPage({ size, step }: Pages, named: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(named).filter(([name]) => name !== size && name !== step.param))
}

/** Returns false if the list has fewer than two items. */
function* judgeList(law: Pages, method: Method, rest: JsonObject, calls: LawCalls): Asking<boolean> {
  for (let attempt = 1; ; attempt++) {
    const whole = yield* largePages(law, method, rest, calls)
    if (whole === undefined || whole.items.length < 2) return false
    const wrong = totalFinding(whole) ?? (yield* joinFinding(law, method, rest, whole, calls))
    if (wrong === undefined) return true
    const again = yield* largePages(law, method, rest, calls)
    const isSame = again !== undefined && isDeepStrictEqual(again.items, whole.items)
    if (isSame) throw new LawViolated(wrong.step, wrong.finding)
    if (attempt === attemptsMost) throw calls.changing(method)
  }
}

/** Joins pages of the largest valid size. */
export function* largePages(
  law: Pages,
  method: Method,
  rest: JsonObject,
  calls: LawCalls,
): Asking<Walk | undefined> {
  const size = largestSizes.find((size) => takes(method, { ...rest, ...pageOf(law, method, size) }, calls))
  return size === undefined ? undefined : yield* walkPages(law, method, rest, size, calls)
}

/**
 * Returns the parameters that select a page.
 * @param next position after the previous page; undefined for the first page, whose position is sent only if required
 */
function pageOf({ size: name, step }: Pages, { params }: Method, size: number, next?: JsonValue): JsonObject {
  const isRequired = params.find((param) => param.name === step.param)?.required === true
  const first = step.kind === 'cursor' || !isRequired ? undefined : step.kind === 'offset' ? 0 : step.first
  const position = next ?? first
  return { [name]: size, ...(position !== undefined && { [step.param]: position }) }
}

function takes(method: Method, named: JsonObject, { checks }: LawCalls): boolean {
  const sent = sentParams(method, named)
  return sent !== undefined && checks.takes(method.name, sent)
}

interface Wrong {
  readonly step: number
  readonly finding: Finding
}

function totalFinding({ items, isWhole, totals }: Walk): Wrong | undefined {
  const length = { units: BigInt(items.length), scale: 0 }
  const wrong = isWhole
    ? totals.find(({ value }) => {
        const total = decimalOf(value)
        return total !== undefined && !isEqual(total, length, false)
      })
    : undefined
  if (wrong === undefined) return undefined
  const expected = `${count(items.length)}, the number of items of the whole list`
  return {
    step: wrong.step,
    finding: { where: `/result${wrong.pointer}`, expected, got: describe(wrong.value) },
  }
}

/** Compares smaller pages with the whole list. */
function* joinFinding(
  law: Pages,
  method: Method,
  rest: JsonObject,
  whole: Walk,
  calls: LawCalls,
): Asking<Wrong | undefined> {
  const { length } = whole.items
  const sizes = new Set([Math.ceil(length / 4), Math.ceil(length / 2), 1])
  for (const size of sizes) {
    if (size >= length || !takes(method, { ...rest, ...pageOf(law, method, size) }, calls)) continue
    const walk = yield* walkPages(law, method, rest, size, calls)
    const wrong =
      (walk && (difference(walk, whole, size) ?? totalFinding({ ...whole, totals: walk.totals }))) ??
      undefined
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function difference(walk: Walk, whole: Walk, size: number): Wrong | undefined {
  const { items, steps, isWhole, last } = walk
  const compared = Math.min(items.length, whole.items.length)
  const at = items.slice(0, compared).findIndex((item, index) => !isDeepStrictEqual(item, whole.items[index]))
  const place = (index: number) => `item ${index + 1} of joined pages of ${size}`
  if (at >= 0) {
    const before = items.slice(0, at).findIndex((item) => isDeepStrictEqual(item, items[at]))
    // The whole list may have equal items, for example if only a few members of each item are returned.
    const isAgain = before >= 0 && timesOf(items[at], items) > timesOf(items[at], whole.items)
    const got = `${describe(items[at])}${isAgain ? ` again, which is item ${before + 1} already` : ''}`
    const expected = `${describe(whole.items[at])}, as in the whole list`
    return { step: steps[at] ?? last, finding: { where: place(at), expected, got } }
  }
  if (isWhole && items.length < whole.items.length) {
    const expected = `${describe(whole.items[items.length])}, as in the whole list`
    return { step: last, finding: { where: place(items.length), expected, got: 'the end of the list' } }
  }
  if (whole.isWhole && items.length > whole.items.length) {
    const got = describe(items[whole.items.length])
    const expected = 'the end of the list, as in the whole list'
    return {
      step: steps[whole.items.length] ?? last,
      finding: { where: place(whole.items.length), expected, got },
    }
  }
  return undefined
}

function timesOf(item: JsonValue | undefined, items: readonly JsonValue[]): number {
  return items.filter((other) => isDeepStrictEqual(item, other)).length
}

/** Asks for one page after the other. Returns undefined if the first one gives an error. */
function* walkPages(
  law: Pages,
  method: Method,
  rest: JsonObject,
  size: number,
  calls: LawCalls,
): Asking<Walk | undefined> {
  const items: JsonValue[] = []
  const steps: number[] = []
  const totals: Walk['totals'][number][] = []
  let next: JsonValue | undefined
  for (let page = 0; ; page++) {
    const named = { ...rest, ...pageOf(law, method, size, next) }
    const { step, result, error } = yield* calls.call(method, named)
    if (result === undefined) {
      if (page === 0) return undefined
      // A service may refuse a position after the end.
      if (law.step.kind !== 'cursor') return { items, steps, totals, isWhole: true, last: step }
      const expected = 'a page, as its cursor is from the page before'
      throw new LawViolated(step, { where: '/error', expected, got: error ?? 'an error' })
    }
    const verdict = judgeResult(law, method, named, result)
    if (typeof verdict === 'object') throw new LawViolated(step, verdict)
    const list = valueIn(stableResult(method, result), law.list)
    const found = isArray(list) ? list : []
    items.push(...found)
    steps.push(...found.map(() => step))
    const [total] = law.total === undefined ? [] : valuesAt(result, law.total)
    if (total !== undefined) totals.push({ step, ...total })
    next = nextPosition(law, page, size, result)
    const isEnd = law.step.kind === 'cursor' ? next === undefined : found.length === 0
    if (isEnd || page + 1 === pagesMost) return { items, steps, totals, isWhole: isEnd, last: step }
  }
}

function nextPosition({ step }: Pages, page: number, size: number, result: JsonValue): JsonValue | undefined {
  if (step.kind === 'offset') return (page + 1) * size
  if (step.kind === 'page') return step.first + page + 1
  const next = valueIn(result, step.next)
  return next === null || next === '' ? undefined : next
}
