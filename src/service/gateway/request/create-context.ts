import type { ServerRequest } from '@concordat/server'
import { type AcceptedKey, type RequireClientAllowed, restrictsClient } from '../keys/index.js'
import type { FindKey } from './find-key.js'
import type { FindNetwork } from './find-network.js'
import { RequestContext, type RequestTrace } from './request-context.js'

/** The steps before the body of a request is read. */
export interface ContextSteps {
  readonly findKey: FindKey
  readonly findNetwork: FindNetwork
  readonly requireClientAllowed: RequireClientAllowed
  /** Begins the trace of a request, or continues that of its caller; absent without traces. */
  readonly startTrace?: ((headers: ServerRequest['headers']) => RequestTrace) | undefined
}

/**
 * Creates the context function: key, network, client. A step that returns a value is not awaited, because an await costs
 * about as much as a step.
 * @throws RpcError refusedKey, tooManyRefusedKeys, keyLookupFailed, wrongNetwork, clientRefused, jwtRefused
 */
export function createContext({ findKey, findNetwork, requireClientAllowed, startTrace }: ContextSteps) {
  function contextOf(request: ServerRequest, key: AcceptedKey, trace: RequestTrace | undefined) {
    const { headers } = request
    const network = findNetwork(key, headers.host)
    const context = new RequestContext({ key, network, origin: key.access.origins && headers.origin, trace })
    if (!restrictsClient(key.access)) return context
    const { origin, authorization } = headers
    const client = { address: request.ip, origin, authorization }
    const checking = requireClientAllowed(key, client)
    return checking === undefined ? context : checking.then(() => context)
  }

  return (request: ServerRequest): RequestContext | Promise<RequestContext> => {
    const trace = startTrace?.(request.headers)
    const key = findKey(request)
    return key instanceof Promise
      ? key.then((found) => contextOf(request, found, trace))
      : contextOf(request, key, trace)
  }
}
