import type { RpcError } from '@concordat/rpc'
import type { Answer } from '../protocol/encode-answer.js'
import { type Failure, type FailureId, type Failures, failureError } from '../protocol/failures.js'
import type { Limits } from '../protocol/limits.js'
import { ALLOWED_VERBS, type CorsOptions, defaultCors, fixedHeaders } from './http-headers.js'
import { createSendAnswer, type EdgeMessage, type EdgeRequest } from './send-answer.js'

/**
 * Answers an HTTP request to an RPC path. It never throws or rejects.
 * @param problem the reason to refuse the request before any other check
 * @returns undefined when the caller has disconnected
 */
export type HandleRequest<Request = EdgeRequest> = (
  request: Request,
  problem: FailureId | undefined,
) => Answer | undefined | Promise<Answer | undefined>

/** Rules for HTTP requests. */
export interface HttpEdgeOptions {
  readonly limits: Limits
  readonly failures: Failures
  readonly cors?: Partial<CorsOptions> | undefined
}

/** The entry of all transports: each request is handled and its answer is sent. */
export interface HttpEdge<Request extends EdgeRequest = EdgeRequest> {
  /** Handles a POST request to an RPC path. */
  post(request: Request): void
  /** Refuses a request that the router has no handler for. */
  refuse(request: Request, problem: 'wrongVerb' | 'missingKey'): void
  /** Sends an answer. */
  readonly send: (request: Request, answer: Answer) => void
  /** Answers OPTIONS, without any check. */
  preflight(request: Request): void
  /** Creates the error for a too large body. */
  bodyTooLarge(): RpcError
  /** Starts draining: new requests are refused as `draining`, and each connection closes after its answer. */
  drain(): void
}

const HOST = 'host'
/** Some HTTP/1.1 clients offer HTTP/2 with this upgrade; servers may ignore it. */
const IGNORED_UPGRADE = 'h2c'

/** Creates the entry of all transports around one handler. */
export function createHttpEdge<Request extends EdgeRequest>(
  handle: HandleRequest<Request>,
  { limits, failures, cors }: HttpEdgeOptions,
): HttpEdge<Request> {
  const fixed = fixedHeaders({ ...defaultCors, ...cors }, limits.corsMaxAgeSeconds)
  const preflightAnswer: Answer = { status: 204, headers: fixed.preflight, body: null }
  const tooLarge: Failure = failures.bodyTooLarge
  let draining = false
  const send = createSendAnswer(fixed, limits, () => draining)

  function respond(request: Request, problem: FailureId | undefined): void {
    const answer = handle(request, problem)
    if (answer instanceof Promise) answer.then((settled) => sendAnswer(request, settled, problem))
    else sendAnswer(request, answer, problem)
  }

  function sendAnswer(request: Request, answer: Answer | undefined, problem: FailureId | undefined): void {
    if (answer === undefined) request.takeOver?.()
    else if (problem !== 'wrongVerb') send(request, answer)
    else send(request, { ...answer, headers: { ...answer.headers, allow: ALLOWED_VERBS } })
  }

  return {
    post(request) {
      respond(request, draining ? 'draining' : requestProblem(request, limits.headerCount))
    },
    send,
    refuse: (request, problem) => respond(request, draining ? 'draining' : problem),
    preflight: (request) => send(request, preflightAnswer),
    bodyTooLarge: () => failureError(tooLarge),
    drain() {
      draining = true
    },
  }
}

/** The reason to refuse a request before its key is looked up. */
function requestProblem({ headers, raw, params }: EdgeRequest, headerCount: number): FailureId | undefined {
  if (countHeaders(raw) > headerCount) return 'headersTooLarge'
  if (lacksPart(params as Readonly<Record<string, string>>)) return 'missingKey'
  const { upgrade, host } = headers
  if (upgrade !== undefined && upgrade.toLowerCase() !== IGNORED_UPGRADE) return 'wrongVerb'
  const isWithoutHost = host === undefined && raw.httpVersion === '1.1'
  return isWithoutHost || hasTwoHosts(raw) ? 'invalidRequest' : undefined
}

/** Counts raw headers. Requests of the fast lane have none; their headers are counted during parsing. */
const countHeaders = ({ rawHeaders = [] }: EdgeMessage): number => rawHeaders.length / 2

/** With two hosts, a proxy may have used the other one (RFC 9112, section 3.2). */
function hasTwoHosts({ rawHeaders = [] }: EdgeMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === HOST.length && rawHeaders[at]?.toLowerCase() === HOST) hosts += 1
  return hosts > 1
}

/** True for an empty path parameter, because Fastify also routes `/` to `/:key`. */
function lacksPart(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}
