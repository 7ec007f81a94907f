import { RpcError } from '../rpc/index.js'
import type { ErrorReport } from '../server/index.js'
import type { Caller } from './caller.js'
import type { Log } from './ops/log.js'
import { requestIdOf } from './request-id.js'

/** From this HTTP status on a failure is the service's or a node's, not the caller's. */
const firstServiceStatus = 500

/** The same failure is told at its full level once in this time, in milliseconds: every request may meet it. */
const quietMs = 60_000

/**
 * Makes what logs the things that callers are not told; the reference is the one that the caller was given. What the
 * service or a node could not do is an error, told once a minute; what a caller did is there when debugging.
 * @param now a clock that does not go back, in milliseconds
 */
export function createReportLog(log: Log, now: () => number = () => performance.now()) {
  const toldAt = new Map<string, number>()

  function isNews(cause: unknown, network: string | undefined): boolean {
    if (!(cause instanceof RpcError) || cause.httpStatus < firstServiceStatus) return false
    const failure = `${network} ${cause.httpStatus} ${cause.message}`
    const at = now()
    if (at - (toldAt.get(failure) ?? Number.NEGATIVE_INFINITY) < quietMs) return false
    toldAt.set(failure, at)
    return true
  }

  return (report: ErrorReport<Caller>): void => {
    const { kind, reference, method, problems, cause, context } = report
    const network = context?.network
    const requestId = context && requestIdOf(context.response)
    const facts = { kind, requestId, reference, method, keyId: context?.id, network, problems, err: cause }
    if (kind !== 'errorWithCause') log.error(facts, 'a call failed')
    else if (isNews(cause, network)) log.error(facts, 'calls fail; told once a minute')
    else log.debug(facts, 'an error was answered')
  }
}
