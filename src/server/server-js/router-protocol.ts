import type { EnvelopeRules } from '@concordat/rpc'
import { createAnswerMessage, type Message, readMessage } from '../protocol/answer-message.js'
import type { Answer } from '../protocol/encode-answer.js'
import { singleAnswer } from '../protocol/encode-answer.js'
import { defaultFailures, type Failures, failureError } from '../protocol/failures.js'
import { defaultLimits, type Limits } from '../protocol/limits.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import type { Admission, ErrorReport } from '../protocol/protocol-options.js'
import { createReporter } from '../protocol/reporter.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import type { Router } from './load-server-js.js'
import { createRouterItems } from './router-items.js'

/** The contract's rules for requests, independent of the router. Omitted rules have defaults. */
export interface RouterProtocolOptions {
  /** Default: the rules of JSON-RPC 2.0. */
  readonly envelope?: EnvelopeRules
  readonly limits?: Partial<Limits>
  /** Maximum number of concurrent calls of one batch. Default: 32. */
  readonly batchCallsAtOnce?: number
  readonly failures?: Partial<Failures>
  /** Called for errors outside contract routers. Default: a line on stderr. */
  readonly onError?: (report: ErrorReport<undefined>) => void
}

/** JSON-RPC 2.0 between a body and the routers of `@open-rpc/server-js`. No member throws or rejects. */
export interface RouterProtocol extends ProtocolHandler<undefined> {
  /** Parses a body: the first half of `handle`. */
  read(body: Uint8Array): Message
  /** Answers a parsed message, which middleware may have changed: the second half of `handle`. */
  answer(message: Message): Answer | Promise<Answer>
}

const EVERYTHING: Admission = { admitted: Number.POSITIVE_INFINITY }

/**
 * Creates the protocol of a transport.
 *
 * @param routers returns the current routers, in order
 */
export function createRouterProtocol(
  routers: () => readonly Router[],
  options: RouterProtocolOptions,
): RouterProtocol {
  const { envelope = { idRequired: false }, onError = logErrors(stderrLog) } = options
  const failures: Failures = { ...defaultFailures, ...options.failures }
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const reporter = createReporter<undefined>(failures, onError)
  const items = createRouterItems({ routers, envelope, failures, reporter })
  const answerMessage = createAnswerMessage(items, failures, limits, options.batchCallsAtOnce)
  const read = (body: Uint8Array | string) => readMessage(body, limits)
  const answer = (message: Message) => {
    const answered = answerMessage(message, EVERYTHING, undefined)
    return answered instanceof Promise ? answered.then((settled) => settled.answer) : answered.answer
  }
  return {
    handle: (body) => answer(read(body)),
    read,
    answer,
    refuse: (failure) => singleAnswer(items.fail(failureError(failures[failure]), undefined)),
    fail: (thrown) => singleAnswer(items.fail(reporter.thrown(thrown, undefined, undefined), undefined)),
    failures,
    limits,
  }
}
