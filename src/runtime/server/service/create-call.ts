import type { Logger, MethodDescriptor } from '@concordat/rpc'
import { type Failure, failureError } from '../protocol/failures.js'
import type { Call, CallResult, Methods, PositionalParams } from '../protocol/protocol-options.js'
import { stderrLog } from '../protocol/stderr-log.js'
import { type Exchange, ExchangeCall, type OpenConnection, type ServerCall } from './exchange.js'
import { findHandlers, type HandlersOf, namedParams } from './handlers-to-call.js'
import type { MethodRoles } from './method-roles.js'

/** Runs a call: the handler, or a middleware around it. */
export type RunCall<Context> = (call: ServerCall<Context>) => CallResult | PromiseLike<CallResult>

/**
 * Wraps the handlers of all methods: `(next) => (call) => next(call)`. It may change the call and the result, and throw
 * an RpcError. `rpc.discover` and invalid requests do not reach it.
 */
export type Middleware<Context> = (next: RunCall<Context>) => RunCall<Context>

/** The handlers of a service, and what wraps them. */
export interface CallOptions<M extends Methods, Context> {
  readonly handlers: HandlersOf<M, Context>
  readonly middleware?: readonly Middleware<Context>[] | undefined
  readonly log?: Logger | undefined
}

/** Creates the function that runs handlers inside the middleware. */
export function createCall<M extends Methods, Context>(
  { handlers, middleware = [], log = stderrLog }: CallOptions<M, Context>,
  roles: MethodRoles,
  noConnection: () => Failure,
): Call<Exchange<Context>> {
  const implemented = Object.entries(roles.served).filter(
    ([, method]) => !roles.unsubscribe.has(method) && !roles.cancel.has(method),
  )
  const found = findHandlers<Context>(Object.fromEntries(implemented), handlers)
  const runs = new Map<MethodDescriptor, { readonly run: RunCall<Context>; readonly log: Logger }>()
  for (const [method, handler] of found) {
    const own: RunCall<Context> = (call) => handler(call.params, call.context, call)
    const run = middleware.reduceRight((next, wrap) => wrap(next), own)
    runs.set(method, { run, log: logWith(log, { method: method.name }) })
  }
  return (method, params, exchange, index = 0, idText = undefined) => {
    const { connection } = exchange
    const own = runs.get(method)
    if (own === undefined) return ownCall(method, params, connection)
    const named = namedParams(method, params)
    const run = (signal?: AbortSignal, cancellation?: AbortSignal) => {
      const call = new ExchangeCall(
        method,
        named,
        params,
        exchange,
        own.log,
        index,
        idText,
        signal,
        cancellation,
      )
      return own.run(middleware.length === 0 ? call : call.spreadable())
    }
    if (!roles.subscribe.has(method)) {
      const isCancellable = roles.cancel.size > 0 && connection !== undefined && idText !== undefined
      return isCancellable
        ? connection.cancellable(idText, (cancellation) => run(undefined, cancellation))
        : run()
    }
    if (connection === undefined)
      throw failureError(noConnection(), { detail: `${method.name} needs a connection that stays open` })
    return connection.subscribe(method, exchange, (signal) => run(signal))
  }

  /** Runs a call that needs no handler: one that cancels another, or ends a subscription. */
  function ownCall(
    method: MethodDescriptor,
    params: PositionalParams,
    connection: OpenConnection | undefined,
  ): CallResult {
    const cancels = roles.cancel.get(method)
    if (cancels === undefined) return connection?.unsubscribe(method, params[0]) ?? false
    connection?.cancel(params[cancels.position], cancels.isAnswered)
    return undefined
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
