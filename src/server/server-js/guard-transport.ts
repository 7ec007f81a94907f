import { guardHttp, type HttpInternals } from './guard-http.js'
import { guardWebSocket, type WebSocketInternals } from './guard-web-socket.js'
import type { ServerTransport } from './load-server-js.js'
import { createRouterProtocol, type RouterProtocolOptions } from './router-protocol.js'

/** A transport cannot be guarded. */
export class UnguardedTransportError extends Error {
  override readonly name = 'UnguardedTransportError'
}

/**
 * Makes a transport of `@open-rpc/server-js` answer as {@link FastifyTransport} does, and live through whatever is
 * sent: left alone it ends the process for a batch that holds `null`, and for a WebSocket frame that is no JSON,
 * before any router is asked. To be called before it starts. Where it listens, its middleware and its certificates
 * stay as they are.
 *
 * @returns the same transport
 * @throws UnguardedTransportError for an IPC transport, and where its parts are not those of server-js 1.10
 */
export function guardTransport<T extends ServerTransport>(
  transport: T,
  options: RouterProtocolOptions = {},
): T {
  const protocol = createRouterProtocol(() => transport.routers, options)
  const parts: Partial<HttpInternals & WebSocketInternals> = Object.fromEntries(Object.entries(transport))
  if (parts.wss !== undefined) {
    guardWebSocket({ wss: parts.wss }, protocol)
    return transport
  }
  if (parts.options?.app !== undefined && guardHttp({ options: parts.options }, protocol)) return transport
  throw new UnguardedTransportError(
    'only HTTPTransport, HTTPSTransport and WebSocketTransport of @open-rpc/server-js 1.10 can be guarded, each with an app of connect',
  )
}
