import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body } from '../protocol/answer-message.js'
import { type Failures, failureError } from '../protocol/failures.js'
import type { Limits } from '../protocol/limits.js'
import { readPace, unpacedBytes } from './body-pace.js'
import type { EdgeMessage, EdgeRequest, ServerRequest } from './send-answer.js'

/** Options shared by all requests of an endpoint. */
interface NodeRequestOptions {
  readonly addressOf: (message: EdgeMessage) => string
  readonly limits: Pick<Limits, 'bodyBytes'>
  readonly failures: Pick<Failures, 'bodyTooLarge'>
}

const ignore = (): void => undefined

/** A request of Node's HTTP server, and that of a framework on top of it. */
export class NodeRequest<Routed = undefined> implements EdgeRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly routed: Routed
  readonly params: ServerRequest['params']
  readonly #options: NodeRequestOptions

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    routed: Routed,
    params: ServerRequest['params'],
    options: NodeRequestOptions,
  ) {
    this.raw = raw
    this.response = response
    this.routed = routed
    this.params = params
    this.#options = options
    // Without a listener, the error of a write after a disconnect would be thrown.
    response.on('error', ignore)
  }

  get method() {
    return this.raw.method
  }

  get headers() {
    return this.raw.headers
  }

  get ip(): string {
    return this.#options.addressOf(this.raw)
  }

  arrivedBody(): Body | undefined {
    const { raw } = this
    if (raw.readableEnded) return textBefore(raw)
    return raw.complete && raw.readableLength > 0 ? (raw.read() as Buffer) : undefined
  }

  readBody(): Promise<Body | undefined> {
    const { raw } = this
    const { failures, limits } = this.#options
    if (raw.readableEnded) return readBefore(raw, this.#options)
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      const onEnd = (): void => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
      const onData = (chunk: Buffer): void => {
        length += chunk.length
        if (length > limits.bodyBytes) {
          raw.off('data', onData)
          raw.off('end', onEnd)
          reject(failureError(failures.bodyTooLarge))
          return
        }
        chunks.push(chunk)
        if (length > unpacedBytes) readPace.took(raw, chunk.length)
      }
      raw.on('data', onData)
      raw.on('end', onEnd)
      raw.on('close', () => {
        readPace.leave(raw)
        resolve(undefined)
      })
    })
  }
}

/** Returns the text or the bytes of a body that a framework has read before; undefined for a parsed body. */
function textBefore({ body }: IncomingMessage & { readonly body?: unknown }): Body | undefined {
  return typeof body === 'string' || body instanceof Uint8Array ? body : undefined
}

async function readBefore(raw: IncomingMessage, { failures, limits }: NodeRequestOptions): Promise<Body> {
  const body = textBefore(raw)
  if (body === undefined)
    throw new TypeError(
      'A body parser has read the request: mount the handler before it, as with express.json()',
    )
  if (Buffer.byteLength(body) > limits.bodyBytes) throw failureError(failures.bodyTooLarge)
  return body
}
