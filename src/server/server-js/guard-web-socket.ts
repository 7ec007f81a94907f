import { wholeText } from '../encode-answer.js'
import type { RouterProtocol } from './router-protocol.js'

/** A connection of the package `ws`, as much of it as is used. */
interface WebSocket {
  on(event: 'message', listener: (data: Uint8Array | readonly Uint8Array[] | ArrayBuffer) => void): unknown
  on(event: 'error', listener: (cause: Error) => void): unknown
  send(text: string | Uint8Array, options: { readonly binary: false }, sent: () => void): void
  close(): void
}

/** The part of a WebSocket transport of the package that is replaced; its types keep it to itself. */
export interface WebSocketInternals {
  readonly wss: {
    readonly options: { maxPayload?: number }
    listeners(event: 'connection'): readonly ((socket: WebSocket) => void)[]
    off(event: 'connection', listener: (socket: WebSocket) => void): unknown
    on(event: 'connection', listener: (socket: WebSocket) => void): unknown
  }
}

/**
 * Replaces what a WebSocket transport does with a connection: a frame is read as an HTTP body is, one that is no JSON
 * is answered, a notification is not. Longer frames than a body may be end their connection (RFC 6455, section 7.4.1:
 * 1009), and so do broken ones; neither ends the process.
 */
export function guardWebSocket({ wss }: WebSocketInternals, protocol: RouterProtocol): void {
  const [own] = wss.listeners('connection')
  if (own !== undefined) wss.off('connection', own)
  wss.options.maxPayload = protocol.limits.bodyBytes
  wss.on('connection', (socket) => {
    // The connection is closed by then; without a listener the error would end the process.
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
