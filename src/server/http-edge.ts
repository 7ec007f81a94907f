import type { IncomingHttpHeaders } from 'node:http'
import type { FailureId } from './failures.js'
import { ALLOWED_VERBS, type CorsOptions, defaultCors, fixedHeaders } from './http-headers.js'
import { isPromiseLike } from './in-order.js'
import { isJsonBody } from './media-type.js'
import type { ProtocolHandler } from './protocol-handler.js'
import type { Answer } from './protocol-options.js'
import { createSender, type EdgeMessage, type EdgeReply, type EdgeRequest } from './send-answer.js'
import { failureAnswer } from './single-answer.js'

/** Who may come in, and what is done for them. */
export interface HttpEdgeOptions<Context, Request = EdgeRequest, Reply = EdgeReply> {
  readonly protocol: ProtocolHandler<Context>
  /**
   * Lets a request in before its body is read, and says who it is from. What it throws is the answer: an RpcError
   * with its status and `Retry-After`; anything else is reported and answered `handlerFailed`.
   */
  readonly authorize: (request: Request, reply: Reply) => Context | PromiseLike<Context>
  readonly cors?: Partial<CorsOptions> | undefined
  /** Told of each request that is refused before anybody asked whom it is from, before its answer is sent. */
  readonly onRefused?: ((failure: FailureId, request: Request, reply: Reply) => void) | undefined
}

/** The steps of an HTTP request, for whoever takes it. */
export interface HttpEdge<Request = EdgeRequest, Reply = EdgeReply> {
  /** `onRequest` of POST: draining, upgrade, authorization, media type, announced length. */
  gate(request: Request, reply: Reply, next: () => void): void
  /** Handler of POST: its body is read. */
  post(request: Request, reply: Reply): void
  /** `onRequest` of OPTIONS: free of every check. */
  preflight(request: Request, reply: Reply): void
  /** `onRequest` of every other verb. */
  wrongVerb(request: Request, reply: Reply): void
  /** A body that turned out to be longer than allowed. */
  tooLarge(request: Request, reply: Reply): void
  /** Error handler: a body that could not be read to its end. */
  unreadable(error: Error & { readonly code?: string }, request: Request, reply: Reply): void
  /** Answers a request to a path that nothing serves, as a request without a key. */
  unknownPath(request: Request, reply: Reply): void
  /** From now on every new request is answered `draining`, and every connection ends behind its answer. */
  drain(): void
}

/** Where a request keeps the context that `authorize` gave it; a Fastify request decorator. */
export const callerContext = Symbol('caller context')

type CallerRequest<Context> = EdgeRequest & { [callerContext]: Context }
const contextOf = <Context>(request: EdgeRequest) => (request as CallerRequest<Context>)[callerContext]

const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'
const ABORTED = 'ECONNRESET'
const HOST = 'host'
const NO_BODY = ''
/** Offered by plain HTTP/1.1 clients that would rather speak HTTP/2; a server may go on as if it had not seen it. */
const IGNORED_UPGRADE = 'h2c'

/** Makes the steps of an HTTP request around a protocol handler, in the order of its life. */
export function createHttpEdge<Context, Request extends EdgeRequest, Reply extends EdgeReply>(
  options: HttpEdgeOptions<Context, Request, Reply>,
): HttpEdge<Request, Reply> {
  const { protocol } = options
  const { failures, limits } = protocol
  const fixed = fixedHeaders({ ...defaultCors, ...options.cors }, limits.corsMaxAgeSeconds)
  const preflightAnswer: Answer = { status: 204, headers: fixed.preflight, body: null }
  let draining = false
  const sender = createSender(fixed, limits, () => draining)

  function refuse(request: Request, reply: Reply, failure: FailureId): void {
    const answer = failureAnswer(failures[failure])
    options.onRefused?.(failure, request, reply)
    const headers = failure === 'wrongVerb' ? { ...answer.headers, allow: ALLOWED_VERBS } : answer.headers
    sender.sendUnread(request, reply, { ...answer, headers })
  }

  /** Refuses a caller who was let in: the answer carries the headers that such a caller is owed. */
  function turnAway(request: Request, reply: Reply, failure: FailureId): void {
    const answer = protocol.refuse(failure, contextOf<Context>(request))
    if (isPromiseLike(answer)) answer.then((settled) => sender.sendUnread(request, reply, settled))
    else sender.sendUnread(request, reply, answer)
  }

  function enter(request: Request, reply: Reply, context: Context, next: () => void): void {
    ;(request as EdgeRequest as CallerRequest<Context>)[callerContext] = context
    const failure = bodyProblem(request.headers, limits.bodyBytes)
    if (failure === undefined) next()
    else turnAway(request, reply, failure)
  }

  function authorize(request: Request, reply: Reply, next: () => void): void {
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
      const failure = draining ? 'draining' : requestProblem(request, limits.headerCount)
      if (failure === undefined) authorize(request, reply, next)
      else refuse(request, reply, failure)
    },
    post(request, reply) {
      const { body } = request
      const isRead = typeof body === 'string' || body instanceof Uint8Array
      const answer = protocol.handle(isRead ? body : NO_BODY, contextOf<Context>(request))
      if (isPromiseLike(answer)) answer.then((settled) => sender.send(reply, settled))
      else sender.send(reply, answer)
    },
    preflight: (request, reply) => sender.sendUnread(request, reply, preflightAnswer),
    wrongVerb: (request, reply) => refuse(request, reply, draining ? 'draining' : 'wrongVerb'),
    unknownPath: (request, reply) => refuse(request, reply, draining ? 'draining' : 'missingKey'),
    tooLarge: (request, reply) => turnAway(request, reply, 'bodyTooLarge'),
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

/** Checks a request before its key is looked up. */
function requestProblem({ headers, raw, params }: EdgeRequest, headerCount: number): FailureId | undefined {
  if (countHeaders(raw) > headerCount) return 'headersTooLarge'
  if (lacksPart(params as Readonly<Record<string, string>>)) return 'missingKey'
  const { upgrade, host } = headers
  if (upgrade !== undefined && upgrade.toLowerCase() !== IGNORED_UPGRADE) return 'wrongVerb'
  const isWithoutHost = host === undefined && raw.httpVersion === '1.1'
  return isWithoutHost || hasTwoHosts(raw) ? 'invalidRequest' : undefined
}

/** Requests of the plain lane have no raw headers; they are counted as they are read. */
const countHeaders = ({ rawHeaders = [] }: EdgeMessage): number => rawHeaders.length / 2

/** Whoever stands between may have gone by the other one (RFC 9112, section 3.2). */
function hasTwoHosts({ rawHeaders = [] }: EdgeMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === HOST.length && rawHeaders[at]?.toLowerCase() === HOST) hosts += 1
  return hosts > 1
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
