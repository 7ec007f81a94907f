import { isArray, isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import { describe, type Head } from '../report/index.js'
import { capture } from '../scenario/capture.js'
import { type Exchange, isUnanswered, NotSent, type Outgoing, type Send } from '../send/exchange.js'
import { replyView } from '../send/reply-view.js'
import type { Target } from '../send/target.js'
import type { HeadQuestion } from '../terms/contract-terms.js'
import { runDefaults } from '../terms/run-defaults.js'
import type { SentCall } from './build-request.js'
import { AccessRefused } from './contact.js'
import { Interrupted } from './interrupted.js'

/** Reads the head of the chain or service under test. */
export interface HeadReader {
  /** Latest head that was read. */
  readonly last: () => Head | undefined
  /** Latest head that was read before a time, in milliseconds of `performance.now()`. */
  readonly before: (time: number) => Head | undefined
  /**
   * Reads the head. Resolves to undefined without `x-head`, when safe mode refuses the request, and for an
   * unusable answer.
   */
  readonly read: () => Promise<Head | undefined>
  /**
   * Reads the head for the first time.
   * @throws AccessRefused for HTTP 401 and 403
   */
  readonly readFirst: () => Promise<Head | undefined>
  /** Longest time for which an answer about the head is cached, in milliseconds. */
  readonly cachedMilliseconds: number
}

/**
 * Creates a reader of the head.
 * @param question `x-head` of the contract
 */
export function createHeadReader(
  question: HeadQuestion | undefined,
  target: Target,
  send: Send,
  nextId: () => number,
): HeadReader {
  const known: { readonly head: Head; readonly from: number }[] = []
  const last = () => known.at(-1)?.head
  const read = async (look: (exchange: Exchange) => void = () => {}) => {
    if (question === undefined) return undefined
    const exchange = await sent(send, readRequest(question, target, nextId()))
    if (exchange !== undefined) look(exchange)
    const head = exchange && headIn(exchange, question)
    if (head !== undefined && !isSameHead(head, last())) known.push({ head, from: performance.now() })
    return head
  }
  return {
    last,
    before: (time) => known.findLast(({ from }) => from <= time)?.head,
    read: () => read(),
    readFirst: () => read(refuseAccess),
    cachedMilliseconds: question?.cachedMilliseconds ?? 0,
  }
}

/** Reads the head once; undefined for an unusable answer. */
export function headNow(
  question: HeadQuestion,
  target: Target,
  send: Send,
  nextId: () => number,
): Promise<Head | undefined> {
  return createHeadReader(question, target, send, nextId).read()
}

/** Reads the block with a number as a head; undefined if there is none or the answer is unusable. */
export function headAt(
  number: JsonValue,
  question: HeadQuestion,
  target: Target,
  send: Send,
  nextId: () => number,
): Promise<Head | undefined> {
  const params = question.params.map((param) => (question.moving.includes(param) ? number : param))
  return headNow({ ...question, params }, target, send, nextId)
}

/** Context for checking whether the target answers again. */
export interface AnswerProbe {
  /** `x-head` of the contract. Without it, no request is sent. */
  readonly question: HeadQuestion | undefined
  readonly target: Target
  readonly send: Send
  readonly nextId: () => number
  /** Pauses for some milliseconds. Rejects when the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
}

/** Polls the head until the target answers or sending is no longer allowed. */
export async function untilAnswered(probe: AnswerProbe): Promise<void> {
  const { question, target, send, nextId, pause } = probe
  while (question !== undefined) {
    const exchange = await sent(send, readRequest(question, target, nextId()))
    if (!isUnanswered(exchange?.trouble)) return
    await pause(runDefaults.pauseBeforeAskingAgain)
  }
}

/**
 * Checks the first exchange for a refusal.
 * @throws AccessRefused for HTTP 401 and 403
 */
export function refuseAccess({ reply }: Exchange): void {
  if (reply?.status !== 401 && reply?.status !== 403) return
  const { json } = replyView(reply)
  const error = isObject(json) ? member(json, 'error') : undefined
  const errorText = isObject(error)
    ? `, error ${describe(member(error, 'code'))} ${describe(member(error, 'message'))}`
    : ''
  throw new AccessRefused(`HTTP ${reply.status}${errorText}`)
}

/** Sends a request on behalf of the runner. Resolves to undefined when sending is not allowed. */
export async function sent(send: Send, outgoing: Outgoing): Promise<Exchange | undefined> {
  try {
    return await send(outgoing)
  } catch (error) {
    if (error instanceof NotSent || error instanceof Interrupted) return undefined
    throw error
  }
}

/** Builds a call on behalf of the runner. */
export function readRequest(
  { method, params }: Pick<HeadQuestion, 'method' | 'params'>,
  target: Target,
  id: number,
): Outgoing {
  return {
    verb: 'POST',
    url: target.urlFor({}),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
    methods: [method],
    billed: 1,
    builtIn: false,
    effect: 'read',
    isOfRun: true,
  }
}

/** True for a call whose answer depends on the head: one without parameters, or with a value that refers to the head. */
export function isAboutHead({ params }: Pick<SentCall, 'params'>, { moving }: HeadQuestion): boolean {
  const refers = (value: JsonValue): boolean =>
    moving.includes(value) ||
    (isArray(value) && value.some(refers)) ||
    (isObject(value) && Object.values(value).some((one) => refers(one ?? null)))
  return params === undefined || (isArray(params) && params.length === 0) || refers(params)
}

function headIn({ reply }: Exchange, question: HeadQuestion): Head | undefined {
  const json = reply && replyView(reply).json
  if (json === undefined) return undefined
  const number = capture(question.number, json)
  const hash = capture(question.hash, json)
  if (number === undefined || hash === undefined) return undefined
  return { number: textOf(number), hash: textOf(hash) }
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** True when number and hash are equal. */
export function isSameHead(one: Head | undefined, other: Head | undefined): boolean {
  return one?.number === other?.number && one?.hash === other?.hash
}
