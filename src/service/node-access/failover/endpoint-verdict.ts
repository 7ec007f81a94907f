import { isTransportError } from '@concordat/client'
import { isRpcError } from '@concordat/node-access-contract/client'
import { untilReset } from '../chain/until-reset.js'

/** What an error of one endpoint means for the others. */
export interface Verdict {
  /** True if another endpoint may be asked. */
  readonly isNext: boolean
  /** Milliseconds for which the endpoint is asked last. */
  readonly restMilliseconds: number
}

/** Errors of connections that were never made, as Node.js names them. */
const unsent: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
])

/**
 * Decides by the kind of an error whether another endpoint is asked. A call that is not repeatable moves on only if it
 * was certainly not executed: no connection was made, the service refused the key, or a limit is spent.
 * @param error error of the endpoint
 * @param isRepeatable true for reads, and for writes that the caller repeats
 * @param rest milliseconds for which an endpoint that fails is asked last
 */
export function verdictOn(error: unknown, isRepeatable: boolean, rest: number): Verdict {
  if (isRpcError(error, 'unauthorized')) return { isNext: true, restMilliseconds: refusedKeyMilliseconds }
  if (isRpcError(error, 'limitExceeded'))
    return { isNext: true, restMilliseconds: Math.max(rest, untilReset(error)) }
  if (isTransportError(error, 'network'))
    return { isNext: isRepeatable || isUnsent(error), restMilliseconds: rest }
  const isDown = isTransportError(error) || isRpcError(error, 'unavailable')
  if (isDown) return { isNext: isRepeatable, restMilliseconds: isTransportError(error, 'invalid') ? 0 : rest }
  const isOwn = isRpcError(error, 'internalError') || isRpcError(error, 'blockNotFound')
  return { isNext: isRepeatable && isOwn, restMilliseconds: 0 }
}

/** Milliseconds for which an endpoint is asked last after a refused key. The key may be enabled again. */
const refusedKeyMilliseconds = 60_000

function isUnsent(error: unknown): boolean {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown }
  return unsent.has(code) || (cause !== undefined && isUnsent(cause))
}
