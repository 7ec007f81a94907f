import type { IncomingMessage } from 'node:http'
import type { EnvelopeRules } from '@concordat/rpc'
import { type ListenOptions, type RunningServer, serveHttp } from './http/node-server.js'
import { writeErrorLine } from './http/write-error-line.js'
import type { FailureId, Failures } from './protocol/failures.js'
import { type HandlersOf, handlersToCall, type Methods } from './protocol/handlers-to-call.js'
import type { Limits } from './protocol/limits.js'
import { createProtocolHandler } from './protocol/protocol-handler.js'
import type { ErrorReport } from './protocol/protocol-options.js'

/** The function that creates the context of handlers. Optional if they accept undefined. */
type ContextOption<Context> = undefined extends Context
  ? { readonly context?: (request: IncomingMessage) => Context | PromiseLike<Context> }
  : { readonly context: (request: IncomingMessage) => Context | PromiseLike<Context> }

/** Options of a server. */
export type ServerOptions<M extends Methods, Context> = ContextOption<Context> & {
  /** The generated `methods` of the contract. */
  readonly methods: M
  /** One function for each method: an implementation of the generated interface `Handlers`. */
  readonly handlers: HandlersOf<M, Context>
  /** Path of the endpoint. A segment that begins with `:` matches any text. Default: `/`. */
  readonly path?: string
  /** The contract document, returned by `rpc.discover`. */
  readonly document?: string
  /** Replaces the contract's `x-envelope`. */
  readonly envelope?: EnvelopeRules
  /** Replaces some of the contract's `x-limits`. */
  readonly limits?: Partial<Limits>
  /** Maximum number of concurrent calls of one batch. Default: 32. */
  readonly batchCallsAtOnce?: number
  /** Replaces some of the contract's `x-failures`. */
  readonly failures?: Partial<Failures>
  /**
   * Called for unexpected errors, and for results and errors that violate the contract. Default: a line on
   * stderr.
   */
  readonly onError?: (report: ErrorReport<Context>) => void
  /** Validates every result, and every error that a handler throws. Default: true. */
  readonly validateResults?: boolean
}

/** A server that is not listening yet. */
export interface RpcServer {
  listen(options: ListenOptions): Promise<RunningServer>
}

/**
 * Creates an HTTP server of a contract. Requests are validated before a handler gets them, and results before
 * the caller gets them. The server enforces `x-limits`, `x-failures` and `x-envelope` by the names in {@link
 * Limits}, {@link FailureId} and {@link EnvelopeRules}. Other facts, such as the cost of a failure, are left
 * to handlers.
 *
 * @throws MissingHandlerError if a method of the contract has no handler; RangeError for a limit or a
 * `batchCallsAtOnce` outside the supported range
 */
export function createServer<M extends Methods, Context = unknown>(
  options: ServerOptions<M, Context>,
): RpcServer {
  const { methods, handlers, path = '/', document } = options
  const protocol = createProtocolHandler<Context>({
    methods,
    call: handlersToCall(methods, handlers),
    document,
    envelope: options.envelope,
    limits: options.limits,
    batchCallsAtOnce: options.batchCallsAtOnce,
    failures: options.failures,
    onError: options.onError ?? writeErrorLine,
    validateResults: options.validateResults ?? true,
  })
  const authorize = options.context ?? (() => undefined as Context)
  return { listen: (address) => serveHttp({ paths: [path], protocol, authorize }, address) }
}
