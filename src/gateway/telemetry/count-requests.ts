import { errorTable } from '../../../generated/errors.js'
import type { RpcError } from '../../rpc/index.js'
import type { AcceptedKey } from '../keys/accepted-key.js'
import type { Handle, Outcome } from '../request/handled-request.js'
import type { Usage } from '../usage/usage.js'
import type { Metrics } from './metrics.js'

const microsecondsPerMillisecond = 1_000

/** Wraps the handling of requests: counts refused requests, and answered calls for the metrics and the usage statistics. */
export function countRequests(metrics: Metrics, usage: Pick<Usage, 'count'>): (next: Handle) => Handle {
  function count({ id, network, keyState }: AcceptedKey, { method, error, milliseconds }: Outcome): void {
    metrics.answered(network, method, error?.code, milliseconds)
    const microseconds = milliseconds * microsecondsPerMillisecond
    usage.count(id, method ?? '', error?.code ?? 0, microseconds, keyState)
    const scope = error && quotaScope(error)
    if (scope !== undefined) metrics.refuseQuota(scope)
  }

  return (next) => async (request, problem, trace) => {
    const handled = await next(request, problem, trace)
    const { key, refusal, calls } = handled
    if (refusal !== undefined) metrics.refuse(refusal.failure ?? 'other')
    if (key === undefined) return handled
    for (const call of calls) {
      if (call.ended === undefined) count(key, call)
      else call.ended.then((outcome) => count(key, outcome))
    }
    return handled
  }
}

/** The limit that refused a call, as in the error's `data`; undefined for other errors. */
export function quotaScope({ code, data }: RpcError): string | undefined {
  if (code !== errorTable.limitExceeded.code || typeof data !== 'object' || data === null) return undefined
  const scope = 'scope' in data ? data['scope'] : undefined
  return typeof scope === 'string' ? scope : undefined
}
