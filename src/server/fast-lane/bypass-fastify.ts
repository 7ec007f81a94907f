import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Body } from '../answer-message.js'
import type { HttpEdge } from '../http-edge.js'
import type { EdgeMessage, EdgeRequest } from '../send-answer.js'

/** Which requests are answered without Fastify's router, hooks and body parser, which cost as much as all the rest. */
export interface DirectRequests {
  /**
   * The parameters of the path of a POST request to an RPC path; undefined leaves the request to Fastify, where it is
   * answered the same, or by another route.
   * @param url as the request has it
   * @param bytes of the request, in which the URL begins at `urlAt`, where they are there
   */
  readonly paramsOf: (
    url: string,
    bytes?: Uint8Array,
    urlAt?: number,
  ) => Readonly<Record<string, string>> | undefined
  /** The address of the client of a request, behind the proxies that are believed. */
  readonly addressOf: (request: EdgeMessage) => string
  /** False: Node's parser reads every request, and the fast lane takes none. Default: true. */
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

/** What all requests of a server share. */
interface DirectRequestOptions extends Pick<DirectRequests, 'addressOf'> {
  readonly bodyBytes: number
  readonly edge: HttpEdge
}

/** Takes requests before Fastify does, and leaves it those that are not for an RPC path. */
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
    // Written to after its connection was lost, a response says so; nobody is there to be told.
    response.on('error', ignore)
    edge.post(new DirectRequest(raw, response, params, { addressOf, bodyBytes, edge }))
  })
}

/**
 * Makes the step that closes a response when its connection is lost. Of pipelined requests Node closes only the
 * response that is due; the others would never hear of the loss, and keep what they hold.
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
