import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { callerContext, type HttpEdge } from '../http-edge.js'
import type { EdgeMessage, EdgeReply, EdgeRequest } from '../send-answer.js'

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

/** The response to such a request, as Fastify would hand it out. */
class DirectReply implements EdgeReply {
  readonly raw: ServerResponse

  constructor(response: ServerResponse) {
    this.raw = response
  }

  hijack(): void {
    // Nobody else answers.
  }
}

/** Such a request, as Fastify would hand it out. */
class DirectRequest implements EdgeRequest {
  readonly raw: IncomingMessage
  readonly params: Readonly<Record<string, string>>
  body: Uint8Array | undefined = undefined;
  [callerContext]: unknown = undefined
  readonly #addressOf: DirectRequests['addressOf']

  constructor(raw: IncomingMessage, params: DirectRequest['params'], addressOf: DirectRequests['addressOf']) {
    this.raw = raw
    this.params = params
    this.#addressOf = addressOf
  }

  get headers() {
    return this.raw.headers
  }

  get ip(): string {
    return this.#addressOf(this.raw)
  }
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
    const request = new DirectRequest(raw, params, addressOf)
    const reply = new DirectReply(response)
    edge.gate(request, reply, () => readBody(request, reply, edge, bodyBytes))
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

/** Reads a body of up to so many bytes. One that is cut off is answered nothing: its connection is gone. */
function readBody(request: DirectRequest, reply: DirectReply, edge: HttpEdge, bodyBytes: number): void {
  const { raw } = request
  let first: Buffer | undefined
  let chunks: Buffer[] | undefined
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > bodyBytes) {
      raw.off('data', onData)
      raw.off('end', onEnd)
      edge.tooLarge(request, reply)
    } else if (first === undefined) first = chunk
    else if (chunks === undefined) chunks = [first, chunk]
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    request.body = chunks === undefined ? first : Buffer.concat(chunks, length)
    edge.post(request, reply)
  }
  raw.on('data', onData)
  raw.on('end', onEnd)
}
