import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EdgeRequest } from '../http/send-answer.js'
import type { Body } from '../protocol/answer-message.js'

/** The Fastify request decorator that holds the {@link RoutedRequest}. */
export const routedRequest = Symbol('routed request')

type Decorated = FastifyRequest & { [routedRequest]?: RoutedRequest | null }

/** A request of a Fastify route. */
export class RoutedRequest implements EdgeRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly #next: () => void
  #resolve: (body: Body | undefined) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** @param next lets Fastify read the body */
  constructor(request: FastifyRequest, reply: FastifyReply, next: () => void = () => undefined) {
    this.request = request
    this.reply = reply
    this.#next = next
  }

  /** Creates a request whose body Fastify reads on demand. */
  static begin(request: FastifyRequest, reply: FastifyReply, next: () => void): RoutedRequest {
    const routed = new RoutedRequest(request, reply, next)
    ;(request as Decorated)[routedRequest] = routed
    return routed
  }

  /** Returns the request that `begin` created; undefined before. */
  static of(request: FastifyRequest): RoutedRequest | undefined {
    return (request as Decorated)[routedRequest] ?? undefined
  }

  get raw() {
    return this.request.raw
  }

  get headers() {
    return this.request.headers
  }

  get params() {
    return this.request.params
  }

  get ip() {
    return this.request.ip
  }

  get response() {
    return this.reply.raw
  }

  readBody(): Promise<Body | undefined> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#next()
    })
  }

  /** Called after Fastify has read the body; a missing body counts as empty. */
  bodyRead(body: unknown): void {
    this.#resolve(typeof body === 'string' || body instanceof Uint8Array ? body : '')
  }

  /** Called when the caller disconnects before the end of the body. */
  disconnected(): void {
    this.#resolve(undefined)
  }

  /** Called when Fastify cannot read the body. */
  bodyFailed(error: unknown): void {
    this.#reject(error)
  }

  takeOver(): void {
    this.reply.hijack()
  }
}
