import { RpcError } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import { type Answer, failureAnswer } from '../protocol/encode-answer.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import type { HandleRequest } from './http-edge.js'
import { bodyProblem } from './json-body.js'
import type { EdgeRequest } from './send-answer.js'

type MaybeAnswer = Answer | undefined | Promise<Answer | undefined>

/**
 * Handles HTTP requests with a protocol handler: authorize, read the body, answer. A refusal before the body
 * is read needs no promise, so it is sent before the HTTP parser continues.
 * @param authorize returns the context of a request, or throws the error for its answer
 * @param contentTypes lower-case content types of bodies. Default: `application/json`
 */
export function handleByProtocol<Context, Request extends EdgeRequest = EdgeRequest>(
  protocol: ProtocolHandler<Context>,
  authorize: (request: Request) => Context | PromiseLike<Context>,
  contentTypes?: readonly string[],
): HandleRequest<Request> {
  const { failures, limits } = protocol

  function authorized(request: Request, context: Context): MaybeAnswer {
    const unread = bodyProblem(request.headers, limits, contentTypes)
    if (unread !== undefined) return protocol.refuse(unread, context)
    const answer = (body: Body | undefined) =>
      body === undefined ? undefined : protocol.handle(body, context)
    const body = request.readBody()
    if (!(body instanceof Promise)) return answer(body)
    return body.then(answer, (cause) =>
      cause instanceof RpcError ? protocol.refuse('bodyTooLarge', context) : protocol.fail(cause),
    )
  }

  return (request, problem) => {
    if (problem !== undefined) return failureAnswer(failures[problem])
    try {
      const context = authorize(request)
      if (!isPromiseLike(context)) return authorized(request, context)
      return Promise.resolve(context).then((settled) => authorized(request, settled), protocol.fail)
    } catch (cause) {
      return protocol.fail(cause)
    }
  }
}
