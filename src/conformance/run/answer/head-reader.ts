import { isObject, type JsonValue, member } from '../../../contract/index.js'
import { describe } from '../../expect/describe.js'
import { replyView } from '../../expect/reply-view.js'
import { capture } from '../../scenario/capture.js'
import type { Exchange, Outgoing } from '../../send/exchange.js'
import { NotSent, type Send } from '../../send/exchange.js'
import type { Target } from '../../send/target.js'
import type { HeadQuestion } from '../plan/contract-terms.js'
import { runDefaults } from '../plan/run-defaults.js'
import type { Head } from '../result/report.js'
import { AccessRefused } from './contact.js'
import { Interrupted } from './interrupted.js'
import { isUnanswered } from './is-unanswered.js'

/** Reads the head of what the target serves. */
export interface HeadReader {
  /** The head that was read last. */
  readonly last: () => Head | undefined
  /** Undefined where the contract does not say how, the request may not be sent, or the answer does not tell. */
  readonly read: () => Promise<Head | undefined>
  /**
   * Reads it for the first time.
   * @throws AccessRefused where the target refuses whoever asks (HTTP 401, 403)
   */
  readonly readFirst: () => Promise<Head | undefined>
}

/** @param question how the contract says to read it */
export function createHeadReader(
  question: HeadQuestion | undefined,
  target: Target,
  send: Send,
  nextId: () => number,
): HeadReader {
  let last: Head | undefined
  const read = async (look: (exchange: Exchange) => void = () => {}) => {
    if (question === undefined) return undefined
    const exchange = await sent(send, readRequest(question, target, nextId()))
    if (exchange !== undefined) look(exchange)
    const head = exchange && headIn(exchange, question)
    last = head ?? last
    return head
  }
  return { last: () => last, read: () => read(), readFirst: () => read(refuseAccess) }
}

/** What is asked to see whether a target answers again. */
export interface AnswerProbe {
  /** How the contract says to read the head; nothing is asked where it does not say. */
  readonly question: HeadQuestion | undefined
  readonly target: Target
  readonly send: Send
  readonly nextId: () => number
  /** Resolves after some milliseconds; rejects once the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
}

/** Reads the head until the target answers, or until nothing more may be sent. */
export async function untilAnswered(probe: AnswerProbe): Promise<void> {
  const { question, target, send, nextId, pause } = probe
  while (question !== undefined) {
    const exchange = await sent(send, readRequest(question, target, nextId()))
    if (!isUnanswered(exchange?.trouble)) return
    await pause(runDefaults.pauseBeforeAskingAgain)
  }
}

/** @throws AccessRefused where an answer refuses whoever asks */
export function refuseAccess({ reply }: Exchange): void {
  if (reply?.status !== 401 && reply?.status !== 403) return
  const { json } = replyView(reply)
  const error = isObject(json) ? member(json, 'error') : undefined
  const told = isObject(error)
    ? `, error ${describe(member(error, 'code'))} ${describe(member(error, 'message'))}`
    : ''
  throw new AccessRefused(`HTTP ${reply.status}${told}`)
}

/** Sends a request of the runner's own; undefined where it may not be sent. */
export async function sent(send: Send, outgoing: Outgoing): Promise<Exchange | undefined> {
  try {
    return await send(outgoing)
  } catch (error) {
    if (error instanceof NotSent || error instanceof Interrupted) return undefined
    throw error
  }
}

/** A call of the runner's own. */
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
  }
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

/** True when two readings tell the same head. */
export function isSameHead(one: Head | undefined, other: Head | undefined): boolean {
  return one?.number === other?.number && one?.hash === other?.hash
}
