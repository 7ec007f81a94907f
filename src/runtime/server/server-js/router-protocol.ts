import { serverFailures } from '../protocol/failures.js'
import { serverLimits } from '../protocol/limits.js'
import { handleMessages, type ProtocolHandler } from '../protocol/protocol-handler.js'
import type { ProtocolOptions } from '../protocol/protocol-options.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import type { Router } from './load-server-js.js'
import { createRouterItems } from './router-items.js'

/**
 * The contract's rules for requests, independent of the router. Omitted rules have defaults: the rules of JSON-RPC 2.0,
 * and a line on stderr for errors outside contract routers.
 */
export type RouterProtocolOptions = Pick<
  ProtocolOptions<undefined>,
  'envelope' | 'limits' | 'batchCallsAtOnce' | 'failures' | 'onError'
>

/** JSON-RPC 2.0 between a body and the routers of `@open-rpc/server-js`. No member throws or rejects. */
export type RouterProtocol = ProtocolHandler<undefined>

/**
 * Creates the protocol of a transport.
 *
 * @param routers returns the current routers, in order
 */
export function createRouterProtocol(
  routers: () => readonly Router[],
  options: RouterProtocolOptions,
): RouterProtocol {
  const { envelope = { idRequired: false }, onError = logErrors(stderrLog), batchCallsAtOnce } = options
  const limits = serverLimits({}, options.limits)
  const failures = serverFailures(options.failures, limits)
  return handleMessages((reporter) => createRouterItems({ routers, envelope, failures, reporter }), {
    failures,
    limits,
    onError,
    batchCallsAtOnce,
  })
}
