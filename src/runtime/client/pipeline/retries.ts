import { exponentialDelay } from '@concordat/rpc'
import { type ClientContract, methodOf } from '../client-contract.js'
import { clientDefaults } from '../client-options.js'
import type { AttemptedCall } from './attempted-call.js'
import { longestTimer } from './pending-call.js'

/** Upper bound of the wait before the second attempt, in milliseconds. It doubles with each attempt. */
const firstDelay = 200

/** What decides about another attempt: members of the errors of the client. */
interface RetryFacts {
  readonly kind: string
  readonly code: number
  readonly httpStatus: number
  readonly retryAfterSeconds: number
}

/**
 * Returns how long to wait before a failed call is sent again: exponential backoff with full jitter, or at
 * least `Retry-After` (RFC 9110, section 10.2.3).
 * @param call the call
 * @param error the error of its latest attempt
 * @param contract the effects of its methods. Methods without a stated effect count as writes.
 * @returns milliseconds, or undefined if the call must not be repeated
 */
export function retryDelay(
  { method, retry, attempts, deadline }: Pick<AttemptedCall, 'method' | 'retry' | 'attempts' | 'deadline'>,
  error: unknown,
  contract: ClientContract,
): number | undefined {
  if (retry === false) return undefined
  const defaults = clientDefaults.retry
  const {
    attempts: most = defaults.attempts,
    maxDelayMilliseconds: longest = defaults.maxDelayMilliseconds,
    writes,
  } = retry ?? {}
  const { kind, code, httpStatus, retryAfterSeconds } = error as Partial<RetryFacts>
  const isRead = methodOf(contract, method)?.effect === 'read'
  const isBusy = httpStatus === 429 && retryAfterSeconds !== undefined
  const isTransient =
    isBusy ||
    kind === 'network' ||
    [502, 503, 504].includes(httpStatus ?? 0) ||
    contract.transient?.includes(code ?? 0)
  if (!isTransient || !(isRead || writes) || !(attempts < most)) return undefined
  const asked = (retryAfterSeconds ?? 0) * 1_000
  const failures = retryAfterSeconds === undefined ? attempts : 1
  const delay = asked + Math.random() * exponentialDelay(failures, firstDelay, longest)
  // Timers with a longer delay fire immediately.
  const isPossible = asked <= longest && delay <= longestTimer
  return isPossible && performance.now() + delay < deadline ? delay : undefined
}
