import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FailureId } from './failures.js'
import { ALLOWED_VERBS, type CorsOptions, defaultCors, fixedHeaders } from './http-headers.js'
import { isPromiseLike } from './in-order.js'
import { isJsonBody } from './media-type.js'
import type { ProtocolHandler } from './protocol-handler.js'
import type { Answer } from './protocol-options.js'
import { createSender } from './send-answer.js'
import { failureAnswer } from './single-answer.js'

/** Who may come in, and what is done for them. */
export interface HttpEdgeOptions<Context> {
  readonly protocol: ProtocolHandler<Context>
  /**
   * Lets a request in before its body is read, and says who it is from. What it throws is the answer: an RpcError
   * with its status and `Retry-After`; anything else is reported and answered `handlerFailed`.
   */
  readonly authorize: (request: FastifyRequest, reply: FastifyReply) => Context | PromiseLike<Context>
  readonly cors?: Partial<CorsOptions> | undefined
  /** Told of each request that is refused before anybody asked whom it is from, before its answer is sent. */
  readonly onRefused?:
    | ((failure: FailureId, request: FastifyRequest, reply: FastifyReply) => void)
    | undefined
}

/** The steps of an HTTP request that are Fastify's to call. */
export interface HttpEdge {
  /** `onRequest` of POST: draining, upgrade, authorization, media type, announced length. */
  gate(request: FastifyRequest, reply: FastifyReply, next: () => void): void
  /** Handler of POST: its body is read. */
  post(request: FastifyRequest, reply: FastifyReply): void
  /** `onRequest` of OPTIONS: free of every check. */
  preflight(request: FastifyRequest, reply: FastifyReply): void
  /** `onRequest` of every other verb. */
  wrongVerb(request: FastifyRequest, reply: FastifyReply): void
  /** Error handler: a body that could not be read to its end. */
  unreadable(error: Error & { readonly code?: string }, request: FastifyRequest, reply: FastifyReply): void
  /** Answers a request to a path that nothing serves, as a request without a key. */
  unknownPath(request: FastifyRequest, reply: FastifyReply): void
  /** From now on every new request is answered `draining`, and every connection ends behind its answer. */
  drain(): void
}

/** Where a request keeps the context that `authorize` gave it; a Fastify request decorator. */
export const callerContext = Symbol('caller context')

type CallerRequest<Context> = FastifyRequest & { [callerContext]: Context }

const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'
const ABORTED = 'ECONNRESET'
const NO_BODY = Buffer.alloc(0)
/** Offered by plain HTTP/1.1 clients that would rather speak HTTP/2; a server may go on as if it had not seen it. */
const IGNORED_UPGRADE = 'h2c'

/** Makes the steps of an HTTP request around a protocol handler, in the order of its life. */
export function createHttpEdge<Context>(options: HttpEdgeOptions<Context>): HttpEdge {
  const { protocol } = options
  const { failures, limits } = protocol
  const fixed = fixedHeaders({ ...defaultCors, ...options.cors }, limits.corsMaxAgeSeconds)
  const preflightAnswer: Answer = { status: 204, headers: fixed.preflight, body: null }
  let draining = false
  const sender = createSender(fixed, limits, () => draining)

  function refuse(request: FastifyRequest, reply: FastifyReply, failure: FailureId): void {
    const answer = failureAnswer(failures[failure])
    options.onRefused?.(failure, request, reply)
    const headers = failure === 'wrongVerb' ? { ...answer.headers, allow: ALLOWED_VERBS } : answer.headers
    sender.sendUnread(request, reply, { ...answer, headers })
  }

  /** Refuses a caller who was let in: the answer carries the headers that such a caller is owed. */
  function turnAway(request: FastifyRequest, reply: FastifyReply, failure: FailureId): void {
    const answer = protocol.refuse(failure, (request as CallerRequest<Context>)[callerContext])
    if (isPromiseLike(answer)) answer.then((settled) => sender.sendUnread(request, reply, settled))
    else sender.sendUnread(request, reply, answer)
  }

  function enter(request: FastifyRequest, reply: FastifyReply, context: Context, next: () => void): void {
    const caller = request as CallerRequest<Context>
    caller[callerContext] = context
    const failure = bodyProblem(request.headers, limits.bodyBytes)
    if (failure === undefined) next()
    else turnAway(request, reply, failure)
  }

  function authorize(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
    const refused = (cause: unknown): void => sender.sendUnread(request, reply, protocol.fail(cause))
    try {
      const context = options.authorize(request, reply)
      if (isPromiseLike(context)) {
        Promise.resolve(context).then((settled) => enter(request, reply, settled, next), refused)
        return
      }
      enter(request, reply, context, next)
    } catch (cause) {
      refused(cause)
    }
  }

  return {
    gate(request, reply, next) {
      const failure = draining ? 'draining' : requestProblem(request)
      if (failure === undefined) authorize(request, reply, next)
      else refuse(request, reply, failure)
    },
    post(request, reply) {
      const body = request.body instanceof Uint8Array ? request.body : NO_BODY
      const answer = protocol.handle(body, (request as CallerRequest<Context>)[callerContext])
      if (isPromiseLike(answer)) answer.then((settled) => sender.send(reply, settled))
      else sender.send(reply, answer)
    },
    preflight: (request, reply) => sender.sendUnread(request, reply, preflightAnswer),
    wrongVerb: (request, reply) => refuse(request, reply, draining ? 'draining' : 'wrongVerb'),
    unknownPath: (request, reply) => refuse(request, reply, draining ? 'draining' : 'missingKey'),
    unreadable(error, request, reply) {
      if (error.code === TOO_LARGE) turnAway(request, reply, 'bodyTooLarge')
      else if (error.code === ABORTED || request.raw.destroyed) reply.hijack()
      else sender.sendUnread(request, reply, protocol.fail(error))
    },
    drain() {
      draining = true
    },
  }
}

/** What is wrong with a request before anybody asks whom it is from. */
function requestProblem({ headers, raw, params }: FastifyRequest): FailureId | undefined {
  if (lacksPart(params as Readonly<Record<string, string>>)) return 'missingKey'
  const { upgrade, host } = headers
  if (upgrade !== undefined && upgrade.toLowerCase() !== IGNORED_UPGRADE) return 'wrongVerb'
  return host === undefined && raw.httpVersion === '1.1' ? 'invalidRequest' : undefined
}

/** Fastify lets `/` pass for `/:key`. */
function lacksPart(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}

/** What the headers say against reading the body. */
function bodyProblem(headers: IncomingHttpHeaders, bodyBytes: number): FailureId | undefined {
  if (!isJsonBody(headers['content-type'], headers['content-encoding'])) return 'unsupportedMediaType'
  const length = headers['content-length']
  return length !== undefined && Number(length) > bodyBytes ? 'bodyTooLarge' : undefined
}
