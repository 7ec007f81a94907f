import { guardHttp, type HttpInternals } from './guard-http.js'
import { guardWebSocket, type WebSocketInternals } from './guard-web-socket.js'
import type { ServerTransport } from './load-server-js.js'
import { createRouterProtocol, type RouterProtocolOptions } from './router-protocol.js'

/** Thrown for a transport that cannot be guarded. */
export class UnguardedTransportError extends Error {
  override readonly name = 'UnguardedTransportError'
}

/**
 * Makes a transport of `@open-rpc/server-js` answer like {@link FastifyTransport}. Without it the process
 * ends on a batch that contains `null` and on a WebSocket frame that is not JSON. Call it before the
 * transport starts. Address, middleware and certificates are kept.
 *
 * @returns the same transport
 * @throws UnguardedTransportError for an IPC transport, and if its internals are not those of server-js 1.10
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
