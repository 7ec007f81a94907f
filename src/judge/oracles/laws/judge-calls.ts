import { isDeepStrictEqual } from 'node:util'
import {
  isArray,
  type JsonObject,
  type JsonValue,
  type Law,
  type LawCall,
  type Method,
} from '../../../toolkit/contract/index.js'
import { describe } from '../../report/index.js'
import { judgeParts } from './judge-result.js'
import { type Asking, attemptsMost, type LawCalls, LawViolated, parametersTried } from './law-calls.js'
import { filledParams } from './law-params.js'
import { stableResult } from './stable-result.js'
import { valueIn, valuesAt } from './values-at.js'
import { largePages, type Pages, withoutPage } from './walk-pages.js'

type FirstOf = Extract<Law, { kind: 'first-of' }>
type AddsUp = Extract<Law, { kind: 'adds-up' }> & { readonly of: LawCall }
type UndoneBy = Extract<Law, { kind: 'undone-by' }>

/** Compares a result with another call's list. The answers before and after the other call must be the same. */
function* comparedWith(
  calls: LawCalls,
  params: JsonObject,
  compare: (own: JsonValue) => Asking<'nothing' | 'follows' | LawViolated>,
): Asking<boolean> {
  const { method } = calls.stated
  for (let attempt = 1; ; attempt++) {
    const before = yield* calls.call(method, params)
    const verdict = yield* compare(before.result ?? null)
    if (typeof verdict === 'string') return verdict === 'follows'
    const after = yield* calls.call(method, params)
    const isSame =
      before.error === after.error &&
      isDeepStrictEqual(
        stableResult(method, before.result ?? null),
        stableResult(method, after.result ?? null),
      )
    if (isSame) throw new LawViolated(before.step, verdict.finding)
    if (attempt === attemptsMost) throw calls.changing(method)
  }
}

/** Judges that a call returns the first item of a list. Returns the reason if there was nothing to compare. */
export function* judgeFirst(
  { of, list, first, result: own }: FirstOf,
  calls: LawCalls,
): Asking<string | undefined> {
  const { method } = calls.stated
  let judged = 0
  for (const params of calls.parametersOf(method).slice(0, parametersTried)) {
    const isJudged = yield* comparedWith(calls, params, function* (result) {
      const { result: other, step } = yield* calls.call(of.method, filledParams(of, params, result))
      const items = other === undefined ? undefined : valueIn(other, list)
      if (!isArray(items)) return 'nothing'
      const actual = valueIn(result, own) ?? null
      const expected = items.length === 0 ? null : (valueIn(items[0] ?? null, first) ?? null)
      if (isDeepStrictEqual(actual, expected)) return 'follows'
      const where = `/result${own.map((token) => `/${token}`).join('')}`
      const wanted =
        items.length === 0
          ? `null, because ${of.method.name} returns an empty list`
          : `${describe(expected)}, the first item of ${of.method.name}`
      return new LawViolated(step, { where, expected: wanted, got: describe(actual) })
    })
    judged += Number(isJudged)
  }
  return judged > 0 ? undefined : `no call of ${method.name} and ${of.method.name} gave a result to compare`
}

/** Judges that a total is the sum of parts that another call returns. */
export function* judgeSum(law: AddsUp, calls: LawCalls): Asking<string | undefined> {
  const { method } = calls.stated
  const { of } = law
  let judged = 0
  for (const params of calls.parametersOf(method).slice(0, parametersTried)) {
    const isJudged = yield* comparedWith(calls, params, function* (result) {
      const parts = yield* partsOf(law, filledParams(of, params, result), calls)
      if (parts === undefined) return 'nothing'
      const verdict = judgeParts(law, result, parts)
      return typeof verdict === 'string' ? verdict : new LawViolated(1, verdict)
    })
    judged += Number(isJudged)
  }
  return judged > 0 ? undefined : `no call of ${method.name} and ${of.method.name} gave numbers to compare`
}

/** Returns the parts in the other call's result, or in all of its pages. */
function* partsOf(
  { of, parts }: AddsUp,
  params: JsonObject,
  calls: LawCalls,
): Asking<readonly JsonValue[] | undefined> {
  const pages = pagesOf(of.method, calls)
  const depth = pages?.list.length ?? 0
  const isInPages =
    pages !== undefined && isDeepStrictEqual(parts.slice(0, depth), pages.list) && parts[depth] === '*'
  if (!isInPages) {
    const { result } = yield* calls.call(of.method, params)
    return result === undefined ? undefined : valuesAt(result, parts).map(({ value }) => value)
  }
  const walk = yield* largePages(pages, of.method, withoutPage(pages, params), calls)
  if (walk?.isWhole !== true) return undefined
  return walk.items.flatMap((item) => valuesAt(item, parts.slice(depth + 1)).map(({ value }) => value))
}

/** The law about the pages of a method, if it has one. */
function pagesOf({ name }: Method, { answers }: LawCalls): Pages | undefined {
  return answers.laws(name).flatMap(({ law }) => (law?.kind === 'pages' ? [law] : []))[0]
}

/** What the observed calls of a law returned. */
interface Observed {
  readonly results: readonly JsonValue[]
  readonly steps: readonly number[]
}

/** Judges that another call undoes a call, by what observed calls return before and after. */
export function* judgeUndone(law: UndoneBy, calls: LawCalls): Asking<string | undefined> {
  const { method } = calls.stated
  let refused: string | undefined
  for (const params of calls.parametersOf(method, true).slice(0, parametersTried)) {
    for (let attempt = 1; ; attempt++) {
      const outcome = yield* undoneOnce(law, method, params, calls, attempt > 1)
      if (typeof outcome === 'string') refused = outcome
      if (outcome === undefined) return undefined
      if (typeof outcome === 'string') break
      // Other programs may have changed the same. A fault shows itself again.
      if (attempt === attemptsMost) throw outcome
    }
  }
  return refused ?? `no parameters of ${method.name} are known: add an example`
}

/**
 * Does and undoes a call once.
 * @param isSteady true to look twice before, so that changes by other programs are noticed
 * @returns a violation, or the reason why nothing was judged
 */
function* undoneOnce(
  law: UndoneBy,
  method: Method,
  params: JsonObject,
  calls: LawCalls,
  isSteady: boolean,
): Asking<LawViolated | string | undefined> {
  const observe = function* (): Asking<Observed> {
    const answers = []
    for (const call of law.observe)
      answers.push(yield* calls.call(call.method, filledParams(call, params, undefined)))
    return {
      results: answers.map(({ result, error }, at) => {
        const observed = law.observe[at]?.method
        return result === undefined || observed === undefined
          ? (error ?? null)
          : stableResult(observed, result)
      }),
      steps: answers.map(({ step }) => step),
    }
  }
  const before = yield* observe()
  if (isSteady && changed(before, yield* observe()) >= 0) throw calls.changing(method)
  const done = yield* calls.call(method, params)
  if (done.result === undefined) return `${method.name} gave ${done.error}`
  const between = yield* observe()
  const undone = yield* calls.call(law.by.method, filledParams(law.by, params, done.result))
  if (undone.result === undefined) {
    const expected = `a result, because it undoes ${method.name}`
    return new LawViolated(undone.step, { where: '/error', expected, got: undone.error ?? 'an error' })
  }
  const after = yield* observe()
  const names = law.observe.map((call) => call.method.name)
  if (changed(before, between) < 0) {
    const expected = `another result of ${names.join(' or ')} after ${method.name}`
    return new LawViolated(between.steps[0] ?? done.step, {
      where: '/result',
      expected,
      got: 'the same as before',
    })
  }
  const at = changed(before, after)
  if (at < 0) return undefined
  const [where, was, is] = firstDifference(before.results[at] ?? null, after.results[at] ?? null, '/result')
  const expected = `${describe(was)}, as ${names[at]} returned before ${method.name}`
  return new LawViolated(after.steps[at] ?? undone.step, { where, expected, got: describe(is) })
}

/** Returns the number of the first differing result, from 0; -1 if there is none. */
function changed(one: Observed, other: Observed): number {
  return one.results.findIndex((result, at) => !isDeepStrictEqual(result, other.results[at]))
}

/** Finds the first value that differs. */
function firstDifference(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
  where: string,
): readonly [where: string, one: JsonValue | undefined, other: JsonValue | undefined] {
  const areObjects = [one, other].every((value) => typeof value === 'object' && value !== null)
  if (!areObjects || isArray(one ?? null) !== isArray(other ?? null)) return [where, one, other]
  const [first, second] = [one, other].map((value) => new Map(Object.entries(value ?? {})))
  for (const name of new Set([...(first?.keys() ?? []), ...(second?.keys() ?? [])])) {
    const [was, is] = [first?.get(name), second?.get(name)]
    if (!isDeepStrictEqual(was, is)) return firstDifference(was, is, `${where}/${name}`)
  }
  return [where, one, other]
}
