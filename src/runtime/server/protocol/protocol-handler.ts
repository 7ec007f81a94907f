import type { RpcError } from '@concordat/rpc'
import {
  type AnsweredMessage,
  type AnswerMessage,
  type Body,
  createAnswerMessage,
  type ItemHandler,
  type Message,
  readMessage,
} from './answer-message.js'
import { type Answer, type ItemAnswer, singleAnswer } from './encode-answer.js'
import {
  type FailureDetails,
  type FailureId,
  type Failures,
  failureError,
  serverFailures,
} from './failures.js'
import { type CallItem, createItemHandler, type ItemRules } from './item-handler.js'
import { type Limits, serverLimits } from './limits.js'
import type { Admission, ProtocolOptions } from './protocol-options.js'
import { createReporter, type Reporter } from './reporter.js'
import { serviceSettings } from './service-settings.js'

/** JSON-RPC 2.0 without HTTP. No member throws or rejects. */
export interface ProtocolHandler<Context> {
  /** Answers a body: a single request, a batch, or neither. */
  handle(body: Body, context: Context): Answer | Promise<Answer>
  /** Parses a body within the limits. */
  read(body: Body): Message
  /**
   * Answers a parsed body.
   * @param refusal the error of every request, instead of running it
   */
  answer(message: Message, context: Context, refusal?: RpcError): Answer | Promise<Answer>
  /** Refuses an authorized request whose body is not read. */
  refuse(failure: FailureId, context: Context, details?: FailureDetails): Answer
  /**
   * Answers an unauthorized request with an error; anything but an RpcError is reported as `handlerFailed`.
   * @param body the body, if it has arrived; the answer then carries the id of its request
   */
  fail(thrown: unknown, request?: unknown, context?: Context, body?: Body): Answer
  readonly failures: Failures
  readonly limits: Limits
}

/** A protocol handler whose messages can be admitted in part. */
export interface MessageHandler<Context, Item extends ItemAnswer = CallItem>
  extends ProtocolHandler<Context> {
  readonly answerMessage: AnswerMessage<Context | undefined, Item>
  /**
   * Answers with one error object.
   * @param body the body, if it is known; the answer then carries the id of a single request
   */
  failAll(error: RpcError, context: Context | undefined, body?: Body): AnsweredMessage<Item>
  readonly reporter: Reporter<Context>
}

/**
 * Creates the protocol handler: parse, envelope, method, parameters, call, response (specification 2.2, 2.3; JSON-RPC
 * 2.0). Synchronous calls are answered without a promise. The contract's `x-limits`, `x-failures` and `x-envelope`,
 * which generated methods carry, are the defaults of the options.
 *
 * @throws RangeError for an invalid limit, or an invalid `batchCallsAtOnce`; TypeError if a method has `x-scopes` and
 * there is no option `scopes`
 */
export function createProtocolHandler<Context>(options: ProtocolOptions<Context>): ProtocolHandler<Context> {
  return createMessageHandler(options)
}

/** Creates a protocol handler whose messages can be admitted in part. */
export function createMessageHandler<Context>(
  options: ProtocolOptions<Context>,
  rules?: ItemRules<Context>,
): MessageHandler<Context> {
  const stated = serviceSettings(options.methods)
  const limits = serverLimits(stated.limits, options.limits)
  const failures = serverFailures({ ...stated.failures, ...options.failures }, limits)
  const { onError, batchCallsAtOnce, envelope = stated.envelope } = options
  const createItems = (reporter: Reporter<Context>) =>
    createItemHandler({ ...options, envelope }, failures, reporter, rules)
  return handleMessages(createItems, { failures, limits, onError, batchCallsAtOnce })
}

/** Creates the protocol handler around a handler of single requests. */
export function handleMessages<Context, Item extends ItemAnswer>(
  createItems: (reporter: Reporter<Context>) => ItemHandler<Context | undefined, Item>,
  rules: Pick<ProtocolOptions<Context>, 'onError' | 'batchCallsAtOnce'> &
    Pick<ProtocolHandler<Context>, 'failures' | 'limits'>,
): MessageHandler<Context, Item> {
  const { failures, limits, onError, batchCallsAtOnce } = rules
  const reporter = createReporter(failures, onError)
  const items = createItems(reporter)
  const answerMessage = createAnswerMessage(items, failures, limits, batchCallsAtOnce)
  const read = (body: Body) => readMessage(body, limits)
  const answer = (message: Message, context: Context, refusal?: RpcError) => {
    const answered = answerMessage(message, refusal ? { admitted: 0, error: refusal } : allAdmitted, context)
    return answered instanceof Promise ? answered.then(({ answer }) => answer) : answered.answer
  }
  const failAll = (error: RpcError, context: Context | undefined, body?: Body): AnsweredMessage<Item> => {
    const message = body === undefined ? 'parseError' : read(body)
    const isSingle = typeof message === 'object' && !Array.isArray(message.value)
    const item = isSingle
      ? items.refuse(message.value, message.rawIds?.[0], error, context)
      : items.fail(error, context)
    return { answer: singleAnswer(item), items: [item] }
  }
  return {
    handle: (body, context) => answer(read(body), context),
    read,
    answer,
    answerMessage,
    failAll,
    reporter,
    refuse: (failure, context, details) => failAll(failureError(failures[failure], details), context).answer,
    fail: (thrown, _request, _context, body) =>
      failAll(reporter.thrown(thrown, undefined, undefined), undefined, body).answer,
    failures,
    limits,
  }
}

/** The admission of every call. */
export const allAdmitted: Admission = { admitted: Number.POSITIVE_INFINITY }
