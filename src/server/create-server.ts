import { lookup } from 'node:dns/promises'
import Fastify, { type FastifyRequest } from 'fastify'
import type { EnvelopeRules } from '../rpc/index.js'
import type { FailureId, Failures } from './failures.js'
import { type HandlersOf, handlersToCall, type Methods } from './handlers-to-call.js'
import type { Limits } from './limits.js'
import { createProtocolHandler } from './protocol-handler.js'
import type { ErrorReport } from './protocol-options.js'
import { registerRpc } from './register-rpc.js'
import { rpcServerOptions } from './rpc-server-options.js'
import { stopGracefully } from './stop-gracefully.js'
import { writeErrorLine } from './write-error-line.js'

/** How handlers get their context: a function that must be given unless they can do without one. */
type ContextOption<Context> = undefined extends Context
  ? { readonly context?: (request: FastifyRequest) => Context | PromiseLike<Context> }
  : { readonly context: (request: FastifyRequest) => Context | PromiseLike<Context> }

/** What a server of a contract is made of. */
export type ServerOptions<M extends Methods, Context> = ContextOption<Context> & {
  /** The contract's methods: `methods` of generated code. */
  readonly methods: M
  /** One function a method: an implementation of the generated interface `Handlers`. */
  readonly handlers: HandlersOf<M, Context>
  /** Path served, `/` when not given. */
  readonly path?: string
  /** The contract's text, answered to `rpc.discover`. */
  readonly document?: string
  /** In place of the contract's `x-envelope`, which the generated methods carry. */
  readonly envelope?: EnvelopeRules
  /** In place of single limits of the contract's `x-limits`. */
  readonly limits?: Partial<Limits>
  /** How many calls of one batch run concurrently. Default: 32. */
  readonly batchCallsAtOnce?: number
  /** In place of single failures of the contract's `x-failures`. */
  readonly failures?: Partial<Failures>
  /** Called for unexpected errors, and for results and errors that break the contract. Default: a line on stderr. */
  readonly onError?: (report: ErrorReport<Context>) => void
  /** Checks every result, and every error that a handler throws, against the contract. Default: true. */
  readonly validateResults?: boolean
}

/** Where a server listens. */
export interface ListenOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** `127.0.0.1` when not given. */
  readonly host?: string
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string
  /** Stops it; what is in flight is answered first, within `gracefulStopSeconds`. */
  close(): Promise<void>
}

/** A server that does not listen yet. */
export interface RpcServer {
  listen(options: ListenOptions): Promise<RunningServer>
}

const MILLISECONDS = 1_000

/**
 * Makes an HTTP server of a contract: requests are checked against it before a handler sees them, results before a
 * caller sees them. What the contract says of every request (`x-limits`, `x-failures`, `x-envelope`) is kept as far as
 * it speaks of the server by the names of {@link Limits}, {@link FailureId} and {@link EnvelopeRules}; the rest of it,
 * such as the cost of a failure, is for handlers and for what stands in front.
 *
 * @throws MissingHandlerError when a method of the contract has no handler; RangeError for a limit or a `batchCallsAtOnce` that cannot be kept
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
  return {
    async listen({ port, host = '127.0.0.1' }) {
      const app = Fastify(rpcServerOptions(protocol))
      const authorize = options.context ?? (() => undefined as Context)
      const rpc = registerRpc(app, { paths: [path], protocol, authorize, alone: true })
      // By a name that has several addresses Fastify would open several servers, and stop only one gracefully.
      const { address } = await lookup(host)
      const url = new URL(path, await app.listen({ port, host: address })).href
      const deadlineMilliseconds = protocol.limits.gracefulStopSeconds * MILLISECONDS
      return {
        url,
        async close() {
          await stopGracefully({ app, rpc, deadlineMilliseconds })
        },
      }
    },
  }
}
