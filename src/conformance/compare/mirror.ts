import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringMember,
} from '../../contract/index.js'
import { rawIds } from '../../rpc/index.js'
import { replyView } from '../expect/reply-view.js'
import { isSameHead } from '../run/answer/head-reader.js'
import type { HeadQuestion } from '../run/plan/contract-terms.js'
import { notRunReason } from '../run/result/not-run-reason.js'
import type { Head } from '../run/result/report.js'
import type { Exchange, Outgoing, Send } from '../send/exchange.js'
import type { Comparison } from './compare-report.js'
import { compareAnswers, type Difference } from './differences.js'
import { exactJson } from './exact-json.js'
import { type Ground, pinCall } from './pin.js'

/** A deployment: where it is, and how it is asked. */
export interface Side {
  readonly url: string
  readonly send: Send
  readonly ground: Ground | undefined
}

/** What requests are compared by. */
export interface MirrorOptions {
  readonly contract: Contract
  readonly question: HeadQuestion | undefined
  /** What both have; undefined where there is no such place. */
  readonly place: Head | undefined
  readonly a: Side
  readonly b: Side
}

/** A request that both got, and what became of it. */
export interface Mirrored {
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

/** A request as it is sent to both. */
interface Question {
  readonly calls: readonly SentCall[]
  readonly isBatch: boolean
  /** All of its calls are about the common place. */
  readonly isPinned: boolean
  readonly isUnsettled: boolean
  readonly outgoing: Outgoing
}

/** Times that a request whose answers differ is sent again, until it is known why. */
const MOST_TIMES = 4

/**
 * Sends a request of calls to both deployments, about the place that both have, and compares the answers. What differs
 * is asked again: only what differs while nothing moves, and differs in the same way, is a difference.
 * @throws what the senders throw where the first one has nothing to say; undefined where it is no request of calls
 */
export async function mirror(outgoing: Outgoing, options: MirrorOptions): Promise<Mirrored | undefined> {
  const question = questionOf(outgoing, options)
  if (question === undefined) return undefined
  let before: readonly Difference[] | undefined
  for (let time = 1; ; time++) {
    const standing = time === 1 ? undefined : await standOf(options)
    const exchanges = await askBoth(question, options)
    const found = compared(question, exchanges, options.contract)
    const told = { calls: question.calls, exchanges, isWording: found.isWording }
    const as = (
      comparison: Comparison,
      reason?: string,
      differences: readonly Difference[] = [],
    ): Mirrored => ({
      ...told,
      comparison,
      reason,
      differences,
    })
    if (question.isUnsettled) {
      return as('not-compared', 'it asks for what is not settled yet, which the contract lets differ')
    }
    if (found.unanswered !== undefined) {
      if (time === 1) continue
      return as('unanswered', found.unanswered)
    }
    if (found.differences.length === 0) {
      if (before === undefined || !question.isPinned) return as('alike')
      return as('inconclusive', 'the answers differed, and were alike when they were asked for again', before)
    }
    if (standing !== undefined) {
      const moved = movement(standing, await standOf(options), question)
      const isSame = JSON.stringify(before) === JSON.stringify(found.differences)
      if (moved === undefined && isSame) return as('different', undefined, found.differences)
      if (time === MOST_TIMES) {
        return as('inconclusive', moved ?? 'the answers differ in another way each time', found.differences)
      }
    }
    before = found.differences
  }
}

function questionOf(outgoing: Outgoing, { contract, question, place }: MirrorOptions): Question | undefined {
  if (outgoing.methods === undefined || outgoing.body === undefined) return undefined
  const text = Buffer.from(outgoing.body).toString('utf8')
  const json = JSON.parse(text) as JsonValue
  const items = isArray(json) ? json : [json]
  const ids = rawIds(text)
  const calls = items.map((item) => {
    const call: JsonObject = isObject(item) ? item : {}
    const method = stringMember(call, 'method') ?? ''
    return { method, ...pinCall(method, member(call, 'params'), contract, question, place) }
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

/** One that was not let out to either is not compared; one that only the second did not get was not answered by it. */
async function askBoth({ outgoing }: Question, { a, b }: MirrorOptions): Promise<Mirrored['exchanges']> {
  const [one, other] = await Promise.allSettled([
    a.send({ ...outgoing, url: a.url }),
    b.send({ ...outgoing, url: b.url }),
  ])
  if (one.status === 'rejected') throw one.reason
  if (other.status === 'rejected') throw other.reason
  return { a: one.value, b: other.value }
}

interface Compared {
  /** Why there is nothing to compare: a sentence. */
  readonly unanswered: string | undefined
  readonly differences: readonly Difference[]
  readonly isWording: boolean
}

function compared(question: Question, { a, b }: Mirrored['exchanges'], contract: Contract): Compared {
  const [one, other] = [answersIn(a, question), answersIn(b, question)]
  const troubles = [
    ...('trouble' in one ? [`A: ${one.trouble}`] : []),
    ...('trouble' in other ? [`B: ${other.trouble}`] : []),
  ]
  if ('trouble' in one || 'trouble' in other) {
    return { unanswered: troubles.join('; '), differences: [], isWording: false }
  }
  const status = (exchange: Exchange) => String(exchange.reply?.status)
  const differences: Difference[] =
    status(a) === status(b) ? [] : [{ where: 'status', a: status(a), b: status(b) }]
  if (one.isList !== other.isList || one.answers.length !== other.answers.length) {
    const words = ({ isList, answers }: Answers) =>
      isList ? `a list of ${answers.length} answers` : 'one answer'
    differences.push({ where: 'body', a: words(one), b: words(other) })
    return { unanswered: undefined, differences, isWording: false }
  }
  const each = one.answers.map((answer, at) =>
    compareAnswers(
      answer,
      other.answers[at] ?? null,
      one.isList || !question.isBatch ? volatileOf(contract, question.calls[at]?.method) : [],
      one.isList ? `/items/${at}` : '',
    ),
  )
  return {
    unanswered: undefined,
    differences: [...differences, ...each.flatMap((likeness) => likeness.differences)],
    isWording: each.some(({ isWording }) => isWording),
  }
}

interface Answers {
  /** In the order of the calls, where ids tell it. */
  readonly answers: readonly JsonValue[]
  readonly isList: boolean
}

/** HTTP statuses that say that something could not answer, whatever stands in the body. */
const isServerFailure = (status: number) => status === 429 || status >= 500

function answersIn(exchange: Exchange, question: Question): Answers | { readonly trouble: string } {
  const { reply, trouble } = exchange
  if (reply === undefined) return { trouble: trouble?.message ?? 'no answer came' }
  if (isServerFailure(reply.status)) return { trouble: `HTTP ${reply.status} says that it cannot answer` }
  const { json, text, ids } = replyView(reply)
  const isAnswer = (value: JsonValue) =>
    isObject(value) && (member(value, 'result') !== undefined || member(value, 'error') !== undefined)
  const list = isArray(json) ? json : [json]
  if (
    json === undefined ||
    text === undefined ||
    !list.every((item) => item !== undefined && isAnswer(item))
  ) {
    return { trouble: `HTTP ${reply.status} without a JSON-RPC answer` }
  }
  const exact = exactJson(text)
  if (!isArray(exact)) return { answers: [exact], isList: false }
  const sent = rawIds(Buffer.from(question.outgoing.body ?? []).toString('utf8'))
  const isTold = new Set(sent).size === sent.length && sent.every((id) => ids.includes(id))
  const order =
    isTold && sent.length === exact.length ? sent.map((id) => ids.indexOf(id)) : exact.map((_, at) => at)
  return { answers: order.map((at) => exact[at] ?? null), isList: true }
}

function volatileOf({ methods }: Contract, name: string | undefined): readonly string[] {
  const list = methods.find((method) => method.name === name)?.extensions['x-volatile']
  return isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

/** What both stand on: their heads, and what they have at the common place. */
interface Standing {
  readonly heads: readonly [Head | undefined, Head | undefined]
  readonly places: readonly [Head | undefined, Head | undefined]
}

async function standOf({ a, b, place }: MirrorOptions): Promise<Standing> {
  const [one, other] = await Promise.all([a.ground?.head.read(), b.ground?.head.read()])
  const at = (side: Side) => (place === undefined ? undefined : side.ground?.at(placeNumber(place)))
  const [here, there] = await Promise.all([at(a), at(b)])
  return { heads: [one, other], places: [here, there] }
}

function placeNumber({ number }: Head): JsonValue {
  return /^\d+$/.test(number) ? Number(number) : number
}

/** Why a difference says nothing, as what was asked about moved; undefined where nothing did. */
function movement(before: Standing, after: Standing, { isPinned }: Question): string | undefined {
  const [placeA, placeB] = after.places
  const isHeld = (['0', '1'] as const).every((side) => isSameHead(before.places[side], after.places[side]))
  if (!isHeld || !isSameHead(placeA, placeB))
    return 'what both had at the block that was asked about changed meanwhile'
  if (isPinned) return undefined
  const [a, b] = after.heads
  if (isSameHead(before.heads[0], a) && isSameHead(before.heads[1], b) && isSameHead(a, b)) return undefined
  const text = (head: Head | undefined) => (head === undefined ? 'unknown' : `${head.number} (${head.hash})`)
  return `it depends on the head, which was not the same or moved: A ${text(a)}, B ${text(b)}`
}

/** Why a request was not sent, where an error says so. */
export function notSentReason(error: unknown): string | undefined {
  return notRunReason(error)
}
