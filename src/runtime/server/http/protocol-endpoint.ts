import { RpcError } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import type { Answer } from '../protocol/encode-answer.js'
import { type FailureDetails, type FailureId, failureError } from '../protocol/failures.js'
import type { HttpSource } from '../protocol/http-source.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import type { Exchange } from '../service/exchange.js'
import { contextOf, type MountOptions } from '../service/mount-options.js'
import type { HttpEndpoint } from './http-edge.js'
import type { CorsOptions } from './http-headers.js'
import { bodyProblem } from './json-body.js'
import type { EdgeRequest } from './send-answer.js'

/** HTTP rules that the application chooses. */
export interface HttpOptions {
  readonly cors?: Partial<CorsOptions> | undefined
  /** Content types of bodies, in lower case. Default: `application/json`. */
  readonly contentTypes?: readonly string[] | undefined
}

type MaybeAnswer = Answer | undefined | Promise<Answer | undefined>

/** The members of a request that are needed to answer it. Fetch requests have no `arrivedBody`. */
type HttpRequest = Pick<EdgeRequest, 'headers' | 'readBody'> &
  Partial<Pick<EdgeRequest, 'arrivedBody'>> &
  HttpSource

/** The part of a protocol handler, or of a service, that answers HTTP requests. */
type HttpProtocol<Context> = Pick<ProtocolHandler<Context>, 'failures' | 'limits' | 'handle'> & {
  refuse(failure: FailureId, context: Context, details?: FailureDetails): Answer | Promise<Answer>
  fail(thrown: unknown, request: HttpSource, context?: Context, body?: Body): Answer
  expect?(context: Context, headers: HttpRequest['headers']): Answer | Promise<Answer> | undefined
  left?(context: Context): void
}

/**
 * Handles HTTP requests with a protocol handler: authorize, read the body, answer. A refusal before the body
 * is read needs no promise, so it is sent before the HTTP parser continues.
 * @param authorize returns the context of a request before its body is read. A thrown RpcError becomes the answer, with
 * its status and `Retry-After`. Anything else is reported and answered with `handlerFailed`.
 */
export function protocolEndpoint<Context, Request extends HttpRequest = EdgeRequest>(
  protocol: HttpProtocol<Context>,
  authorize: (request: Request) => Context | PromiseLike<Context>,
  { cors, contentTypes }: HttpOptions = {},
): HttpEndpoint<Request> {
  const { failures, limits } = protocol
  // The failure is about the number of headers here: Node's parser refuses headers with too many bytes.
  const headerCount = { limit: limits.headerCount, unit: 'headers' }

  function authorized(request: Request, context: Context): MaybeAnswer {
    const unread = bodyProblem(request.headers, limits, contentTypes)
    if (unread === 'bodyTooLarge')
      return protocol.refuse(unread, context, { sent: Number(request.headers['content-length']) })
    if (unread !== undefined) return protocol.refuse(unread, context)
    const refused = protocol.expect?.(context, request.headers)
    if (refused !== undefined) return refused
    const answer = (body: Body | undefined) => {
      if (body !== undefined) return protocol.handle(body, context)
      protocol.left?.(context)
      return undefined
    }
    const body = request.readBody()
    if (!(body instanceof Promise)) return answer(body)
    return body.then(answer, (cause) =>
      cause instanceof RpcError
        ? protocol.refuse('bodyTooLarge', context)
        : protocol.fail(cause, request, context),
    )
  }

  /** True if the body is small and acceptable, so that a refusal can carry the id of its request. */
  function isSmall(request: Request): boolean {
    const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    return bytes <= limits.smallBodyBytes && bodyProblem(request.headers, limits, contentTypes) === undefined
  }

  return {
    limits,
    failures,
    cors,
    fail: (cause, request) => protocol.fail(cause, request),
    handle(request, problem) {
      const failed = (cause: unknown, body?: Body) => protocol.fail(cause, request, undefined, body)
      const refused = (cause: unknown): MaybeAnswer => {
        if (!isSmall(request)) return failed(cause)
        const body = request.arrivedBody?.()
        if (body !== undefined) return failed(cause, body)
        // Node's parser emits the headers before a body that arrived with them.
        const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
        const late =
          request.arrivedBody === undefined
            ? Promise.race([request.readBody(), turn])
            : turn.then(() => request.arrivedBody?.())
        return late.then(
          (read) => failed(cause, read),
          () => failed(cause),
        )
      }
      // A missing key is answered like a refused key.
      if (problem === 'missingKey') return refused(failureError(failures[problem]))
      if (problem !== undefined) {
        const details = problem === 'headersTooLarge' ? { bound: headerCount } : {}
        return protocol.fail(failureError(failures[problem], details), request)
      }
      try {
        const context = authorize(request)
        if (!isPromiseLike(context)) return authorized(request, context)
        return Promise.resolve(context).then((settled) => authorized(request, settled), refused)
      } catch (cause) {
        return refused(cause)
      }
    },
  }
}

/**
 * Handles HTTP requests with a service. A connection that closes before the answer fires the signal of its calls.
 * @param sourceOf returns the request that the context function gets
 */
export function serviceEndpoint<Context, Source, Request extends HttpRequest>(
  options: MountOptions<Source, Context> & HttpOptions,
  sourceOf: (request: Request) => Source,
): HttpEndpoint<Request> {
  const { service } = options
  const contextFor = contextOf(options)
  const begin = (request: Request, context: Context): Exchange<Context> =>
    service.begin(context, undefined, request)
  const endpoint = protocolEndpoint(
    service,
    (request: Request) => {
      const context = contextFor(sourceOf(request))
      return isPromiseLike(context)
        ? context.then((settled) => begin(request, settled))
        : begin(request, context)
    },
    options,
  )
  return { ...endpoint, onUnreadable: service.onUnreadable }
}
