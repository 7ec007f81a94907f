import type { Answer } from '../protocol/encode-answer.js'
import type { FailureId, Failures } from '../protocol/failures.js'
import type { HttpSource } from '../protocol/http-source.js'
import type { Limits } from '../protocol/limits.js'
import type { OnUnreadable } from './client-errors.js'
import { ALLOWED_VERBS, type CorsOptions, fixedHeaders } from './http-headers.js'
import { createSendAnswer, type EdgeMessage, type EdgeRequest, type SendAnswer } from './send-answer.js'

/** A reason to refuse an HTTP request before its key is looked up. */
export type RequestProblem = Extract<
  FailureId,
  'missingKey' | 'wrongVerb' | 'headersTooLarge' | 'invalidRequest'
>

/**
 * Answers an HTTP request to an RPC path. It never throws or rejects.
 * @param problem the reason to refuse the request before any other check
 * @returns undefined when the caller has disconnected
 */
export type HandleRequest<Request = EdgeRequest> = (
  request: Request,
  problem: RequestProblem | undefined,
) => Answer | undefined | Promise<Answer | undefined>

/** How the requests to RPC paths are handled, and by which rules. */
export interface HttpEndpoint<Request = EdgeRequest> {
  readonly limits: Limits
  readonly failures: Failures
  readonly cors?: Partial<CorsOptions> | undefined
  readonly handle: HandleRequest<Request>
  /** Creates the answer to an error outside `handle`. Default: `handlerFailed`. */
  readonly fail?: ((cause: unknown, request: HttpSource) => Answer) | undefined
  /** Called for each request that Node's HTTP server could not read. */
  readonly onUnreadable?: OnUnreadable | undefined
}

/** The entry of all transports: each request is handled and its answer is sent. */
export interface HttpEdge<Request extends EdgeRequest = EdgeRequest> {
  /**
   * Handles a request: POST is served, OPTIONS is answered without any check, and other verbs are refused.
   * @param problem the reason to refuse the request
   */
  receive(request: Request, problem?: 'missingKey'): void
  /** Sends an answer. */
  readonly send: SendAnswer
  /** Starts draining: each connection closes after its next answer. */
  drain(): void
}

const HOST = 'host'
/** Some HTTP/1.1 clients offer HTTP/2 with this upgrade; servers may ignore it. */
const IGNORED_UPGRADE = 'h2c'

/** Creates the entry of all transports around one handler. */
export function createHttpEdge<Request extends EdgeRequest>({
  handle,
  limits,
  cors,
}: HttpEndpoint<Request>): HttpEdge<Request> {
  const fixed = fixedHeaders(cors, limits)
  const preflightAnswer: Answer = { status: 204, headers: fixed.preflight, body: null }
  let draining = false
  const send = createSendAnswer(fixed, limits, () => draining)

  function respond(request: Request, problem: RequestProblem | undefined): void {
    const answer = handle(request, problem)
    if (answer instanceof Promise) answer.then((settled) => sendAnswer(request, settled, problem))
    else sendAnswer(request, answer, problem)
  }

  function sendAnswer(
    request: Request,
    answer: Answer | undefined,
    problem: RequestProblem | undefined,
  ): void {
    if (answer === undefined) return
    if (problem !== 'wrongVerb') send(request, answer)
    else send(request, { ...answer, headers: { ...answer.headers, allow: ALLOWED_VERBS } })
  }

  return {
    receive(request, problem) {
      if (request.raw.method === 'OPTIONS') send(request, preflightAnswer)
      else respond(request, problem ?? requestProblem(request, limits.headerCount))
    },
    send,
    drain() {
      draining = true
    },
  }
}

/** The reason to refuse a request before its key is looked up. */
function requestProblem(
  { headers, raw, params }: EdgeRequest,
  headerCount: number,
): RequestProblem | undefined {
  if (raw.method !== 'POST') return 'wrongVerb'
  if (countHeaders(raw) > headerCount) return 'headersTooLarge'
  if (lacksPart(params)) return 'missingKey'
  const { upgrade, host } = headers
  if (upgrade !== undefined && upgrade.toLowerCase() !== IGNORED_UPGRADE) return 'wrongVerb'
  const isWithoutHost = host === undefined && raw.httpVersion === '1.1'
  return isWithoutHost || hasTwoHosts(raw) ? 'invalidRequest' : undefined
}

/** Counts raw headers. Requests without raw headers were already counted by the parser. */
const countHeaders = ({ rawHeaders = [] }: EdgeMessage): number => rawHeaders.length / 2

/** With two hosts, a proxy may have used the other one (RFC 9112, section 3.2). */
function hasTwoHosts({ rawHeaders = [] }: EdgeMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === HOST.length && rawHeaders[at]?.toLowerCase() === HOST) hosts += 1
  return hosts > 1
}

/** True for an empty path parameter, because Fastify also routes `/` to `/:key`. */
function lacksPart(params: EdgeRequest['params']): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}
