import type { RpcError } from '@concordat/rpc'
import { type Body, billedItems, createAnswerMessage, type Message, readMessage } from './answer-message.js'
import type { Answer } from './encode-answer.js'
import { singleAnswer } from './encode-answer.js'
import { defaultFailures, type FailureId, type Failures, failureError } from './failures.js'
import { createItemHandler } from './item-handler.js'
import { defaultLimits, type Limits } from './limits.js'
import { isPromiseLike } from './promises.js'
import type { Admission, ProtocolOptions } from './protocol-options.js'
import { createReporter } from './reporter.js'
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
  /** Refuses an authorized request whose body is not read: free of charge, with the headers of `admit`. */
  refuse(failure: FailureId, context: Context): Answer | Promise<Answer>
  /**
   * Answers an unauthorized request with an error; anything but an RpcError is reported as `handlerFailed`.
   */
  fail(thrown: unknown): Answer
  readonly failures: Failures
  readonly limits: Limits
}

const EVERYTHING: Admission = { admitted: Number.POSITIVE_INFINITY }

/**
 * Creates the protocol handler: parse, admit, envelope, method, parameters, call, response (specification
 * 2.2, 2.3; JSON-RPC 2.0). Synchronous calls are answered without a promise. The contract's `x-limits`,
 * `x-failures` and `x-envelope`, which generated methods carry, are the defaults of the options.
 *
 * @throws RangeError for an invalid limit of the contract, or an invalid `batchCallsAtOnce`
 */
export function createProtocolHandler<Context>(options: ProtocolOptions<Context>): ProtocolHandler<Context> {
  const stated = serviceSettings(options.methods)
  const failures: Failures = { ...defaultFailures, ...stated.failures, ...options.failures }
  const limits: Limits = { ...defaultLimits, ...stated.limits, ...options.limits }
  const reporter = createReporter(failures, options.onError)
  const items = createItemHandler(
    { ...options, envelope: options.envelope ?? stated.envelope },
    failures,
    reporter,
  )
  const answerMessage = createAnswerMessage(items, failures, limits, options.batchCallsAtOnce)

  function admitThen(
    billed: number,
    context: Context,
    next: (admission: Admission) => Answer | Promise<Answer>,
  ): Answer | Promise<Answer> {
    const failed = (cause: unknown) =>
      singleAnswer(items.fail(reporter.thrown(cause, undefined, context), context))
    try {
      const admission = options.admit === undefined ? EVERYTHING : options.admit(billed, context)
      if (!isPromiseLike(admission)) return next(admission)
      return Promise.resolve(admission).then(next).catch(failed)
    } catch (cause) {
      return failed(cause)
    }
  }

  const answer = (message: Message, context: Context, refusal?: RpcError) =>
    admitThen(refusal ? 0 : billedItems(message, limits), context, (admission) => {
      const own = refusal ? { ...admission, admitted: 0, error: refusal } : admission
      const answered = answerMessage(message, own, context)
      return answered instanceof Promise ? answered.then(({ answer }) => answer) : answered.answer
    })

  return {
    handle: (body, context) => answer(readMessage(body, limits), context),
    read: (body) => readMessage(body, limits),
    answer,
    refuse(failure, context) {
      const error = failureError(failures[failure])
      return admitThen(0, context, ({ headers }) => singleAnswer(items.fail(error, context), headers))
    },
    fail: (thrown) => singleAnswer(items.fail(reporter.thrown(thrown, undefined, undefined), undefined)),
    failures,
    limits,
  }
}
