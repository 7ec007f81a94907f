import type { Logger, MethodDescriptor, RpcError } from '@concordat/rpc'
import { type AnsweredMessage, billedItems, type Message } from '../protocol/answer-message.js'
import type { Answer, ItemAnswer } from '../protocol/encode-answer.js'
import { Exchange, ExchangeCall, type OpenConnection, type ServerCall } from '../protocol/exchange.js'
import { defaultFailures, type Failure, type FailureId, failureError } from '../protocol/failures.js'
import { findHandlers, type HandlersOf, type Methods, namedParams } from '../protocol/handlers-to-call.js'
import { allAdmitted, createMessageHandler, type ProtocolHandler } from '../protocol/protocol-handler.js'
import type {
  Admission,
  Call,
  CallResult,
  ErrorReport,
  ProtocolOptions,
} from '../protocol/protocol-options.js'
import { serviceSettings } from '../protocol/service-settings.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import { type Admit, createAdmitMessage } from './admission.js'
import { type MethodRoles, methodRoles } from './method-roles.js'

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
  /** Called for each response, including those in a batch. Errors that it throws are ignored. */
  readonly onResponse?: ((report: ResponseReport<Context>) => void) | undefined
}

/** A contract with its handlers, ready for any number of transports. No member throws or rejects. */
export interface RpcService<Context> extends Omit<ProtocolHandler<Exchange<Context>>, 'refuse'> {
  /** Refuses a message whose body is not read. */
  refuse(failure: FailureId, exchange: Exchange<Context>): Answer | Promise<Answer>
  readonly roles: MethodRoles
  /** False if results and items are not validated. */
  readonly validateResults: boolean
  /** Creates the exchange of a message. */
  begin(context: Context, connection?: OpenConnection): Exchange<Context>
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
  const { deadlineMilliseconds, onResponse, validateResults = true } = options
  const onError = options.onError ?? logErrors(options.log ?? stderrLog)
  const roles = methodRoles(options.methods)
  const failures = { ...defaultFailures, ...serviceSettings(options.methods).failures, ...options.failures }
  const protocol = createMessageHandler<Exchange<Context>>({
    ...options,
    methods: roles.served,
    call: createCall(options, roles, failures.methodNotFound),
    validateResults,
    onError: (report) => onError({ ...report, context: report.context?.context }),
    onResponse: onResponse && reportResponses(onResponse),
  })
  const { answerMessage, limits, reporter } = protocol
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
    return admission.then((settled) =>
      exchange.isDisconnected ? disconnected : run(message, settled, exchange),
    )
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

  return {
    ...protocol,
    answer,
    handle: (body, exchange) => answer(protocol.read(body), exchange),
    // The refusal is the answer whatever the unread message contains.
    refuse: (failure, exchange) => answer('parseError', exchange, failureError(failures[failure])),
    roles,
    validateResults,
    begin: (context, connection) => new Exchange(context, deadlineMilliseconds, connection),
    report(report) {
      try {
        onError(report)
      } catch {
        // The connection goes on even when logging fails.
      }
    },
  }
}

/** Creates the function that runs handlers inside the middleware. */
function createCall<M extends Methods, Context>(
  { handlers, middleware = [], log = stderrLog }: ServiceOptions<M, Context>,
  roles: MethodRoles,
  noConnection: Failure,
): Call<Exchange<Context>> {
  const implemented = Object.entries(roles.served).filter(([, method]) => !roles.unsubscribe.has(method))
  const found = findHandlers<Context>(Object.fromEntries(implemented), handlers)
  const runs = new Map<MethodDescriptor, { readonly run: RunCall<Context>; readonly log: Logger }>()
  for (const [method, handler] of found) {
    const own: RunCall<Context> = (call) => handler(call.params, call.context, call)
    const run = middleware.reduceRight((next, wrap) => wrap(next), own)
    runs.set(method, { run, log: logWith(log, { method: method.name }) })
  }
  return (method, params, exchange) => {
    const { connection } = exchange
    const own = runs.get(method)
    if (own === undefined) return connection?.unsubscribe(method, params[0]) ?? false
    const named = namedParams(method, params)
    const run = (signal?: AbortSignal) => {
      const call = new ExchangeCall(method.name, named, exchange, own.log, signal)
      return own.run(middleware.length === 0 ? call : call.spreadable())
    }
    if (!roles.subscribe.has(method)) return run()
    if (connection === undefined)
      throw failureError(noConnection, { detail: `${method.name} needs a connection that stays open` })
    return connection.subscribe(method, exchange, run)
  }
}

/** Returns a log whose entries contain the given details, too. */
function logWith(log: Logger, own: object): Logger {
  return {
    debug: (details, message) => log.debug({ ...own, ...details }, message),
    info: (details, message) => log.info({ ...own, ...details }, message),
    warn: (details, message) => log.warn({ ...own, ...details }, message),
    error: (details, message) => log.error({ ...own, ...details }, message),
  }
}

/** The answer that is not sent, because its caller has disconnected. */
const disconnected: Answer = { status: 499, headers: {}, body: null }

/** Ends an exchange, and adds the headers of its handlers to the answer. */
function ended({ answer }: AnsweredMessage<ItemAnswer>, exchange: Exchange<unknown>): Answer {
  exchange.end()
  const own = exchange.ownHeaders()
  return own === undefined ? answer : { ...answer, headers: { ...own, ...answer.headers } }
}

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
