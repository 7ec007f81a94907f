import type { Logger, MethodDescriptor, RpcError } from '@concordat/rpc'
import type { HttpSource } from '../protocol/http-source.js'
import type { ItemRules } from '../protocol/item-handler.js'
import { maxLimit } from '../protocol/limits.js'
import { createMessageHandler, type ProtocolHandler } from '../protocol/protocol-handler.js'
import type { Admission, ErrorReport, Methods, ProtocolOptions } from '../protocol/protocol-options.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import { createShared, Share, type SharingOptions } from '../sharing/share.js'
import type { Admit } from './admission.js'
import { createCall, type Middleware } from './create-call.js'
import { Exchange, type OpenConnection } from './exchange.js'
import type { HandlersOf } from './handlers-to-call.js'
import { type MethodRoles, methodRoles } from './method-roles.js'
import type { OnRequest } from './request-report.js'
import { createRequestSteps, type RequestSteps } from './request-steps.js'

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
export interface ServiceOptions<Context, M extends Methods = Methods>
  extends Omit<ProtocolOptions<Context>, 'methods' | 'call' | 'onResponse' | 'listed' | 'scopes'> {
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
  /**
   * Refuses a message before its body is read, such as that of a caller whose quota is known to be spent. A body up to
   * `smallBodyBytes` is read nevertheless, so that the answer has the caller's id. `admit` is not called. Default: none.
   */
  readonly refuseEarly?: ((context: Context) => Admission | undefined) | undefined
  /** Names of the methods that exist for a caller; undefined for all. Default: all. */
  readonly listed?: ((context: Context) => readonly string[] | undefined) | undefined
  /**
   * Returns the caller's scopes; undefined grants all. Calls that lack a scope in the method's `x-scopes` fail with
   * `forbidden` before validation. Required if a method has `x-scopes`.
   */
  readonly scopes?: ((context: Context) => readonly string[] | undefined) | undefined
  /**
   * Limits what each caller takes of the process: concurrent and queued requests, time for large bodies, and memory. Callers
   * beyond a limit wait their turn or are refused. Default: no limits.
   */
  readonly sharing?: SharingOptions<Context> | undefined
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
export interface RpcService<Context>
  extends Omit<ProtocolHandler<Exchange<Context>>, 'refuse' | 'fail'>,
    RequestSteps<Context> {
  /** Number of queued requests. */
  queued(): number
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
 * @throws MissingHandlerError if a method of the contract has no handler
 * @throws RangeError for a limit, a `batchCallsAtOnce` or a `deadlineMilliseconds` outside the supported range
 * @throws TypeError if a method has `x-scopes` and there is no option `scopes`
 */
export function createService<Context = unknown, M extends Methods = Methods>(
  options: ServiceOptions<Context, M>,
): RpcService<Context> {
  const { deadlineMilliseconds = Number.POSITIVE_INFINITY, listed, onResponse, scopes, sharing } = options
  const { validateResults = true } = options
  if (!(deadlineMilliseconds > 0))
    throw new RangeError(
      `deadlineMilliseconds must be a number greater than 0, but is ${deadlineMilliseconds}`,
    )
  // Timers with a longer delay fire immediately.
  const deadline = deadlineMilliseconds > maxLimit ? undefined : deadlineMilliseconds
  const onError = options.onError ?? logErrors(options.log ?? stderrLog)
  const roles = methodRoles(options.methods)
  const noConnection = () => failures.methodNotFound
  const protocol = createMessageHandler<Exchange<Context>>(
    {
      ...options,
      methods: roles.served,
      call: createCall(options, roles, noConnection),
      listed: listed && (({ context }) => listed(context)),
      scopes: scopes && (({ context }) => scopes(context)),
      validateResults,
      onError: (report) => onError({ ...report, context: report.context?.context }),
      onResponse: onResponse && reportResponses(onResponse),
    },
    sharing && shareItems,
  )
  const { failures, limits } = protocol
  const shared = sharing && createShared(sharing, limits, failures)
  return {
    ...protocol,
    ...createRequestSteps(protocol, options),
    queued: () => shared?.queue.size() ?? 0,
    roles,
    validateResults,
    begin(context, connection, request) {
      const exchange = new Exchange(context, deadline, connection, request)
      if (sharing !== undefined && shared !== undefined) {
        // The headers are read only if the answer is large, because some transports parse them then.
        const source = request ?? { headers: {}, response: exchange.recipient }
        exchange.share = new Share(shared, sharing.caller(context), source)
      }
      return exchange
    },
    report(report) {
      try {
        onError(report)
      } catch {
        // The connection goes on even when logging fails.
      }
    },
  }
}

/** Counts the work of calls in large bodies, and reserves memory for large responses. */
const shareItems: ItemRules<Exchange<unknown>> = {
  holdAnswer: (bytes, { share }) => share?.holdAnswer(bytes) ?? true,
  worked({ share }, milliseconds) {
    share?.worked(milliseconds)
  },
  isWorkCounted: ({ share }) => share?.isLarge === true,
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
