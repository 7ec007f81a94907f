import { RpcError } from '@concordat/rpc'
import type { OnUnreadable } from '../http/client-errors.js'
import { type AnsweredMessage, type Body, billedItems, type Message } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import type { Exchange } from '../protocol/exchange.js'
import { type FailureDetails, type FailureId, failureError } from '../protocol/failures.js'
import type { RequestFacts } from '../protocol/http-source.js'
import type { CallItem } from '../protocol/item-handler.js'
import type { Limits } from '../protocol/limits.js'
import { allAdmitted, type MessageHandler } from '../protocol/protocol-handler.js'
import type { Admission } from '../protocol/protocol-options.js'
import type { Place } from '../sharing/request-queue.js'
import type { Share, Slot } from '../sharing/share.js'
import { type Admit, createAdmitMessage } from './admission.js'
import { createRequestReporter, type OnRequest } from './request-report.js'

/** The steps of a message in a service. No member throws or rejects. */
export interface MessageSteps<Context> {
  /** Answers a body: a single request, a batch, or neither. */
  handle(body: Body, exchange: Exchange<Context>): Answer | Promise<Answer>
  /**
   * Answers a message of a connection that stays open; a response of the caller is passed on and has no answer.
   * @param refusal the error of every request, instead of running it
   */
  receive(body: Body, exchange: Exchange<Context>, refusal?: RpcError): Answer | Promise<Answer>
  /** Refuses a message before its body is read; undefined if the body is to be read. */
  expect(exchange: Exchange<Context>, headers: RequestFacts['headers']): Answer | Promise<Answer> | undefined
  /** Refuses a message whose body is not read. */
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
  readonly onUnreadable: OnUnreadable
}

/** The options of a service that its steps use. */
export interface StepOptions<Context> {
  readonly admit?: Admit<Context> | undefined
  readonly refuseEarly?: ((context: Context) => Admission | undefined) | undefined
  readonly onRequest?: OnRequest<Context> | undefined
}

/** Creates the steps: room, place, turns, parse, admission, calls, report. */
export function createMessageSteps<Context>(
  protocol: MessageHandler<Exchange<Context>>,
  options: StepOptions<Context>,
): MessageSteps<Context> {
  const { answerMessage, failAll, failures, limits, reporter } = protocol
  const { onRequest, refuseEarly } = options
  const requests = onRequest && createRequestReporter(onRequest)
  const admit =
    options.admit &&
    createAdmitMessage(options.admit, (cause, exchange: Exchange<Context>) =>
      reporter.thrown(cause, undefined, exchange),
    )

  function answer(
    message: Message,
    exchange: Exchange<Context>,
    refusal?: RpcError,
  ): Answer | Promise<Answer> {
    exchange.calls = billedItems(message, limits)
    if (admit === undefined)
      return run(message, refusal ? { admitted: 0, error: refusal } : allAdmitted, exchange)
    const admission = admit(exchange, exchange.calls, refusal)
    if (!(admission instanceof Promise)) return run(message, admission, exchange)
    return admission.then((settled) => {
      if (!exchange.isDisconnected) return run(message, settled, exchange)
      left(exchange)
      return disconnected
    })
  }

  function run(
    message: Message,
    admission: Admission,
    exchange: Exchange<Context>,
  ): Answer | Promise<Answer> {
    const answered = answerMessage(message, admission, exchange)
    return answered instanceof Promise
      ? answered.then((settled) => ended(settled, exchange))
      : ended(answered, exchange)
  }

  /** Ends an exchange, and adds the headers of its handlers to the answer. */
  function ended({ answer, items }: AnsweredMessage<CallItem>, exchange: Exchange<Context>): Answer {
    exchange.end()
    const own = exchange.ownHeaders()
    const complete = own === undefined ? answer : { ...answer, headers: { ...own, ...answer.headers } }
    const reported = requests === undefined ? complete : requests.answered(complete, items, exchange)
    return exchange.share?.compressed(reported) ?? reported
  }

  function left(exchange: Exchange<Context>): void {
    exchange.end()
    requests?.left(exchange)
  }

  function refuse(error: RpcError, exchange: Exchange<Context>): Answer | Promise<Answer> {
    // The refusal is the answer whatever the unread message contains.
    return answer('parseError', exchange, error)
  }

  function expect(
    exchange: Exchange<Context>,
    { 'content-length': length }: RequestFacts['headers'],
  ): Answer | Promise<Answer> | undefined {
    const bytes = length === undefined ? undefined : Number(length)
    const early = refuseEarly?.(exchange.context)
    if (early !== undefined) {
      exchange.refusedEarly = early
      const isSmall = bytes !== undefined && bytes <= limits.smallBodyBytes
      return isSmall ? undefined : run('parseError', early, exchange)
    }
    const error = exchange.share?.expect(bytes)
    return error && refuse(error, exchange)
  }

  return {
    ...createHandle(protocol, { run, answer, refuse, left }),
    expect,
    left,
    refuse: (failure, exchange, details) => refuse(failureError(failures[failure], details), exchange),
    fail(thrown, request, exchange, body) {
      const error = reporter.thrown(thrown, undefined, exchange)
      const refused = failAll(error, exchange, body)
      if (exchange !== undefined) return ended(refused, exchange)
      return requests?.refused(refused.answer, error, request) ?? refused.answer
    },
    onUnreadable(failure, { remoteAddress }) {
      const error = failureError(failures[failure])
      const request = { method: undefined, headers: {}, ip: remoteAddress }
      return (
        requests?.refused({ ...failureAnswer(failures[failure]), headers: {} }, error, request).headers ?? {}
      )
    },
  }
}

/** The steps after a message is read. */
interface AnswerSteps<Context> {
  run(message: Message, admission: Admission, exchange: Exchange<Context>): Answer | Promise<Answer>
  answer(message: Message, exchange: Exchange<Context>, refusal?: RpcError): Answer | Promise<Answer>
  refuse(error: RpcError, exchange: Exchange<Context>): Answer | Promise<Answer>
  left(exchange: Exchange<Context>): void
}

/** Creates the step that waits for the turn of a message, answers it and releases its place. */
function createAnswerInPlace<Context>(
  limits: Limits,
  { answer, left }: Pick<AnswerSteps<Context>, 'answer' | 'left'>,
) {
  function answerInTurn(
    message: Message,
    slot: Place,
    share: Share,
    exchange: Exchange<Context>,
    refusal?: RpcError,
  ): Answer | Promise<Answer> {
    const begunAt = performance.now()
    const answering = answer(message, exchange, refusal)
    share.began(slot, performance.now() - begunAt, exchange.calls)
    const released = (settled: Answer): Answer => {
      share.release(slot, settled)
      return settled
    }
    return answering instanceof Promise ? answering.then(released) : released(answering)
  }

  return function answerInPlace(
    message: Message,
    slot: Place,
    share: Share,
    exchange: Exchange<Context>,
  ): Answer | Promise<Answer> {
    const turn = share.turnOfBatch(billedItems(message, limits))
    if (turn === true) return answerInTurn(message, slot, share, exchange)
    return turn.then((passed) => {
      if (passed === true) return answerInTurn(message, slot, share, exchange)
      if (passed !== false) return answerInTurn(message, slot, share, exchange, passed)
      slot.leave()
      left(exchange)
      return disconnected
    })
  }
}

/** Creates the steps that handle a body: early refusal, place, turn of a large body, parse. */
function createHandle<Context>(
  { limits, read }: Pick<MessageHandler<Exchange<Context>>, 'limits' | 'read'>,
  { run, answer, refuse, left }: AnswerSteps<Context>,
): Pick<MessageSteps<Context>, 'handle' | 'receive'> {
  const answerInPlace = createAnswerInPlace(limits, { answer, left })

  function handle(body: Body, exchange: Exchange<Context>): Answer | Promise<Answer> {
    exchange.receivedAt = performance.now()
    const { share, refusedEarly } = exchange
    if (refusedEarly !== undefined) return run(read(body), refusedEarly, exchange)
    if (share === undefined) return answer(read(body), exchange)
    const slot = share.enter(sizeOf(body))
    return slot instanceof Promise
      ? slot.then((settled) => handleShared(body, settled, share, exchange))
      : handleShared(body, slot, share, exchange)
  }

  /** Handles a message that has a place among the requests of its caller, or is refused one. */
  function handleShared(
    body: Body,
    slot: Slot | undefined,
    share: Share,
    exchange: Exchange<Context>,
  ): Answer | Promise<Answer> {
    if (slot === undefined) {
      left(exchange)
      return disconnected
    }
    if (slot instanceof RpcError)
      return share.isLarge ? refuse(slot, exchange) : answer(read(body), exchange, slot)
    return answerInPlace(share.isLarge ? readLarge(body, share) : read(body), slot, share, exchange)
  }

  function readLarge(body: Body, share: Share): Message {
    const begunAt = performance.now()
    const message = read(body)
    share.parsed(performance.now() - begunAt)
    return message
  }

  function receive(
    body: Body,
    exchange: Exchange<Context>,
    refusal: RpcError | undefined,
  ): Answer | Promise<Answer> {
    exchange.receivedAt = performance.now()
    const { share } = exchange
    const bytes = share === undefined ? 0 : sizeOf(body)
    if (share !== undefined && bytes > limits.smallBodyBytes)
      return receiveLarge(body, bytes, share, exchange, refusal)
    return receiveRead(read(body), bytes, exchange, refusal)
  }

  /** A refused message is read nevertheless: on a connection, an answer without its id would have no receiver. */
  async function receiveLarge(
    body: Body,
    bytes: number,
    share: Share,
    exchange: Exchange<Context>,
    refusal: RpcError | undefined,
  ): Promise<Answer> {
    const refused = refusal ?? (await share.turn(bytes))
    if (exchange.isDisconnected) {
      left(exchange)
      return disconnected
    }
    return receiveRead(readLarge(body, share), bytes, exchange, refused)
  }

  function receiveRead(
    message: Message,
    bytes: number,
    exchange: Exchange<Context>,
    refusal: RpcError | undefined,
  ): Answer | Promise<Answer> {
    const { share, connection } = exchange
    if (connection?.accept(message)) return passedOn
    if (share === undefined || refusal !== undefined) return answer(message, exchange, refusal)
    const placed = (slot: Slot | undefined): Answer | Promise<Answer> => {
      if (slot instanceof RpcError) return answer(message, exchange, slot)
      if (slot !== undefined) return answerInPlace(message, slot, share, exchange)
      left(exchange)
      return disconnected
    }
    const slot = share.place(bytes)
    return slot instanceof Promise ? slot.then(placed) : placed(slot)
  }

  return { handle, receive }
}

const sizeOf = (body: Body): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)

/** The answer that is not sent, because its caller has disconnected. */
const disconnected: Answer = { status: 499, headers: {}, body: null }

/** The result of a response of the caller, to which nothing is sent. */
const passedOn: Answer = { status: 204, headers: {}, body: null }
