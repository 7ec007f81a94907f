import { RpcError } from '@concordat/rpc'
import type { OnUnreadable } from '../http/client-errors.js'
import { type AnsweredMessage, type Body, billedItems, type Message } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import type { Exchange } from '../protocol/exchange.js'
import { type FailureId, failureError } from '../protocol/failures.js'
import type { RequestFacts } from '../protocol/http-source.js'
import type { CallItem } from '../protocol/item-handler.js'
import { allAdmitted, type MessageHandler } from '../protocol/protocol-handler.js'
import type { Admission } from '../protocol/protocol-options.js'
import type { Share, Slot } from '../sharing/share.js'
import { type Admit, createAdmitMessage } from './admission.js'
import { createRequestReporter, type OnRequest } from './request-report.js'

/** The steps of a message in a service. No member throws or rejects. */
export interface MessageSteps<Context> {
  /** Answers a body: a single request, a batch, or neither. */
  handle(body: Body, exchange: Exchange<Context>): Answer | Promise<Answer>
  /**
   * Answers a parsed body.
   * @param refusal the error of every request, instead of running it
   */
  answer(message: Message, exchange: Exchange<Context>, refusal?: RpcError): Answer | Promise<Answer>
  /** Refuses a message before its body is read; undefined if the body is to be read. */
  expect(exchange: Exchange<Context>, headers: RequestFacts['headers']): Answer | Promise<Answer> | undefined
  /** Refuses a message whose body is not read. */
  refuse(failure: FailureId, exchange: Exchange<Context>): Answer | Promise<Answer>
  /**
   * Answers a request with an error instead of its calls; anything but an RpcError is reported as `handlerFailed`.
   * @param exchange undefined for a request that was refused before it had a context
   */
  fail(thrown: unknown, request: RequestFacts | undefined, exchange?: Exchange<Context>): Answer
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

/** Creates the steps: room, place, turn, parse, admission, calls, report. */
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
    handle: createHandle(protocol, { run, answer, refuse, left }),
    expect,
    left,
    answer(message, exchange, refusal) {
      exchange.receivedAt = performance.now()
      return answer(message, exchange, refusal)
    },
    refuse: (failure, exchange) => refuse(failureError(failures[failure]), exchange),
    fail(thrown, request, exchange) {
      const error = reporter.thrown(thrown, undefined, exchange)
      const refused = failAll(error, exchange)
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

/** Creates the step that handles a body: early refusal, place, turn, parse. */
function createHandle<Context>(
  { read }: Pick<MessageHandler<Exchange<Context>>, 'read'>,
  {
    run,
    answer,
    refuse,
    left,
  }: {
    run(message: Message, admission: Admission, exchange: Exchange<Context>): Answer | Promise<Answer>
    answer(message: Message, exchange: Exchange<Context>, refusal?: RpcError): Answer | Promise<Answer>
    refuse(error: RpcError, exchange: Exchange<Context>): Answer | Promise<Answer>
    left(exchange: Exchange<Context>): void
  },
): MessageSteps<Context>['handle'] {
  function handle(body: Body, exchange: Exchange<Context>): Answer | Promise<Answer> {
    exchange.receivedAt = performance.now()
    const { share, refusedEarly } = exchange
    if (refusedEarly !== undefined) return run(read(body), refusedEarly, exchange)
    if (share === undefined) return answer(read(body), exchange)
    const slot = share.enter(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
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
    const answering = answer(share.isLarge ? readLarge(body, share) : read(body), exchange)
    const released = (settled: Answer): Answer => {
      share.release(slot, settled)
      return settled
    }
    return answering instanceof Promise ? answering.then(released) : released(answering)
  }

  function readLarge(body: Body, share: Share): Message {
    const begunAt = performance.now()
    const message = read(body)
    share.parsed(performance.now() - begunAt)
    return message
  }

  return handle
}

/** The answer that is not sent, because its caller has disconnected. */
const disconnected: Answer = { status: 499, headers: {}, body: null }
