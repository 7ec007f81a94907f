import { methods } from '@concordat/node-access-contract/methods'
import type { Handlers } from '@concordat/node-access-contract/service'
import type { HandlerCall, JsonValue } from '@concordat/rpc'
import {
  createService,
  type Limits,
  type OnRequest,
  type RpcService,
  type SharedMemory,
} from '@concordat/server'
import { requireContractsAllowed } from '../keys/index.js'
import type { Quota } from '../quota/index.js'
import { createAdmit, createRefuseSpent } from './charge.js'
import { MethodCaller, type RequestContext } from './request-context.js'

/** What the service of the contract is made of. */
export interface RequestServiceOptions {
  readonly quota: Pick<Quota, 'take' | 'spent'>
  /** The memory for the requests of all users. */
  readonly memory: SharedMemory
  /** Queued requests of all users. */
  readonly queuedRequests: number
  /** Large answers that are compressed at once. */
  readonly compressionsAtOnce: number
  /** Concurrent calls of one batch. */
  readonly batchCallsAtOnce: number
  readonly onRequest: OnRequest<RequestContext>
  /** Replaces limits of the contract. */
  readonly limits?: Partial<Limits> | undefined
}

/**
 * Creates the service of the contract: its handlers, the methods of a key, the quota, and the shares of users. The
 * server runs the steps in the order of "The life of a request" in ARCHITECTURE.md.
 */
export function createRequestService(options: RequestServiceOptions): RpcService<RequestContext> {
  const { quota, memory, queuedRequests, compressionsAtOnce } = options
  const { batchCallsAtOnce, onRequest, limits } = options
  return createService<RequestContext>({
    methods,
    handlers: createHandlers(),
    limits,
    listed: ({ key }) => key.access.methods,
    admit: createAdmit(quota),
    refuseEarly: createRefuseSpent(quota),
    sharing: { caller: ({ key }) => key.userId, memory, queuedRequests, compressionsAtOnce },
    batchCallsAtOnce,
    // The results of nodes are checked and normalised where they arrive.
    validateResults: false,
    // The log writes the cause of an error with its request.
    onError: () => undefined,
    onRequest,
  })
}

/**
 * Creates the handlers of the contract. All methods share one function: their network knows the code of a method
 * (`gateway/methods`), or forwards it to a node.
 */
function createHandlers(): Handlers<RequestContext> {
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
