import { connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { RpcError } from '../../../src/rpc/index.js'
import { registerDirectRpc, registerRpc, rpcServerOptions } from '../../../src/server/fastify/index.js'
import {
  type Answer,
  createProtocolHandler,
  type EdgeRequest,
  type ErrorReport,
  handlersToCall,
  type Limits,
  type NodeRequest,
  type ProtocolOptions,
  protocolEndpoint,
  type RegisteredRpc,
  serveHttp,
} from '../../../src/server/index.js'
import { createCalculator, methods } from '../../unit/server/calculator.js'

/** A calculator with keys on a real socket: `good` and `later` are accepted, `broken` fails, others are refused. */
export interface CalculatorServer {
  readonly app: { close(): PromiseLike<unknown> }
  readonly port: number
  readonly url: string
  readonly reports: ErrorReport<string>[]
  readonly limits: Limits
}

/** The same on Fastify. */
export interface KeyedServer extends CalculatorServer {
  readonly app: FastifyInstance
  readonly rpc: RegisteredRpc
}

const refused = { code: -32016, message: 'This key is not accepted', httpStatus: 401, retryAfterSeconds: 4 }

function authorize(key: string): string | Promise<string> {
  if (key === 'good') return key
  if (key === 'later') return new Promise((resolve) => setImmediate(() => resolve(key)))
  if (key === 'refusedLater') return Promise.reject(new RpcError(refused))
  if (key === 'broken') throw new TypeError('a bug')
  throw new RpcError(refused)
}

function calculatorProtocol(options: Partial<ProtocolOptions<string>>) {
  const reports: ErrorReport<string>[] = []
  const protocol = createProtocolHandler<string>({
    methods,
    call: handlersToCall(methods, createCalculator()),
    envelope: { idRequired: true },
    onError: (report) => reports.push(report),
    ...options,
  })
  const withHeader = (answer: Answer): Answer => ({
    ...answer,
    headers: { ...answer.headers, RateLimit: '"daily";r=9;t=60' },
  })
  const counted: typeof protocol = {
    ...protocol,
    handle: async (body, context) => withHeader(await protocol.handle(body, context)),
    refuse: (failure, context) => withHeader(protocol.refuse(failure, context)),
  }
  return { protocol: counted, reports }
}

const paths = ['/:key', '/v2/:key']
const keyOf = (url: string) => /^\/(?:v2\/)?(?<key>\w+)$/.exec(url)?.groups

/** Starts the server on Node's HTTP and a free port. The caller closes `app`. */
export async function startOnNode(options: Partial<ProtocolOptions<string>> = {}): Promise<CalculatorServer> {
  const { protocol, reports } = calculatorProtocol(options)
  const endpoint = protocolEndpoint(protocol, ({ raw }: NodeRequest) => {
    const [path = ''] = (raw.url ?? '').split('?', 1)
    return authorize(keyOf(decodeURIComponent(path))?.['key'] ?? '')
  })
  const app = await serveHttp({ ...endpoint, paths }, { port: 0 })
  const { origin, port } = new URL(app.url)
  return { app, port: Number(port), url: origin, reports, limits: protocol.limits }
}

/** Starts the server on Fastify and a free port, with the fast lane unless `isDirect` is false. The caller closes `app`. */
export async function startKeyed(
  options: Partial<ProtocolOptions<string>> = {},
  isDirect = true,
  fastLane = true,
): Promise<KeyedServer> {
  const { protocol, reports } = calculatorProtocol(options)
  const { limits } = protocol
  const app = Fastify(rpcServerOptions({ limits }))
  const byKey = ({ params }: EdgeRequest) => authorize((params as { readonly key: string }).key)
  const routes = { ...protocolEndpoint(protocol, byKey), paths, alone: true }
  const rpc = isDirect
    ? registerDirectRpc(app, routes, {
        paramsOf: keyOf,
        addressOf: () => '127.0.0.1',
        fastLane,
      })
    : registerRpc(app, routes)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, rpc, port: Number(new URL(url).port), url, reports, limits }
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
