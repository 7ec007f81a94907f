import { RpcError } from '@concordat/rpc'
import { type AnsweredMessage, type Body, billedItems, type Message } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import { type FailureDetails, type FailureId, failureError } from '../protocol/failures.js'
import type { RequestFacts } from '../protocol/http-source.js'
import type { CallItem } from '../protocol/item-handler.js'
import { allAdmitted, type MessageHandler } from '../protocol/protocol-handler.js'
import type { Admission } from '../protocol/protocol-options.js'
import type { Place } from '../sharing/request-queue.js'
import type { Slot } from '../sharing/share.js'
import { type Admit, type AdmitMessage, checkAdmission, createAdmitMessage } from './admission.js'
import type { Exchange } from './exchange.js'
import { createRequestReporter, type OnRequest, type RequestReporter } from './request-report.js'

/**
 * The life of a request whose body has arrived, in order. The context function of the application comes first; headers,
 * `expect` and the body follow. ARCHITECTURE.md states the failures of each step.
 */
const ofRequest: readonly Step[] = [takePlace, waitForTurn, parse, waitForTurnOfBatch, admit, runCalls]

/**
 * The life of a message on a connection that stays open. It has a place after it is read, because it may be the response
 * that the calls in all places of its caller wait for.
 */
const ofMessage: readonly Step[] = [
  waitForMemoryAndTurn,
  parse,
  passOn,
  takePlace,
  waitForTurnOfBatch,
  admit,
  runCalls,
]

/** The life of a request that is refused before its body is read. */
const ofUnread: readonly Step[] = [admit, runCalls]

/** The rest of the life of a request whose limit was known to be spent before its body was read. */
const ofSpent: readonly Step[] = [parse, runCalls]

/**
 * Adds to what is known of a request. A step waits only if it returns a promise.
 * @returns the answer if the request ends here
 */
type Step = <Context>(life: Life<Context>, parts: Parts<Context>) => Answer | undefined | Waited
type Waited = Promise<Answer | undefined>

/** What is known of a request or message. Each step reads what the steps before it have added. */
interface Life<Context> {
  readonly exchange: Exchange<Context>
  /** Undefined if it is not read. */
  readonly body: Body | undefined
  message: Message
  /** The error that answers all calls. */
  refusal: RpcError | undefined
  place: Place | undefined
  admission: Admission
  /** When the work on the calls began, in milliseconds of `performance.now()`. */
  begunAt: number
}

/** The parts of a service that the steps use. */
interface Parts<Context> {
  readonly protocol: MessageHandler<Exchange<Context>>
  readonly admit: AdmitMessage<Context> | undefined
  readonly requests: RequestReporter<Context> | undefined
}

const lifeOf = <Context>(
  exchange: Exchange<Context>,
  body: Body | undefined,
  refusal: RpcError | undefined,
  admission: Admission = allAdmitted,
): Life<Context> => ({
  exchange,
  body,
  message: 'parseError',
  refusal,
  place: undefined,
  admission,
  begunAt: 0,
})

/** Runs the steps in order, and frees the place of the request after the last one. */
function run<Context>(
  life: Life<Context>,
  steps: readonly Step[],
  parts: Parts<Context>,
  from = 0,
): Answer | Promise<Answer> {
  for (let at = from; at < steps.length; at++) {
    const answer = steps[at]?.(life, parts)
    if (answer === undefined) continue
    if (!(answer instanceof Promise)) return ended(life, answer)
    return answer.then((settled) =>
      settled === undefined ? run(life, steps, parts, at + 1) : ended(life, settled),
    )
  }
  return ended(life, disconnected)
}

function ended({ exchange, place }: Life<unknown>, answer: Answer): Answer {
  if (place !== undefined) exchange.share?.release(place, answer)
  return answer
}

/** The caller has disconnected before there was an answer. */
function left<Context>({ exchange }: Life<Context>, { requests }: Parts<Context>): Answer {
  exchange.end()
  requests?.left(exchange)
  return disconnected
}

/** Takes a place among the requests of the caller, or waits for it. */
function takePlace<Context>(life: Life<Context>, parts: Parts<Context>): Answer | undefined | Waited {
  const { share } = life.exchange
  if (share === undefined || life.refusal !== undefined) return undefined
  const slot = share.place()
  return slot instanceof Promise
    ? slot.then((settled) => placed(life, parts, settled))
    : placed(life, parts, slot)
}

function placed<Context>(
  life: Life<Context>,
  parts: Parts<Context>,
  slot: Slot | undefined,
): Answer | undefined {
  if (slot === undefined) return left(life, parts)
  if (slot instanceof RpcError) life.refusal = slot
  else life.place = slot
  return undefined
}

/** Waits for the turn of a large body. The body waits unparsed, because the queue counts its size. */
function waitForTurn<Context>(life: Life<Context>, parts: Parts<Context>): Answer | undefined | Waited {
  const { share } = life.exchange
  if (share?.isLarge !== true || life.place === undefined) return undefined
  return passed(life, parts, share.turnOfBody())
}

/** Waits for the turn of a batch with many calls. */
function waitForTurnOfBatch<Context>(
  life: Life<Context>,
  parts: Parts<Context>,
): Answer | undefined | Waited {
  const { share, calls } = life.exchange
  if (share === undefined || life.place === undefined) return undefined
  const turn = share.turnOfBatch(calls)
  return turn === true ? undefined : passed(life, parts, turn)
}

/** Frees the place of a request that has no turn. */
function passed<Context>(
  life: Life<Context>,
  parts: Parts<Context>,
  turn: boolean | RpcError | Promise<boolean | RpcError>,
): Answer | undefined | Waited {
  if (turn === true) return undefined
  if (turn instanceof Promise) return turn.then((settled) => passed(life, parts, settled))
  life.place?.leave()
  life.place = undefined
  if (turn === false) return left(life, parts)
  life.refusal = turn
  return undefined
}

/** Reserves memory for a large message of a connection, and waits for its turn. */
function waitForMemoryAndTurn<Context>(
  life: Life<Context>,
  parts: Parts<Context>,
): Answer | undefined | Waited {
  const { exchange } = life
  if (exchange.share?.isLarge !== true || life.refusal !== undefined) return undefined
  return exchange.share.turnOfMessage().then((error) => {
    life.refusal = error
    return exchange.isDisconnected ? left(life, parts) : undefined
  })
}

/**
 * Reads the body. A large body that is refused is not read over HTTP. On a connection it is, because an answer without its
 * id would have no receiver.
 */
function parse<Context>(life: Life<Context>, { protocol }: Parts<Context>): undefined {
  const { exchange, body } = life
  const { share, connection } = exchange
  if (body === undefined) return
  if (share?.isLarge !== true) life.message = protocol.read(body)
  else if (life.refusal === undefined || connection !== undefined) {
    const begunAt = performance.now()
    life.message = protocol.read(body)
    share.parsed(performance.now() - begunAt)
  }
  exchange.calls = billedItems(life.message, protocol.limits)
}

/** Passes a response of the caller to the handler that awaits it. */
function passOn<Context>({ exchange, message }: Life<Context>): Answer | undefined {
  return exchange.connection?.accept(message) ? passedOn : undefined
}

/** Decides how many calls run, such as by a quota. */
function admit<Context>(life: Life<Context>, parts: Parts<Context>): Answer | undefined | Waited {
  const { exchange, refusal } = life
  life.begunAt = performance.now()
  if (parts.admit === undefined) {
    if (refusal !== undefined) life.admission = { admitted: 0, error: refusal }
    return undefined
  }
  const admission = parts.admit(exchange, exchange.calls, refusal)
  if (admission instanceof Promise)
    return admission.then((settled) => {
      life.admission = settled
      life.begunAt = performance.now()
      return exchange.isDisconnected ? left(life, parts) : undefined
    })
  life.admission = admission
  return undefined
}

/** Answers the calls, and reports the request. */
function runCalls<Context>(life: Life<Context>, parts: Parts<Context>): Answer | Waited {
  const { exchange, message, admission, place } = life
  const answered = parts.protocol.answerMessage(message, admission, exchange)
  const answer =
    answered instanceof Promise
      ? answered.then((settled) => reply(settled, exchange, parts))
      : reply(answered, exchange, parts)
  if (place !== undefined) exchange.share?.began(place, performance.now() - life.begunAt, exchange.calls)
  return answer
}

/** Ends an exchange, reports it, and adds the headers of its handlers to the answer. */
function reply<Context>(
  { answer, items }: AnsweredMessage<CallItem>,
  exchange: Exchange<Context>,
  { requests }: Parts<Context>,
): Answer {
  exchange.end()
  const own = exchange.ownHeaders()
  const complete = own === undefined ? answer : { ...answer, headers: { ...own, ...answer.headers } }
  const reported = requests === undefined ? complete : requests.answered(complete, items, exchange)
  return exchange.share?.compressed(reported) ?? reported
}

/** The answer that is not sent, because its caller has disconnected. */
const disconnected: Answer = { status: 499, headers: {}, body: null }

/** The result of a response of the caller, to which nothing is sent. */
const passedOn: Answer = { status: 204, headers: {}, body: null }

/** The ways into the steps. No member throws or rejects. */
export interface RequestSteps<Context> {
  /** Answers a body: a single request, a batch, or neither. */
  handle(body: Body, exchange: Exchange<Context>): Answer | Promise<Answer>
  /**
   * Answers a message of a connection that stays open; a response of the caller is passed on and has no answer.
   * @param refusal the error of every request, instead of running it
   */
  receive(body: Body, exchange: Exchange<Context>, refusal?: RpcError): Answer | Promise<Answer>
  /** Refuses a request before its body is read; undefined if the body is to be read. */
  expect(exchange: Exchange<Context>, headers: RequestFacts['headers']): Answer | Promise<Answer> | undefined
  /** Refuses a request whose body is not read. */
  refuse(failure: FailureId, exchange: Exchange<Context>, details?: FailureDetails): Answer | Promise<Answer>
  /**
   * Answers a request with an error instead of its calls; anything but an RpcError is reported as `handlerFailed`.
   * @param exchange undefined for a request that was refused before it had a context
   * @param body the body, if it has arrived; the answer then carries the id of its request
   */
  fail(thrown: unknown, request: RequestFacts | undefined, exchange?: Exchange<Context>, body?: Body): Answer
  /** Reports a caller who disconnected before there was an answer. */
  left(exchange: Exchange<Context>): void
  /** Reports a request that Node's HTTP server could not read, and returns headers of its answer. */
  onUnreadable(
    failure: FailureId,
    from: { readonly remoteAddress?: string | undefined },
  ): Readonly<Record<string, string>>
}

/** The options of a service that its steps use. */
export interface StepOptions<Context> {
  readonly admit?: Admit<Context> | undefined
  readonly refuseEarly?: ((context: Context) => Admission | undefined) | undefined
  readonly onRequest?: OnRequest<Context> | undefined
}

/** Creates the ways into the steps of a service. */
export function createRequestSteps<Context>(
  protocol: MessageHandler<Exchange<Context>>,
  { admit: decide, refuseEarly, onRequest }: StepOptions<Context>,
): RequestSteps<Context> {
  const { failAll, failures, limits, reporter } = protocol
  const thrownAt = (cause: unknown, exchange: Exchange<Context>) =>
    reporter.thrown(cause, undefined, exchange)
  const requests = onRequest && createRequestReporter(onRequest)
  const parts = { protocol, admit: decide && createAdmitMessage(decide, thrownAt), requests }
  const refuse = (error: RpcError, exchange: Exchange<Context>) =>
    run(lifeOf(exchange, undefined, error), ofUnread, parts)

  return {
    expect(exchange, { 'content-length': length }) {
      const bytes = length === undefined ? undefined : Number(length)
      const early = refuseEarly?.(exchange.context)
      if (early !== undefined) {
        checkAdmission(early)
        exchange.refusedEarly = early
        const isSmall = bytes !== undefined && bytes <= limits.smallBodyBytes
        return isSmall ? undefined : run(lifeOf(exchange, undefined, undefined, early), ofSpent, parts)
      }
      const error = exchange.share?.expect(bytes)
      return error && refuse(error, exchange)
    },
    handle(body, exchange) {
      exchange.receivedAt = performance.now()
      const { share, refusedEarly } = exchange
      if (refusedEarly !== undefined)
        return run(lifeOf(exchange, body, undefined, refusedEarly), ofSpent, parts)
      share?.arrived(sizeOf(body))
      return run(lifeOf(exchange, body, undefined), ofRequest, parts)
    },
    receive(body, exchange, refusal) {
      exchange.receivedAt = performance.now()
      exchange.share?.arrived(sizeOf(body))
      return run(lifeOf(exchange, body, refusal), ofMessage, parts)
    },
    refuse: (failure, exchange, details) => refuse(failureError(failures[failure], details), exchange),
    fail(thrown, request, exchange, body) {
      const error = reporter.thrown(thrown, undefined, exchange)
      const refused = failAll(error, exchange, body)
      if (exchange !== undefined) return reply(refused, exchange, parts)
      return requests?.refused(refused.answer, error, request) ?? refused.answer
    },
    left: (exchange) => void left(lifeOf(exchange, undefined, undefined), parts),
    onUnreadable(failure, { remoteAddress }) {
      const error = failureError(failures[failure])
      const request = { method: undefined, headers: {}, ip: remoteAddress }
      return (
        requests?.refused({ ...failureAnswer(failures[failure]), headers: {} }, error, request).headers ?? {}
      )
    },
  }
}

const sizeOf = (body: Body): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
