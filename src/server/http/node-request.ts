import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Body } from '../protocol/answer-message.js'
import type { HttpEdge } from './http-edge.js'
import type { EdgeMessage, EdgeRequest } from './send-answer.js'

/** Options shared by all requests of a server. */
export interface NodeRequestOptions {
  /** Returns the client's address, as reported by trusted proxies. */
  readonly addressOf: (request: EdgeMessage) => string
  readonly bodyBytes: number
  readonly edge: Pick<HttpEdge, 'bodyTooLarge'>
}

const ignore = (): void => undefined

/** A request of Node's HTTP server. */
export class NodeRequest implements EdgeRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  readonly #options: NodeRequestOptions

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    params: NodeRequest['params'],
    options: NodeRequestOptions,
  ) {
    this.raw = raw
    this.response = response
    this.params = params
    this.#options = options
    // Without a listener, the error of a write after a disconnect would be thrown.
    response.on('error', ignore)
  }

  get headers() {
    return this.raw.headers
  }

  get ip(): string {
    return this.#options.addressOf(this.raw)
  }

  readBody(): Promise<Body | undefined> {
    const { raw } = this
    const { bodyBytes, edge } = this.#options
    if (raw.readableEnded) return readBefore(raw, bodyBytes, edge)
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      const onEnd = (): void => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
      const onData = (chunk: Buffer): void => {
        length += chunk.length
        if (length <= bodyBytes) {
          chunks.push(chunk)
          return
        }
        raw.off('data', onData)
        raw.off('end', onEnd)
        reject(edge.bodyTooLarge())
      }
      raw.on('data', onData)
      raw.on('end', onEnd)
      raw.on('close', () => resolve(undefined))
    })
  }
}

/** Returns the text or the bytes of a body that a framework has read before. */
async function readBefore(
  { body }: IncomingMessage & { readonly body?: unknown },
  bodyBytes: number,
  edge: NodeRequestOptions['edge'],
): Promise<Body> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError(
      'A body parser has read the request: mount the handler before it, as with express.json()',
    )
  if (Buffer.byteLength(body) > bodyBytes) throw edge.bodyTooLarge()
  return body
}

/**
 * Creates the step that closes a response after a disconnect. With pipelined requests, Node closes only the
 * current response. The later responses would never get the event, and would keep their memory.
 */
export function createCloseWithConnection(): (response: ServerResponse) => void {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>()
  const begin = (socket: Socket): Set<ServerResponse> => {
    const responses = new Set<ServerResponse>()
    unanswered.set(socket, responses)
    socket.once('close', () => {
      for (const response of responses) {
        if (response.socket !== null) continue
        response.destroy()
        response.emit('close')
      }
    })
    return responses
  }
  return (response) => {
    const { socket } = response.req
    const responses = unanswered.get(socket) ?? begin(socket)
    responses.add(response)
    response.on('close', () => responses.delete(response))
  }
}
