import { methods } from '@concordat/node-access-contract/methods'
import type { Handlers } from '@concordat/node-access-contract/service'
import type { HandlerCall, JsonValue } from '@concordat/rpc'
import { requireContractsAllowed } from '../keys/index.js'
import { MethodCaller, type RequestContext } from './request-context.js'

/**
 * Creates the handlers of the contract. All methods share one function: their network knows the code of a method
 * (`gateway/methods`), or forwards it to a node.
 */
export function createHandlers(): Handlers<RequestContext> {
  const handle = (_params: unknown, context: RequestContext, call: HandlerCall) => {
    const { method, positional } = call
    const params = positional as readonly JsonValue[]
    requireContractsAllowed(context.key.access, method, params)
    return context.network.answer(method, params, new MethodCaller(context, call))
  }
  return Object.fromEntries(
    Object.keys(methods).map((name) => [name, handle]),
  ) as unknown as Handlers<RequestContext>
}
