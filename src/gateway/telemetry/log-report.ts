import { errorTable } from '../../../generated/errors.js'
import { RpcError } from '../../rpc/index.js'
import type { ErrorReport } from '../../server/index.js'
import type { Caller } from '../request/caller.js'
import { causeText } from './cause-text.js'
import type { Log } from './log.js'
import { requestIdOf } from './request-id.js'

/** From this HTTP status on a failure is the service's or a node's, not the caller's. */
const firstServiceStatus = 500

/** Each cause of a failure is logged as an error once in this time, in milliseconds: every request may meet it. */
const quietMs = 60_000

/** Causes that are logged as errors in this time, at most: a node can make up new ones. */
const mostCauses = 100

/**
 * Makes the log of what callers are not told; the reference is the one that the caller was given. A failure of the
 * service or a node is an error, logged once a minute for each cause; an error that a caller provoked is logged when
 * debugging. The request log has a line with the cause for each of them.
 * @param now a clock that does not go back, in milliseconds
 */
export function createReportLog(log: Log, now: () => number = () => performance.now()) {
  const causes = new Set<string>()
  let since = now()

  function isNews(error: unknown, network: string | undefined): boolean {
    if (!(error instanceof RpcError)) return false
    if (error.httpStatus < firstServiceStatus && error.code !== errorTable.internalError.code) return false
    if (now() - since >= quietMs) {
      causes.clear()
      since = now()
    }
    // Numbers differ with each request: times, blocks, addresses.
    const cause = causeText(error.cause)?.replace(/0x[0-9a-f]+|\d+/gi, '#')
    const failure = `${network} ${error.message} ${cause}`
    if (causes.has(failure) || causes.size >= mostCauses) return false
    causes.add(failure)
    return true
  }

  return (report: ErrorReport<Caller>): void => {
    const { kind, reference, method, problems, cause, context } = report
    const network = context?.network
    const requestId = context && requestIdOf(context.response)
    const facts = { kind, requestId, reference, method, keyId: context?.id, network, problems, err: cause }
    if (kind !== 'errorWithCause') log.error(facts, 'a call failed')
    else if (isNews(cause, network)) log.error(facts, 'calls fail; this cause is logged once a minute')
    else log.debug(facts, 'an error was answered')
  }
}
