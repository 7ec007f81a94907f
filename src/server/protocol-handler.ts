import { createAnswerMessage, type Message } from './answer-message.js'
import { defaultFailures, type FailureId, type Failures, failureError } from './failures.js'
import { isPromiseLike } from './in-order.js'
import { createItemHandler } from './item-handler.js'
import { defaultLimits, type Limits } from './limits.js'
import type { Admission, Answer, ProtocolOptions } from './protocol-options.js'
import { readBody } from './read-body.js'
import { createReporter } from './reporter.js'
import { serviceSettings } from './service-settings.js'
import { singleAnswer } from './single-answer.js'

/** JSON-RPC 2.0 between a body and its answer, without HTTP; no member throws or rejects. */
export interface ProtocolHandler<Context> {
  /** Answers one body, as bytes in UTF-8 or as text: a single request, a batch, or what was meant to be one. */
  handle(body: Uint8Array | string, context: Context): Answer | Promise<Answer>
  /** Refuses a request whose body is not read, from a caller who was let in: free of charge, with its headers. */
  refuse(failure: FailureId, context: Context): Answer | Promise<Answer>
  /** Answers an error when no caller is known; anything but an RpcError is reported and becomes `handlerFailed`. */
  fail(thrown: unknown): Answer
  readonly failures: Failures
  readonly limits: Limits
}

const EVERYTHING: Admission = { admitted: Number.POSITIVE_INFINITY }

/**
 * Makes the protocol handler: parse, admit, envelope, method, parameters, call, response (specification 2.2, 2.3;
 * JSON-RPC 2.0). What is synchronous is answered without a promise. What the contract says of every request
 * (`x-limits`, `x-failures`, `x-envelope`; generated methods carry it) is kept where the options say nothing else.
 *
 * @throws RangeError for a limit of the contract, or a `batchCallsAtOnce`, that cannot be kept
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

  return {
    handle(body, context) {
      const message = readBody(body, limits)
      return admitThen(billedItems(message, limits), context, (admission) =>
        answerMessage(message, admission, context),
      )
    },
    refuse(failure, context) {
      const error = failureError(failures[failure])
      return admitThen(0, context, ({ headers }) => singleAnswer(items.fail(error, context), headers))
    },
    fail: (thrown) => singleAnswer(items.fail(reporter.thrown(thrown, undefined, undefined), undefined)),
    failures,
    limits,
  }
}

/** A batch costs its requests; everything else, however broken, is one request. */
function billedItems(message: Message, limits: Limits): number {
  if (typeof message === 'string' || !Array.isArray(message.value)) return 1
  const { length } = message.value
  return length === 0 || length > limits.batchItems ? 1 : length
}
