import { errorTable } from '@concordat/node-access-contract/errors'
import type { RpcError } from '@concordat/rpc'
import type { RequestFacts } from '@concordat/server'
import type { AcceptedKey } from '../keys/index.js'
import type { Outcome, RequestEvent } from '../request/index.js'
import { causeText, createErrorLog } from './error-log.js'
import type { Log } from './log.js'
import { quotaScope } from './metrics.js'

const errorNames = new Map<number, string>(Object.entries(errorTable).map(([name, { code }]) => [code, name]))

/**
 * The failures of floods. They are not logged at `info`: each address with refused keys was logged many times before, and
 * lines would take an overloaded process the time that it lacks. The metrics count them.
 */
const quietFailures: ReadonlySet<string | undefined> = new Set(['tooManyRefusedKeys', 'queueFull'])

/** Calls to nodes from which a request is logged also without an error, to find the users who load the nodes. */
const manyNodeCalls = 100

/** Decimal places of milliseconds in the log. */
const roundTo = 1_000

/**
 * Creates the log of requests. Each call that failed or caused many calls to nodes gets a line, and at the level `debug`
 * every call. The log contains key ids, method names of the contract and causes of errors, but no other input of
 * callers. Only the messages of nodes may repeat parts of it.
 */
export function logRequests(log: Log): (event: RequestEvent) => void {
  const errorLog = createErrorLog(log)

  function refused(error: RpcError, request: RequestFacts | undefined, requestId: string): void {
    const { failure = 'other' } = error
    errorLog(error, { requestId })
    const { method: verb, ip: address } = request ?? {}
    const facts = { requestId, failure, verb, address, cause: causeText(error.cause) }
    if (quietFailures.has(failure)) log.debug(facts, 'request refused')
    else log.info(facts, 'request refused')
  }

  function called({ id: keyId, network }: AcceptedKey, outcome: Outcome, requestId: string): void {
    const { method, error, milliseconds, nodeCalls } = outcome
    const facts = {
      requestId,
      keyId,
      network,
      method,
      milliseconds: Math.round(milliseconds * roundTo) / roundTo,
      nodeCalls,
    }
    if (error === undefined) {
      if (nodeCalls < manyNodeCalls) log.debug(facts, 'request answered')
      else log.info(facts, 'request answered with many calls to nodes')
      return
    }
    errorLog(error, { requestId, keyId, network, method })
    const { code } = error
    const scope = quotaScope(error)
    const cause = causeText(error.cause)
    log.info({ ...facts, code, error: errorNames.get(code), scope, cause }, 'request failed')
  }

  return (event) => {
    const { request, refusal } = event.report
    if (refusal !== undefined) refused(refusal, request, event.id)
    const isDebugging = log.isLevelEnabled('debug')
    event.eachOutcome((outcome, { key }) => {
      if (isDebugging || isNotable(outcome)) called(key, outcome, event.id)
    })
  }
}

/** True for a call that is logged at the level `info`. */
const isNotable = ({ error, nodeCalls }: Outcome) =>
  nodeCalls >= manyNodeCalls || (error !== undefined && !quietFailures.has(error.failure))
