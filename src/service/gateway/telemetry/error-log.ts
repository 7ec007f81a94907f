import { errorTable } from '@concordat/node-access-contract/errors'
import type { RpcError } from '@concordat/rpc'
import { type Log, withoutParameters } from './log.js'

/** Lowest HTTP status of a server error. */
const firstServiceStatus = 500

/**
 * Interval in milliseconds in which each cause is logged as an error at most once, because every request may
 * repeat it.
 */
const quietMs = 60_000

/** Maximum number of causes that are logged as errors in an interval, because nodes can invent new ones. */
const mostCauses = 100

/** The request in which an error happened. */
export interface ErrorFacts {
  readonly requestId: string
  readonly keyId?: string
  readonly network?: string
  readonly method?: string | undefined
}

/** Logs the details of an error that callers do not see. */
export type ErrorLog = (error: RpcError, facts: ErrorFacts) => void

/**
 * Creates the log of errors that have a cause. A defect is logged each time, with the reference that the
 * caller got. An error of the service or of a node is logged as an error once a minute for each cause. Errors
 * of callers are logged at the level `debug`.
 * @param now a monotonic clock, in milliseconds
 */
export function createErrorLog(log: Log, now: () => number = () => performance.now()): ErrorLog {
  const causes = new Set<string>()
  let since = now()

  function isNew(error: RpcError, network: string | undefined): boolean {
    if (error.httpStatus < firstServiceStatus && error.code !== errorTable.internalError.code) return false
    if (now() - since >= quietMs) {
      causes.clear()
      since = now()
    }
    // Numbers differ between requests: times, blocks, addresses.
    const cause = causeText(error.cause)?.replace(/0x[0-9a-f]+|\d+/gi, '#')
    const failure = `${network} ${error.message} ${cause}`
    if (causes.has(failure) || causes.size >= mostCauses) return false
    causes.add(failure)
    return true
  }

  return (error, facts) => {
    const { cause } = error
    if (cause === undefined) return
    if (error.failure === 'handlerFailed') {
      const reference = Object(error.data)['reference']
      log.error({ kind: 'handlerFailed', ...facts, reference, err: cause }, 'a call failed')
      return
    }
    const all = { kind: 'errorWithCause', ...facts, err: error }
    if (isNew(error, facts.network)) log.error(all, 'calls fail; this cause is logged at most once a minute')
    else log.debug(all, 'an error was answered')
  }
}

/** Maximum length of a cause in the log, in characters. */
const mostCharacters = 500

/**
 * Formats the cause of an error as one line for the log. It contains the names and messages of nested errors,
 * and a node's error without its data.
 * @returns undefined when there is no cause
 */
export function causeText(cause: unknown): string | undefined {
  if (cause === undefined || cause === null) return undefined
  const safe = withoutParameters(cause)
  if (safe instanceof Error) {
    const inner = causeText(safe.cause)
    const own = `${safe.name}: ${safe.message}`
    return short(inner === undefined ? own : `${own} (${inner})`)
  }
  return short(typeof safe === 'string' ? safe : JSON.stringify(safe, withoutData))
}

const short = (text: string) => text.slice(0, mostCharacters)

/** The data of a node's error can be large. */
const withoutData = (name: string, value: unknown) =>
  name === 'data' ? undefined : typeof value === 'string' ? short(value) : value
