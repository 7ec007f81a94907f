import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { HttpEdge } from '../http/http-edge.js'
import type { EdgeMessage, EdgeRequest } from '../http/send-answer.js'
import type { Body } from '../protocol/answer-message.js'

/**
 * Selects the requests that bypass Fastify's router, hooks and body parser, which are half of the total cost.
 */
export interface DirectRequests {
  /**
   * Returns the path parameters of a POST request to an RPC path. If undefined, Fastify handles the request,
   * with the same result or with another route.
   * @param url the URL of the request line
   * @param bytes the bytes of the request, if available
   * @param urlAt offset of the URL in `bytes`
   */
  readonly paramsOf: (
    url: string,
    bytes?: Uint8Array,
    urlAt?: number,
  ) => Readonly<Record<string, string>> | undefined
  /** Returns the client's address, as reported by trusted proxies. */
  readonly addressOf: (request: EdgeMessage) => string
  /** If false, Node's parser reads every request, without the fast lane. Default: true. */
  readonly fastLane?: boolean | undefined
}

const ignore = (): void => undefined

/** A request of Node's HTTP server. */
class DirectRequest implements EdgeRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  readonly #addressOf: DirectRequests['addressOf']
  readonly #bodyBytes: number
  readonly #edge: HttpEdge

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    params: DirectRequest['params'],
    { addressOf, bodyBytes, edge }: DirectRequestOptions,
  ) {
    this.raw = raw
    this.response = response
    this.params = params
    this.#addressOf = addressOf
    this.#bodyBytes = bodyBytes
    this.#edge = edge
  }

  get headers() {
    return this.raw.headers
  }

  get ip(): string {
    return this.#addressOf(this.raw)
  }

  readBody(): Promise<Body | undefined> {
    const { raw } = this
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      const onEnd = (): void => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
      const onData = (chunk: Buffer): void => {
        length += chunk.length
        if (length <= this.#bodyBytes) {
          chunks.push(chunk)
          return
        }
        raw.off('data', onData)
        raw.off('end', onEnd)
        reject(this.#edge.bodyTooLarge())
      }
      raw.on('data', onData)
      raw.on('end', onEnd)
      raw.once('close', () => resolve(undefined))
    })
  }
}

/** Options shared by all requests of a server. */
interface DirectRequestOptions extends Pick<DirectRequests, 'addressOf'> {
  readonly bodyBytes: number
  readonly edge: HttpEdge
}

/** Handles requests to RPC paths before Fastify, and passes on all other requests. */
export function bypassFastify(
  { server }: FastifyInstance,
  { paramsOf, addressOf }: DirectRequests,
  edge: HttpEdge,
  bodyBytes: number,
): void {
  const others = server.listeners('request')
  server.removeAllListeners('request')
  const closeWithConnection = createCloseWithConnection()
  server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    closeWithConnection(response)
    const params = raw.method === 'POST' ? paramsOf(raw.url ?? '') : undefined
    if (params === undefined) {
      for (const listener of others) listener.call(server, raw, response)
      return
    }
    // Without a listener, the error of a write after a disconnect would be thrown.
    response.on('error', ignore)
    edge.post(new DirectRequest(raw, response, params, { addressOf, bodyBytes, edge }))
  })
}

/**
 * Creates the step that closes a response after a disconnect. With pipelined requests, Node closes only the
 * current response. The later responses would never get the event, and would keep their memory.
 */
function createCloseWithConnection(): (response: ServerResponse) => void {
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
    response.once('close', () => responses.delete(response))
  }
}
