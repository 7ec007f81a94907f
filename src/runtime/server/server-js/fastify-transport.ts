import { lookup } from 'node:dns/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { registerRpc } from '../fastify/register-rpc.js'
import { rpcServerOptions } from '../fastify/rpc-server-options.js'
import type { CorsOptions } from '../http/http-headers.js'
import { protocolEndpoint } from '../http/protocol-endpoint.js'
import { type RegisteredRpc, stopGracefully } from '../http/stop-gracefully.js'
import { serverJs } from './load-server-js.js'
import { createRouterProtocol, type RouterProtocol, type RouterProtocolOptions } from './router-protocol.js'

/** Options of a transport: address and request rules. */
export interface FastifyTransportOptions extends RouterProtocolOptions {
  /** 0 chooses a free port. */
  readonly port: number
  /** Default: `127.0.0.1`. The package's own transports listen on all addresses. */
  readonly host?: string
  /** Path of the endpoint. Default: `/`. */
  readonly path?: string
  readonly cors?: Partial<CorsOptions>
}

/** A transport is already started, or does not listen yet. */
export class TransportStateError extends Error {
  override readonly name = 'TransportStateError'
}

/** The state of a started server. */
interface Running {
  readonly app: FastifyInstance
  readonly rpc: RegisteredRpc
  url?: string
}

const MILLISECONDS = 1_000

/**
 * HTTP transport for `@open-rpc/server-js` with the guarantees of this toolkit:
 * - limits on bodies, headers and time
 * - JSON-RPC errors for invalid requests
 * - 204 for notifications
 * - ids returned digit for digit
 *
 * It accepts routers of any kind, and passes on only valid requests whose params are a list or an object.
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
   * The URL of the transport.
   * @throws TransportStateError if it does not listen yet
   */
  get url(): string {
    const url = this.#running?.url
    if (url === undefined)
      throw new TransportStateError('the transport does not listen yet: call start() first')
    return url
  }

  /**
   * Starts to listen.
   * @throws TransportStateError if it is already started, or the system's error if the port is not available
   */
  override async start(): Promise<void> {
    if (this.#running !== undefined)
      throw new TransportStateError('the transport is already started: call stop() first')
    const { port, host = '127.0.0.1', path = '/', limits, failures, cors } = this.#options
    const app = Fastify(rpcServerOptions({ limits, failures, cors }))
    const endpoint = protocolEndpoint(this.#protocol, () => undefined, { cors })
    const rpc = registerRpc(app, { ...endpoint, paths: [path], alone: true })
    const running: Running = { app, rpc }
    this.#running = running
    try {
      // Fastify opens one server for each address of a host name and stops only one of them gracefully.
      const { address } = await lookup(host)
      running.url = new URL(path, await app.listen({ port, host: address })).href
    } catch (cause) {
      this.#running = undefined
      await app.close()
      throw cause
    }
  }

  /** Answers requests in flight within `gracefulStopSeconds` and stops. Does nothing if it is not started. */
  override async stop(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    const { gracefulStopSeconds } = this.#protocol.limits
    await stopGracefully({ ...running, deadlineMilliseconds: gracefulStopSeconds * MILLISECONDS })
  }
}
