import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { extensions } from '@concordat/node-access-contract/contract'
import { errorTable } from '@concordat/node-access-contract/errors'
import type { RpcError } from '@concordat/rpc'
import type { EdgeRequest, FailureId } from '@concordat/server'
import type { AcceptedKey } from '../keys/index.js'
import type { Handle, HandledRequest, Outcome } from '../request/index.js'
import { causeText, createErrorLog, type ErrorLog } from './error-log.js'
import type { Log } from './log.js'
import { type Metrics, quotaScope } from './metrics.js'

const errorNames = new Map<number, string>(Object.entries(errorTable).map(([name, { code }]) => [code, name]))

/**
 * The failure of flood attacks. It is not logged at `info`, because each address was logged many times
 * before.
 */
const quietFailure = 'tooManyRefusedKeys'

/** Calls to nodes from which a request is logged also without an error, to find the users who load the nodes. */
const manyNodeCalls = 100

/** Decimal places of milliseconds in the log. */
const roundTo = 1_000

/**
 * Wraps the handling of requests with a log. Each call that failed or caused many calls to nodes gets a line,
 * and at the level `debug` every call. The log contains key ids, method names of the contract and causes of errors, but no other input of
 * callers. Only the messages of nodes may repeat parts of it. A logged request gets an id, which is also sent
 * in its answer.
 */
export function logRequests(log: Log, errorLog: ErrorLog = createErrorLog(log)): (next: Handle) => Handle {
  function refused(error: RpcError, { ip, raw }: EdgeRequest, requestId: string): void {
    const { failure = 'other' } = error
    errorLog(error, { requestId })
    const facts = { requestId, failure, verb: raw.method, address: ip, cause: causeText(error.cause) }
    if (failure === quietFailure) log.debug(facts, 'request refused')
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

  return (next) => async (request, problem, trace) => {
    const handled = await next(request, problem, trace)
    const { key, refusal, calls } = handled
    let id: string | undefined
    const requestId = () => (id ??= requestIdOf(request.headers))
    if (refusal !== undefined) refused(refusal, request, requestId())
    if (key === undefined) return withRequestId(handled, id)
    const isDebugging = log.isLevelEnabled('debug')
    for (const call of calls) {
      if (call.ended !== undefined)
        call.ended.then((outcome) => {
          if (isDebugging || isNotable(outcome)) called(key, outcome, requestId())
        })
      else if (isDebugging || isNotable(call)) called(key, call, requestId())
    }
    return withRequestId(handled, id)
  }
}

/** True for a call that is logged at the level `info`. */
const isNotable = ({ error, nodeCalls }: Outcome) => error !== undefined || nodeCalls >= manyNodeCalls

/** Logs and counts unreadable requests: too slow, headers too large, not HTTP. */
export function createUnreadableLog(log: Log, metrics: Pick<Metrics, 'refuse'>) {
  /** @returns the headers of the answer */
  return (failure: FailureId, { remoteAddress: address }: Socket): Readonly<Record<string, string>> => {
    metrics.refuse(failure)
    const requestId = newId()
    log.info({ requestId, failure, address }, 'request refused')
    return { [header]: requestId }
  }
}

/** The header with the id of a request, and the pattern of the ids that callers and proxies may set. */
const { header, pattern } = extensions['x-http'].requestId
const acceptedId = new RegExp(pattern)
const lowerCaseHeader = header.toLowerCase()

/** Ids of different processes differ. */
const processId = randomBytes(5).toString('hex')
let lastId = 0

function newId(): string {
  lastId += 1
  return `${processId}-${lastId.toString(36)}`
}

/** Returns the id that came with a request, else a new id. */
function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[lowerCaseHeader]
  return typeof given === 'string' && acceptedId.test(given) ? given : newId()
}

function withRequestId(handled: HandledRequest, id: string | undefined): HandledRequest {
  const { answer } = handled
  if (answer === undefined || id === undefined) return handled
  return { ...handled, answer: { ...answer, headers: { ...answer.headers, [header]: id } } }
}
