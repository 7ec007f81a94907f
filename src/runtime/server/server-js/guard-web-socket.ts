import { wholeText } from '../protocol/encode-answer.js'
import type { RouterProtocol } from './router-protocol.js'

/** The used part of a connection of the package `ws`. */
interface WebSocket {
  on(event: 'message', listener: (data: Uint8Array | readonly Uint8Array[] | ArrayBuffer) => void): unknown
  on(event: 'error', listener: (cause: Error) => void): unknown
  send(text: string | Uint8Array, options: { readonly binary: false }, sent: () => void): void
  close(): void
}

/** The replaced part of a WebSocket transport of the package, which its types do not expose. */
export interface WebSocketInternals {
  readonly wss: {
    readonly options: { maxPayload?: number }
    listeners(event: 'connection'): readonly ((socket: WebSocket) => void)[]
    off(event: 'connection', listener: (socket: WebSocket) => void): unknown
    on(event: 'connection', listener: (socket: WebSocket) => void): unknown
  }
}

/**
 * Replaces the message handling of a WebSocket transport. A frame is treated like an HTTP body: invalid JSON
 * gets an error response, and a notification gets no response. A frame over the maximum body size, or a
 * broken one, closes only its connection and not the process (RFC 6455, section 7.4.1: 1009).
 */
export function guardWebSocket({ wss }: WebSocketInternals, protocol: RouterProtocol): void {
  const [own] = wss.listeners('connection')
  if (own !== undefined) wss.off('connection', own)
  wss.options.maxPayload = protocol.limits.bodyBytes
  wss.on('connection', (socket) => {
    // The connection is already closed at this point. Without a listener, the error would end the process.
    socket.on('error', () => undefined)
    socket.on('message', (data) => {
      answerText(protocol, bytesOf(data)).then(
        (text) => {
          if (text !== null) socket.send(text, { binary: false }, () => undefined)
        },
        () => socket.close(),
      )
    })
  })
}

async function answerText(protocol: RouterProtocol, message: Uint8Array) {
  const { body } = await protocol.handle(message, undefined)
  return body === null ? null : wholeText(body)
}

function bytesOf(data: Uint8Array | readonly Uint8Array[] | ArrayBuffer): Uint8Array {
  if (data instanceof Uint8Array) return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : Buffer.concat(data)
}
