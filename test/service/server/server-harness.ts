import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { type HandlerCall, RpcError } from '../../../src/runtime/rpc/index.js'
import { mountRpc, rpcServerOptions } from '../../../src/runtime/server/fastify/index.js'
import {
  createHttpServer,
  createService,
  type ErrorReport,
  type Limits,
  type ProtocolOptions,
  type StopReport,
} from '../../../src/runtime/server/index.js'
import { createCalculator, methods } from '../../unit/runtime/server/calculator.js'

/** A calculator with keys on a real socket: `good` and `later` are accepted, `broken` fails, others are refused. */
export interface KeyedServer {
  readonly app: { close(): PromiseLike<unknown>; readonly server: Server }
  readonly rpc: { readonly connections: ReadonlySet<Socket> }
  readonly port: number
  readonly url: string
  readonly reports: ErrorReport<string>[]
  readonly limits: Limits
  stop(deadlineMilliseconds: number): Promise<StopReport>
}

const refused = { code: -32016, message: 'This key is not accepted', httpStatus: 401, retryAfterSeconds: 4 }

function authorize(key: string): string | Promise<string> {
  if (key === 'good') return key
  if (key === 'later') return new Promise((resolve) => setImmediate(() => resolve(key)))
  if (key === 'refusedLater') return Promise.reject(new RpcError(refused))
  if (key === 'broken') throw new TypeError('a bug')
  throw new RpcError(refused)
}

/** Options of the calculator. */
export type CalculatorOptions = Partial<
  Pick<ProtocolOptions<string>, 'call' | 'limits' | 'document' | 'failures' | 'envelope'>
>

function calculatorService({ call, ...options }: CalculatorOptions) {
  const reports: ErrorReport<string>[] = []
  const own = createCalculator()
  const handlers = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (_params: object, user: string, { positional }: HandlerCall) => call?.(method, positional, user),
    ]),
  )
  const service = createService<string>({
    methods,
    handlers: call === undefined ? own : (handlers as unknown as typeof own),
    envelope: { idRequired: true },
    validateResults: false,
    onError: (report) => reports.push(report),
    admit: ({ calls }) => ({ admitted: calls, headers: { RateLimit: '"daily";r=9;t=60' } }),
    ...options,
  })
  return { service, reports }
}

const path = ['/:key', '/v2/:key']

/** Starts the server on Node's HTTP and a free port. The caller closes `app`. */
export const startOnNode = (options: CalculatorOptions = {}): Promise<KeyedServer> =>
  startKeyed(options, true, false)

/**
 * Starts the server on a free port: on its own, with the fast lane unless `fastLane` is false, or on Fastify if `isAlone`
 * is false. The caller closes `app`.
 */
export async function startKeyed(
  options: CalculatorOptions = {},
  isAlone = true,
  fastLane = true,
): Promise<KeyedServer> {
  const { service, reports } = calculatorService(options)
  const { limits } = service
  const context = ({ params }: { readonly params: unknown }) =>
    authorize((params as { readonly key: string }).key)
  if (!isAlone) {
    const app = Fastify(rpcServerOptions(service))
    const rpc = mountRpc(app, { service, context, path: '/:key' })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const stop = () => Promise.reject(new TypeError('Fastify stops with close()'))
    return { app, rpc, stop, port: Number(new URL(url).port), url, reports, limits }
  }
  const running = await createHttpServer({ service, context, path, fastLane }).listen({ port: 0 })
  const { origin, port } = new URL(running.url)
  const close = async () => {
    for (const socket of running.connections) socket.destroy()
    await running.close(0)
  }
  return {
    app: { close, server: running.server },
    rpc: running,
    stop: running.close,
    port: Number(port),
    url: origin,
    reports,
    limits,
  }
}

/** The received text of a raw connection until its end, and how it ended. */
export interface Received {
  readonly text: string
  /** The code of the connection's error, such as `ECONNRESET`; undefined after a regular end. */
  readonly error: string | undefined
}

/** A connection whose bytes the test writes itself. */
export interface RawClient {
  readonly socket: Socket
  /** Resolves when the received text matches. */
  until(pattern: RegExp): Promise<string>
  /** Resolves when the connection is closed. */
  readonly closed: Promise<Received>
}

/** Opens a raw connection to a local port. */
export function rawClient(port: number): RawClient {
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  let error: string | undefined
  const waiting = new Set<() => void>()
  const changed = (): void => {
    for (const check of waiting) check()
  }
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    changed()
  })
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    error = cause.code
  })
  const closed = new Promise<Received>((resolve) => {
    socket.on('close', () => {
      changed()
      resolve({ text, error })
    })
  })
  return {
    socket,
    closed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (pattern.test(text)) resolve(text)
          else if (socket.closed) reject(new TypeError(`Closed before ${pattern}: ${text.slice(0, 500)}`))
          else return
          waiting.delete(check)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** The head of a POST, as a client would write it. */
export function postHead(path: string, headers: Readonly<Record<string, string | number>>): string {
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** A whole POST with its body. */
export function post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  return postHead(path, { 'content-length': Buffer.byteLength(body), ...headers }) + body
}

/** A call of the calculator as a body. */
export function call(method: string, params: readonly unknown[], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
