import type { Socket } from 'node:net'
import { errorTable } from '../../../generated/errors.js'
import { type MethodDescriptor, RpcError } from '../../rpc/index.js'
import type { EdgeReply, EdgeRequest, FailureId } from '../../server/index.js'
import type { Caller } from '../request/caller.js'
import type { Usage } from '../usage/usage.js'
import { causeText } from './cause-text.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics.js'
import { newRequestIdHeader, requestIdOf } from './request-id.js'
import { serverFailures } from './server-failures.js'

/** Lets a request in by its key; throws or rejects with the contract's errors. */
type Authorize = (request: EdgeRequest, reply: EdgeReply) => Caller | Promise<Caller>

/** Counts what is answered and writes it down: a line for each failed request, for each request when debugging. */
export interface RequestLog {
  /** A response to a caller who was let in. */
  onResponse(
    method: MethodDescriptor | undefined,
    error: RpcError | undefined,
    caller: Caller | undefined,
  ): void
  /** A request that nobody was asked about: no key, wrong verb, draining. */
  onRefused(failure: FailureId, request: EdgeRequest, reply: EdgeReply): void
  /** What could not be read as a request: too slow, headers too large, no HTTP. Returns headers for its answer. */
  onUnreadable(failure: FailureId, socket: Socket): Readonly<Record<string, string>>
  /** Notes whom `authorize` does not let in. */
  noting(authorize: Authorize): Authorize
}

const errorNames = new Map<number, string>(Object.entries(errorTable).map(([name, { code }]) => [code, name]))
const failureNames = new Map<string, string>(
  Object.entries(serverFailures).map(([name, { message }]) => [message, name]),
)
/** Messages that hold a value, such as `{network}`: up to there, with the names of their failures. */
const failureBeginnings = [...failureNames]
  .filter(([message]) => message.includes('{'))
  .map(([message, name]) => [message.slice(0, message.indexOf('{')), name] as const)
const failureOf = ({ message }: RpcError) =>
  failureNames.get(message) ?? failureBeginnings.find(([beginning]) => message.startsWith(beginning))?.[1]

const microsecondsPerMillisecond = 1_000

/** Refusals that a flood consists of: each address was logged many times before. */
const quietFailure = 'tooManyRefusedKeys'

/**
 * Makes the log of requests. It holds ids of keys, the contract's method names and the causes of errors, and nothing
 * else that a caller sent; a node's words can repeat a part of that.
 */
export function createRequestLog(log: Log, metrics: Metrics, usage: Pick<Usage, 'count'>): RequestLog {
  const isDebugging = () => log.isLevelEnabled('debug')

  function refused(failure: string, { ip, raw }: EdgeRequest, reply: EdgeReply, cause?: string): void {
    metrics.refuse(failure)
    const facts = { requestId: requestIdOf(reply.raw), failure, verb: raw.method, address: ip, cause }
    if (failure === quietFailure) log.debug(facts, 'request refused')
    else log.info(facts, 'request refused')
  }

  function notLetIn(error: unknown, request: EdgeRequest, reply: EdgeReply): never {
    const isRpcError = error instanceof RpcError
    const failure = isRpcError ? failureOf(error) : 'handlerFailed'
    refused(failure ?? 'other', request, reply, causeText(isRpcError ? error.cause : error))
    throw error
  }

  return {
    onResponse(method, error, caller) {
      if (caller === undefined) return
      const { id: keyId, network, startedAt, keyState } = caller
      const milliseconds = startedAt === 0 ? 0 : performance.now() - startedAt
      caller.trace?.responded(method?.name, error?.code)
      metrics.answered(network, method?.name, error?.code, milliseconds)
      const microseconds = milliseconds * microsecondsPerMillisecond
      usage.count(keyId, method?.name ?? '', error?.code ?? 0, microseconds, keyState)
      if (error === undefined && !isDebugging()) return
      const facts = {
        requestId: requestIdOf(caller.response),
        keyId,
        network,
        method: method?.name,
        milliseconds: Math.round(milliseconds * 1_000) / 1_000,
      }
      if (error === undefined) {
        log.debug(facts, 'request answered')
        return
      }
      const scope = scopeOf(error)
      if (scope !== undefined) metrics.refuseQuota(scope)
      const cause = causeText(error.cause)
      log.info(
        { ...facts, code: error.code, error: errorNames.get(error.code), scope, cause },
        'request failed',
      )
    },
    onRefused: refused,
    onUnreadable(failure, { remoteAddress: address }) {
      metrics.refuse(failure)
      const { header, id: requestId } = newRequestIdHeader()
      log.info({ requestId, failure, address }, 'request refused')
      return { [header]: requestId }
    },
    noting: (authorize) => (request, reply) => {
      try {
        const caller = authorize(request, reply)
        return caller instanceof Promise
          ? caller.catch((cause: unknown) => notLetIn(cause, request, reply))
          : caller
      } catch (cause) {
        return notLetIn(cause, request, reply)
      }
    },
  }
}

/** The limit of requests that refused it; undefined when none did. */
function scopeOf({ code, data }: RpcError): string | undefined {
  if (code !== errorTable.limitExceeded.code || typeof data !== 'object' || data === null) return undefined
  const scope = 'scope' in data ? data['scope'] : undefined
  return typeof scope === 'string' ? scope : undefined
}
