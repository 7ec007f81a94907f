import { RpcError } from '../rpc/index.js'
import { failureAnswer } from './encode-answer.js'
import { bodyProblem, type HandleRequest } from './http-edge.js'
import type { ProtocolHandler } from './protocol-handler.js'
import type { EdgeRequest } from './send-answer.js'

/**
 * Handles HTTP requests with a protocol handler: authorize, read the body, answer.
 * @param authorize returns the context of a request, or throws the error that answers it
 */
export function handleByProtocol<Context, Request extends EdgeRequest = EdgeRequest>(
  protocol: ProtocolHandler<Context>,
  authorize: (request: Request) => Context | PromiseLike<Context>,
): HandleRequest<Request> {
  const { failures, limits } = protocol
  return async (request, problem) => {
    if (problem !== undefined) return failureAnswer(failures[problem])
    let context: Context
    try {
      context = await authorize(request)
    } catch (cause) {
      return protocol.fail(cause)
    }
    const unread = bodyProblem(request.headers, limits)
    if (unread !== undefined) return protocol.refuse(unread, context)
    try {
      const body = await request.readBody()
      return body === undefined ? undefined : protocol.handle(body, context)
    } catch (cause) {
      return cause instanceof RpcError ? protocol.refuse('bodyTooLarge', context) : protocol.fail(cause)
    }
  }
}
