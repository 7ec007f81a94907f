import { rawIds } from '@concordat/rpc'
import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { pairOracle } from '../oracles/oracles.js'
import type { ComparedPair } from '../oracles/pairs/compare-pair.js'
import type { Difference } from '../oracles/pairs/differences.js'
import type { Head } from '../report/index.js'
import { isSameHead } from '../requests/head-reader.js'
import type { Exchange, Outgoing, Send } from '../send/exchange.js'
import type { HeadQuestion } from '../terms/contract-terms.js'
import { type BlockReader, lowerHead, mayFollowHead, pinCall } from './common-block.js'
import type { Comparison } from './compare-report.js'

/** A deployment, with the means to send requests to it. */
export interface Side {
  readonly url: string
  readonly send: Send
  readonly blocks: BlockReader | undefined
  /**
   * Set if `send` returns answers of a report instead of new ones, with the head when its run began. If the head moved
   * during that run, `blocks` has no head.
   */
  readonly stored: { readonly head: Head | undefined } | undefined
}

/** Options for comparing requests. */
export interface CompareRequestOptions {
  readonly contract: Contract
  readonly checks: Checks
  readonly question: HeadQuestion | undefined
  /** Common block of both deployments; undefined if there is none. */
  readonly commonBlock: Head | undefined
  readonly a: Side
  readonly b: Side
  /** Pauses for some milliseconds. Rejects when the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Returns by how much numbers in results of a method may differ, such as 10 or `10%`; undefined if not at all. */
  readonly toleranceOf: (method: string) => JsonValue | undefined
}

/** A request sent to both deployments, with the comparison. */
export interface RequestComparison {
  readonly calls: readonly SentCall[]
  readonly comparison: Comparison
  readonly reason: string | undefined
  readonly differences: readonly Difference[]
  readonly isWording: boolean
  readonly exchanges: { readonly a: Exchange; readonly b: Exchange }
}

interface SentCall {
  readonly method: string
  readonly params: JsonValue | undefined
}

/** A request as sent to both deployments. */
interface Question {
  readonly calls: readonly SentCall[]
  readonly isBatch: boolean
  /** True when all of its calls are pinned to the common block. */
  readonly isPinned: boolean
  readonly isUnsettled: boolean
  readonly outgoing: Outgoing
}

/** Maximum number of attempts for a request whose answers differ. */
const MOST_TIMES = 4

/**
 * Sends a request to both deployments, pinned to their common block, and compares the answers. Different
 * answers are requested again. They count as different only if nothing moved meanwhile and the differences
 * stayed the same.
 * @returns undefined for a raw request
 * @throws errors of the senders, such as Unreachable
 */
export async function compareRequest(
  outgoing: Outgoing,
  options: CompareRequestOptions,
): Promise<RequestComparison | undefined> {
  const question = questionOf(outgoing, options)
  if (question === undefined) return undefined
  let before: readonly Difference[] | undefined
  // The deployments may cache answers about the head. Those of one attempt expire before the next, and before the heads
  // are read again.
  const expire = async () => {
    if (!question.isPinned) await options.pause(options.question?.cachedMilliseconds ?? 0)
  }
  for (let time = 1; ; time++) {
    const standing = time === 1 ? undefined : await standOf(options)
    const exchanges = await askBoth(question, options)
    const { calls, isBatch } = question
    const found = pairOracle({ ...exchanges, isBatch, methods: calls.map(({ method }) => method) }, options)
    const mayFollow = followsHead(question, found, options)
    const common = { calls: question.calls, exchanges, isWording: found.isWording }
    const as = (
      comparison: Comparison,
      reason?: string,
      differences: readonly Difference[] = [],
    ): RequestComparison => ({
      ...common,
      comparison,
      reason,
      differences,
    })
    if (question.isUnsettled) {
      return as('not-compared', 'the call is about a block that does not exist yet, where answers may differ')
    }
    if (found.unanswered !== undefined) {
      if (time === 1) continue
      return as('unanswered', found.unanswered)
    }
    if (found.differences.length === 0) {
      if (before === undefined || !question.isPinned) return as('alike')
      return as('inconclusive', 'the answers differed at first and were equal in a second attempt', before)
    }
    const apart = time === 1 && mayFollow ? storedApart(options) : undefined
    if (apart !== undefined) return as('inconclusive', apart, found.differences)
    if (standing !== undefined) {
      await expire()
      const moved = movement(standing, await standOf(options), mayFollow)
      const isSame = JSON.stringify(before) === JSON.stringify(found.differences)
      if (moved === undefined && isSame) return as('different', undefined, found.differences)
      if (time === MOST_TIMES) {
        return as(
          'inconclusive',
          moved ?? 'the answers differ in another way in each attempt',
          found.differences,
        )
      }
    } else await expire()
    before = found.differences
  }
}

function questionOf(
  outgoing: Outgoing,
  { contract, checks, question, commonBlock }: CompareRequestOptions,
): Question | undefined {
  if (outgoing.methods === undefined || outgoing.body === undefined) return undefined
  const text = Buffer.from(outgoing.body).toString('utf8')
  const json = JSON.parse(text) as JsonValue
  const items = isArray(json) ? json : [json]
  const ids = rawIds(text)
  const calls = items.map((item) => {
    const call: JsonObject = isObject(item) ? item : {}
    const method = stringMember(call, 'method') ?? ''
    return {
      method,
      ...pinCall(method, member(call, 'params'), contract, question, commonBlock, checks.takes),
    }
  })
  const texts = calls.map(({ method, params }, at) => {
    const rest = params === undefined ? '' : `,"params":${JSON.stringify(params)}`
    return `{"jsonrpc":"2.0","id":${ids[at] ?? 1},"method":${JSON.stringify(method)}${rest}}`
  })
  const isBatch = isArray(json)
  return {
    calls: calls.map(({ method, params }) => ({ method, params })),
    isBatch,
    isPinned: calls.every(({ isPinned }) => isPinned),
    isUnsettled: calls.some(({ isUnsettled }) => isUnsettled),
    outgoing: { ...outgoing, body: Buffer.from(isBatch ? `[${texts.join(',')}]` : texts.join('')) },
  }
}

/** Rejects if either deployment rejects. The error of A takes precedence. */
async function askBoth(
  { outgoing }: Question,
  { a, b }: CompareRequestOptions,
): Promise<RequestComparison['exchanges']> {
  const [one, other] = await Promise.allSettled([
    a.send({ ...outgoing, url: a.url }),
    b.send({ ...outgoing, url: b.url }),
  ])
  if (one.status === 'rejected') throw one.reason
  if (other.status === 'rejected') throw other.reason
  return { a: one.value, b: other.value }
}

/** Heads of both deployments, and their blocks at the common number. */
interface Standing {
  readonly heads: readonly [Head | undefined, Head | undefined]
  readonly blocks: readonly [Head | undefined, Head | undefined]
}

async function standOf({ a, b, commonBlock }: CompareRequestOptions): Promise<Standing> {
  const [one, other] = await Promise.all([a.blocks?.head.read(), b.blocks?.head.read()])
  const at = (side: Side) =>
    commonBlock === undefined ? undefined : side.blocks?.at(blockNumber(commonBlock))
  const [here, there] = await Promise.all([at(a), at(b)])
  return { heads: [one, other], blocks: [here, there] }
}

function blockNumber({ number }: Head): JsonValue {
  return /^\d+$/.test(number) ? Number(number) : number
}

/** Returns why a difference is inconclusive because the chain moved; undefined if nothing moved. */
function movement(before: Standing, after: Standing, mayFollow: boolean): string | undefined {
  const [blockA, blockB] = after.blocks
  const isHeld = (['0', '1'] as const).every((side) => isSameHead(before.blocks[side], after.blocks[side]))
  if (!isHeld || !isSameHead(blockA, blockB)) return 'the compared block changed meanwhile'
  if (!mayFollow) return undefined
  const [a, b] = after.heads
  if (isSameHead(before.heads[0], a) && isSameHead(before.heads[1], b) && isSameHead(a, b)) return undefined
  return headsApart(a, b)
}

function headsApart(a: Head | undefined, b: Head | undefined): string {
  const text = (head: Head | undefined) => (head === undefined ? 'unknown' : `${head.number} (${head.hash})`)
  return `the call depends on the head, which differed or moved: A ${text(a)}, B ${text(b)}`
}

/** Returns why a difference is inconclusive whose stored answer was given at another head; undefined otherwise. */
function storedApart({ a, b }: CompareRequestOptions): string | undefined {
  if (a.stored === undefined && b.stored === undefined) return undefined
  const [one, other] = [a.blocks?.head.last(), b.blocks?.head.last()]
  return one !== undefined && isSameHead(one, other) ? undefined : headsApart(one, other)
}

/** True for a difference that another head may explain. Live answers to calls that are not pinned may all depend on it. */
function followsHead(
  { calls, isPinned }: Question,
  { isOneRefused }: ComparedPair,
  { a, b, contract, question, checks: { takes } }: CompareRequestOptions,
): boolean {
  if (a.stored === undefined && b.stored === undefined) return !isPinned
  if (question === undefined) return false
  const lower = lowerHead(startOf(a), startOf(b))
  return calls.some((call) => mayFollowHead(call, isOneRefused, lower, { contract, question, takes }))
}

/** The head of a side before its answers were given, or the latest that was read. */
export function startOf({ stored, blocks }: Side): Head | undefined {
  return stored === undefined ? blocks?.head.last() : stored.head
}
