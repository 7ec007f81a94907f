import type { Logger, MethodDescriptor, RpcError } from '@concordat/rpc'
import type { OnUnreadable } from '../http/client-errors.js'
import { type AnsweredMessage, billedItems, type Message } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import {
  Exchange,
  type HttpSource,
  type OpenConnection,
  type RequestFacts,
  type ServerCall,
} from '../protocol/exchange.js'
import { type FailureId, failureError } from '../protocol/failures.js'
import type { HandlersOf, Methods } from '../protocol/handlers-to-call.js'
import type { CallItem } from '../protocol/item-handler.js'
import { allAdmitted, createMessageHandler, type ProtocolHandler } from '../protocol/protocol-handler.js'
import type { Admission, CallResult, ErrorReport, ProtocolOptions } from '../protocol/protocol-options.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import { type Admit, createAdmitMessage } from './admission.js'
import { createCall } from './create-call.js'
import { type MethodRoles, methodRoles } from './method-roles.js'
import { createRequestReporter, type OnRequest } from './request-report.js'

/** Runs a call: the handler, or a middleware around it. */
export type RunCall<Context> = (call: ServerCall<Context>) => CallResult | PromiseLike<CallResult>

/**
 * Wraps the handlers of all methods: `(next) => (call) => next(call)`. It may change the call and the result, and throw
 * an RpcError. `rpc.discover` and invalid requests do not reach it.
 */
export type Middleware<Context> = (next: RunCall<Context>) => RunCall<Context>

/** A response to one request, for metrics and traces. */
export interface ResponseReport<Context> {
  /** The method's name; undefined for an unknown method, and for a message that is not a request. */
  readonly method: string | undefined
  /** The error that the caller receives; undefined for a result. */
  readonly error: RpcError | undefined
  /** Milliseconds since the message was received. */
  readonly milliseconds: number
  readonly context: Context
}

/** Options of a service. Results and errors are validated unless `validateResults` is false. */
export interface ServiceOptions<M extends Methods, Context>
  extends Omit<ProtocolOptions<Context>, 'methods' | 'call' | 'onResponse'> {
  /** The generated `methods` of the contract. */
  readonly methods: M
  /** One function for each method: an implementation of the generated interface `Handlers`. */
  readonly handlers: HandlersOf<M, Context>
  /**
   * Milliseconds after which the signal of a message's calls fires. They count from the arrival of a message, and over
   * HTTP from the end of the context function. Default: never.
   */
  readonly deadlineMilliseconds?: number | undefined
  /** Wraps all handlers; the first one is the outermost. */
  readonly middleware?: readonly Middleware<Context>[] | undefined
  /**
   * Decides how many calls of a message run, before they are validated, and adds headers to the answer. It is asked once
   * for each message, also for one that the service refuses. Default: all calls run.
   */
  readonly admit?: Admit<Context> | undefined
  /** Default: lines of JSON on standard error. */
  readonly log?: Logger | undefined
  /**
   * Called once for each request, refused ones included, when its answer is ready: for metrics, traces and a log. It may
   * return headers of the answer. Errors that it throws are ignored.
   */
  readonly onRequest?: OnRequest<Context> | undefined
  /** Called for each response, including those in a batch. Errors that it throws are ignored. */
  readonly onResponse?: ((report: ResponseReport<Context>) => void) | undefined
}

/** A contract with its handlers, ready for any number of transports. No member throws or rejects. */
export interface RpcService<Context> extends Omit<ProtocolHandler<Exchange<Context>>, 'refuse' | 'fail'> {
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
  readonly roles: MethodRoles
  /** False if results and items are not validated. */
  readonly validateResults: boolean
  /** Creates the exchange of a message. */
  begin(context: Context, connection?: OpenConnection, request?: HttpSource): Exchange<Context>
  /** Reports an error outside a call, such as that of a subscription. */
  report(report: ErrorReport<Context>): void
}

/**
 * Creates a service from a contract and its handlers. Requests are validated before a handler gets them, and results
 * before the caller gets them. The service enforces `x-limits`, `x-failures` and `x-envelope` by the names in {@link
 * Limits}, {@link Failures} and {@link EnvelopeRules}. Other facts, such as the cost of a failure, are left to handlers.
 *
 * @throws MissingHandlerError if a method of the contract has no handler; RangeError for a limit or a
 * `batchCallsAtOnce` outside the supported range
 */
export function createService<M extends Methods, Context = unknown>(
  options: ServiceOptions<M, Context>,
): RpcService<Context> {
  const { deadlineMilliseconds, onResponse, onRequest, validateResults = true } = options
  const onError = options.onError ?? logErrors(options.log ?? stderrLog)
  const roles = methodRoles(options.methods)
  const noConnection = () => failures.methodNotFound
  const protocol = createMessageHandler<Exchange<Context>>({
    ...options,
    methods: roles.served,
    call: createCall(options, roles, noConnection),
    validateResults,
    onError: (report) => onError({ ...report, context: report.context?.context }),
    onResponse: onResponse && reportResponses(onResponse),
  })
  const { answerMessage, failAll, failures, limits, reporter } = protocol
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
    if (admit === undefined)
      return run(message, refusal ? { admitted: 0, error: refusal } : allAdmitted, exchange)
    const admission = admit(exchange, billedItems(message, limits), refusal)
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
    return requests === undefined ? complete : requests.answered(complete, items, exchange)
  }

  function left(exchange: Exchange<Context>): void {
    exchange.end()
    requests?.left(exchange)
  }

  function received(message: Message, exchange: Exchange<Context>, refusal?: RpcError) {
    exchange.receivedAt = performance.now()
    return answer(message, exchange, refusal)
  }

  return {
    ...protocol,
    answer: received,
    handle: (body, exchange) => received(protocol.read(body), exchange),
    // The refusal is the answer whatever the unread message contains.
    refuse: (failure, exchange) => answer('parseError', exchange, failureError(failures[failure])),
    fail(thrown, request, exchange) {
      const error = reporter.thrown(thrown, undefined, exchange)
      const refused = failAll(error, exchange)
      if (exchange !== undefined) return ended(refused, exchange)
      return requests?.refused(refused.answer, error, request) ?? refused.answer
    },
    left,
    onUnreadable(failure, { remoteAddress }) {
      const error = failureError(failures[failure])
      const request = { method: undefined, headers: {}, ip: remoteAddress }
      return requests?.refused(failureAnswer(failures[failure]), error, request).headers ?? {}
    },
    roles,
    validateResults,
    begin: (context, connection, request) => new Exchange(context, deadlineMilliseconds, connection, request),
    report(report) {
      try {
        onError(report)
      } catch {
        // The connection goes on even when logging fails.
      }
    },
  }
}

/** The answer that is not sent, because its caller has disconnected. */
const disconnected: Answer = { status: 499, headers: {}, body: null }

function reportResponses<Context>(onResponse: (report: ResponseReport<Context>) => void) {
  return (
    method: MethodDescriptor | undefined,
    error: RpcError | undefined,
    exchange: Exchange<Context> | undefined,
  ): void => {
    if (exchange === undefined) return
    const { context, startedAt } = exchange
    try {
      onResponse({ method: method?.name, error, milliseconds: performance.now() - startedAt, context })
    } catch {
      // The caller gets an answer even when the hook fails.
    }
  }
}
