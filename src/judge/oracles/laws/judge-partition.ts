import { isDeepStrictEqual } from 'node:util'
import {
  isArray,
  type JsonObject,
  type JsonValue,
  type Law,
  replacedAt,
  type Tokens,
  toQuantity,
} from '../../../toolkit/contract/index.js'
import { count } from '../../report/index.js'
import { decimalOf } from './amounts.js'
import { isNumber } from './judge-request.js'
import {
  type Asking,
  attemptsMost,
  type LawAnswer,
  type LawCalls,
  LawViolated,
  parametersTried,
} from './law-calls.js'
import { stableResult } from './stable-result.js'
import { valueIn } from './values-at.js'

type Partition = Extract<Law, { kind: 'partition' }>

/** A call with a range. */
interface Range {
  readonly params: JsonObject
  readonly from: bigint
  readonly to: bigint
  /** The parameters without the range, as JSON. */
  readonly rest: string
  /** Length of the result as JSON text, in characters; 0 if unknown. */
  readonly size: number
}

/** A range, and consecutive parts that cover it. */
interface Comparison {
  readonly whole: Range
  readonly parts: readonly JsonObject[]
}

/**
 * Judges that the list of a range equals the joined lists of its parts. Compares the widest range that contains a
 * shorter range of the calls, and the range with the longest result, which is compared with its halves.
 * @returns why nothing was judged; undefined if at least one comparison had items
 * @throws LawViolated if the lists differ
 */
export function* judgePartition(law: Partition, calls: LawCalls): Asking<string | undefined> {
  const { method } = calls.stated
  const sizes = new Map(calls.answers.calls(method).map(({ params, size }) => [params, size]))
  const ranges = calls.parametersOf(method).flatMap((params) => rangeOf(law, params, sizes.get(params) ?? 0))
  let judged = 0
  for (const candidates of comparisonsOf(law, ranges)) {
    for (const comparison of candidates.slice(0, parametersTried)) {
      if (!(yield* compare(law, comparison, calls))) continue
      judged += 1
      break
    }
  }
  return judged > 0 ? undefined : `no call of ${method.name} with a range gave a list with an item`
}

function rangeOf({ from, to }: Partition, params: JsonObject, size: number): readonly Range[] {
  const [first, last] = [numberAt(params, from), numberAt(params, to)]
  if (first === undefined || last === undefined || last < first) return []
  const rest = JSON.stringify(replaced(replaced(params, from, null), to, null))
  return [{ params, from: first, to: last, rest, size }]
}

/** Lists the comparisons of both kinds, the best one first. The service may refuse one, such as too long a range. */
function comparisonsOf(law: Partition, ranges: readonly Range[]): readonly (readonly Comparison[])[] {
  const width = ({ from, to }: Range) => to - from
  const widest = ranges.toSorted((one, other) => (width(one) > width(other) ? -1 : 1))
  const within = widest.flatMap((whole): readonly Comparison[] => {
    const [inner] = ranges
      .filter(({ rest, from, to }) => rest === whole.rest && from >= whole.from && to <= whole.to)
      .filter((range) => width(range) < width(whole))
      .toSorted((one, other) => other.size - one.size)
    return inner === undefined ? [] : [{ whole, parts: partsAround(law, whole, inner) }]
  })
  const halves = ranges
    .filter((range) => width(range) > 0n)
    .map((whole) => {
      const middle = (whole.from + whole.to) / 2n
      return {
        whole,
        parts: [ranged(law, whole, whole.from, middle), ranged(law, whole, middle + 1n, whole.to)],
      }
    })
  return [within, halves]
}

/** Returns the inner range, and the ranges before and after it. */
function partsAround(law: Partition, whole: Range, { from, to }: Range): readonly JsonObject[] {
  return [
    ...(from > whole.from ? [ranged(law, whole, whole.from, from - 1n)] : []),
    ranged(law, whole, from, to),
    ...(to < whole.to ? [ranged(law, whole, to + 1n, whole.to)] : []),
  ]
}

/**
 * Compares the lists. Returns false if an answer has no list, such as the refusal of a long range, or no list has
 * items.
 */
function* compare(law: Partition, { whole, parts }: Comparison, calls: LawCalls): Asking<boolean> {
  const { method } = calls.stated
  const listOf = ({ result }: LawAnswer) => {
    const list = result === undefined ? undefined : valueIn(stableResult(method, result), law.list)
    return isArray(list) ? list : undefined
  }
  for (let attempt = 1; ; attempt++) {
    // The first attempt may use answers of other cases, which can be older. If the lists differ, all are asked for
    // again.
    const isShared = attempt === 1
    const before = yield* calls.call(method, whole.params, isShared)
    const all = listOf(before)
    if (all === undefined) return false
    const lists = []
    for (const part of parts) lists.push(listOf(yield* calls.call(method, part, isShared)))
    if (lists.includes(undefined)) return false
    const joined = lists.flatMap((list) => list ?? [])
    if (isDeepStrictEqual(joined, all)) return joined.length > 0
    const again = listOf(yield* calls.call(method, whole.params))
    if (isDeepStrictEqual(again, all)) {
      const expected = `the ${count(joined.length)} items of the ranges ${parts.map((part) => rangeText(law, part)).join(', ')} together`
      const where = `/result${law.list.map((token) => `/${token}`).join('')}`
      throw new LawViolated(before.step, { where, expected, got: differenceText(all, joined) })
    }
    if (attempt === attemptsMost) throw calls.changing(method)
  }
}

function differenceText(all: readonly JsonValue[], joined: readonly JsonValue[]): string {
  if (all.length !== joined.length) return `${count(all.length)} items`
  const at = all.findIndex((item, index) => !isDeepStrictEqual(item, joined[index]))
  return `another item ${at + 1}`
}

function rangeText({ from, to }: Partition, params: JsonObject): string {
  return `${valueIn(params, from)} to ${valueIn(params, to)}`
}

function ranged({ from, to }: Partition, { params }: Range, first: bigint, last: bigint): JsonObject {
  const like = (path: Tokens, value: bigint): JsonValue =>
    typeof valueIn(params, path) === 'number' ? Number(value) : toQuantity(value)
  return replaced(replaced(params, from, like(from, first)), to, like(to, last))
}

function replaced(params: JsonObject, path: Tokens, value: JsonValue): JsonObject {
  return replacedAt(params, path, value) as JsonObject
}

function numberAt(params: JsonObject, path: Tokens): bigint | undefined {
  const value = valueIn(params, path)
  const number = isNumber(value) ? decimalOf(value) : undefined
  return number?.scale === 0 ? number.units : undefined
}
