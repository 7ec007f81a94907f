import { lookup } from 'node:dns/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import type { CorsOptions } from '../http-headers.js'
import { type RegisteredRpc, registerRpc } from '../register-rpc.js'
import { rpcServerOptions } from '../rpc-server-options.js'
import { stopGracefully } from '../stop-gracefully.js'
import { serverJs } from './load-server-js.js'
import { createRouterProtocol, type RouterProtocol, type RouterProtocolOptions } from './router-protocol.js'

/** Where a transport listens, and what holds for every request. */
export interface FastifyTransportOptions extends RouterProtocolOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** `127.0.0.1` when not given; the package's own transports listen on every address. */
  readonly host?: string
  /** Path served, `/` when not given. */
  readonly path?: string
  readonly cors?: Partial<CorsOptions>
}

/** A transport is started twice, or asked for its address before it has one. */
export class TransportStateError extends Error {
  override readonly name = 'TransportStateError'
}

/** A server between start and stop. */
interface Running {
  readonly app: FastifyInstance
  readonly rpc: RegisteredRpc
  url?: string
}

const MILLISECONDS = 1_000

/**
 * HTTP for a server of `@open-rpc/server-js`, as this toolkit speaks it: bodies, headers and time are bounded; what is
 * no JSON, no request or an empty batch is answered with a JSON-RPC error; notifications get 204; ids come back digit
 * for digit. It takes routers of any kind: what reaches one is a request in order, with a list or an object as params.
 */
export class FastifyTransport extends serverJs.transports.ServerTransport {
  readonly #options: FastifyTransportOptions
  readonly #protocol: RouterProtocol
  #running: Running | undefined

  constructor(options: FastifyTransportOptions) {
    super()
    this.#options = options
    this.#protocol = createRouterProtocol(() => this.routers, options)
  }

  /**
   * Where it listens.
   * @throws TransportStateError before it does
   */
  get url(): string {
    const url = this.#running?.url
    if (url === undefined)
      throw new TransportStateError('the transport does not listen yet: start() it first')
    return url
  }

  /** @throws TransportStateError when it was started already; what the system says where the port cannot be had */
  override async start(): Promise<void> {
    if (this.#running !== undefined)
      throw new TransportStateError('the transport was started: stop() it first')
    const { port, host = '127.0.0.1', path = '/', limits, failures, cors } = this.#options
    const app = Fastify(rpcServerOptions({ limits, failures, cors }))
    const protocol = this.#protocol
    const rpc = registerRpc(app, { paths: [path], protocol, authorize: () => undefined, cors, alone: true })
    const running: Running = { app, rpc }
    this.#running = running
    try {
      // By a name that has several addresses Fastify would open several servers, and stop only one gracefully.
      const { address } = await lookup(host)
      running.url = new URL(path, await app.listen({ port, host: address })).href
    } catch (cause) {
      this.#running = undefined
      await app.close()
      throw cause
    }
  }

  /** Answers what is in flight, within `gracefulStopSeconds`, and stops; does nothing where it was not started. */
  override async stop(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    const { gracefulStopSeconds } = this.#protocol.limits
    await stopGracefully({ ...running, deadlineMilliseconds: gracefulStopSeconds * MILLISECONDS })
  }
}
