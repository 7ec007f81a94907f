import { RpcError } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import type { Exchange } from '../protocol/exchange.js'
import type { FailureId } from '../protocol/failures.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import { contextOf, type HttpOptions, type MountOptions } from '../service/mount-options.js'
import type { HttpEndpoint } from './http-edge.js'
import { bodyProblem } from './json-body.js'
import type { EdgeRequest } from './send-answer.js'

/** The part of a protocol handler, or of a service, that answers HTTP requests. */
type HttpProtocol<Context> = Pick<ProtocolHandler<Context>, 'failures' | 'limits' | 'fail' | 'handle'> & {
  refuse(failure: FailureId, context: Context): Answer | Promise<Answer>
}

type MaybeAnswer = Answer | undefined | Promise<Answer | undefined>

/**
 * Handles HTTP requests with a protocol handler: authorize, read the body, answer. A refusal before the body
 * is read needs no promise, so it is sent before the HTTP parser continues.
 * @param authorize returns the context of a request before its body is read. A thrown RpcError becomes the answer, with
 * its status and `Retry-After`. Anything else is reported and answered with `handlerFailed`.
 */
export function protocolEndpoint<
  Context,
  Request extends Pick<EdgeRequest, 'headers' | 'readBody'> = EdgeRequest,
>(
  protocol: HttpProtocol<Context>,
  authorize: (request: Request) => Context | PromiseLike<Context>,
  { cors, contentTypes }: HttpOptions = {},
): HttpEndpoint<Request> {
  const { failures, limits, fail } = protocol

  function authorized(request: Request, context: Context): MaybeAnswer {
    const unread = bodyProblem(request.headers, limits, contentTypes)
    if (unread !== undefined) return protocol.refuse(unread, context)
    const answer = (body: Body | undefined) =>
      body === undefined ? undefined : protocol.handle(body, context)
    const body = request.readBody()
    if (!(body instanceof Promise)) return answer(body)
    return body.then(answer, (cause) =>
      cause instanceof RpcError ? protocol.refuse('bodyTooLarge', context) : fail(cause),
    )
  }

  return {
    limits,
    failures,
    cors,
    fail,
    handle(request, problem) {
      if (problem !== undefined) return failureAnswer(failures[problem])
      try {
        const context = authorize(request)
        if (!isPromiseLike(context)) return authorized(request, context)
        return Promise.resolve(context).then((settled) => authorized(request, settled), fail)
      } catch (cause) {
        return fail(cause)
      }
    },
  }
}

/**
 * Handles HTTP requests with a service. A connection that closes before the answer fires the signal of its calls.
 * @param sourceOf returns the request that the context function gets
 */
export function serviceEndpoint<Context, Source, Request extends EdgeRequest>(
  options: MountOptions<Source, Context> & HttpOptions,
  sourceOf: (request: Request) => Source,
): HttpEndpoint<Request> {
  const { service } = options
  const contextFor = contextOf(options)
  const begin = ({ response }: Request, context: Context): Exchange<Context> => {
    const exchange = service.begin(context)
    response.once('close', () => {
      if (!response.writableFinished) exchange.disconnect()
    })
    return exchange
  }
  return protocolEndpoint(
    service,
    (request: Request) => {
      const context = contextFor(sourceOf(request))
      return isPromiseLike(context)
        ? context.then((settled) => begin(request, settled))
        : begin(request, context)
    },
    options,
  )
}
