import { setMaxListeners } from 'node:events'
import type { TransportTrouble } from '../report/index.js'
import { type Exchange, isUnanswered, type Outgoing, type Send } from '../send/exchange.js'
import { runDefaults } from '../terms/run-defaults.js'
import { Interrupted, ServiceGone } from './interrupted.js'

/** The first request did not reach the target, so no run takes place. The message is one sentence. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** The first answer was 401 or 403, so every case would fail the same way. The message is one sentence. */
export class AccessRefused extends Error {
  override readonly name = 'AccessRefused'
}

/** Errors that mean nothing is listening. All other kinds imply a response of some sort. */
const NO_SERVER_KINDS: ReadonlySet<TransportTrouble['kind']> = new Set([
  'unreachable',
  'reset',
  'timeout',
  'other',
])

/**
 * Wraps a sender so that the first request goes alone. If that request reaches no server, no other request is
 * sent. The sender also stops after many failures among the latest requests, or in total, since each may
 * cost a full timeout.
 * @param signal when aborted, stops sending and abandons requests in flight
 * @param onContact inspects the first exchange; an AccessRefused that it throws ends every later request too
 * @param onExchange called with each exchange
 * @returns a send function that throws Unreachable, AccessRefused, ServiceGone, or Interrupted after an abort
 */
export function contactedSend(
  sender: { readonly send: Send },
  signal: AbortSignal | undefined,
  onContact: (exchange: Exchange) => void,
  onExchange?: (exchange: Exchange) => void,
): Send {
  // Each request in flight adds a listener.
  if (signal !== undefined) setMaxListeners(0, signal)
  let isMade = false
  let attempt: Promise<void> | undefined
  let failure: Unreachable | AccessRefused | undefined
  const failures = new FailureCount()

  function record(exchange: Exchange, failuresBefore: number): Exchange {
    onExchange?.(exchange)
    failures.record(exchange, failuresBefore)
    return exchange
  }

  async function makeContact(outgoing: Outgoing): Promise<Exchange> {
    let end: () => void = () => {}
    attempt = new Promise((resolve) => {
      end = resolve
    })
    try {
      if (signal?.aborted) throw new Interrupted()
      const exchange = await unlessStopped(sender.send(outgoing), signal)
      if (exchange.trouble !== undefined && NO_SERVER_KINDS.has(exchange.trouble.kind)) {
        throw new Unreachable(exchange.trouble.message)
      }
      onContact(exchange)
      isMade = true
      return record(exchange, 0)
    } catch (error) {
      if (error instanceof Unreachable || error instanceof AccessRefused) failure = error
      throw error
    } finally {
      attempt = undefined
      end()
    }
  }

  return async (outgoing) => {
    while (!isMade) {
      if (failure !== undefined) throw failure
      // Safe mode may have refused the previous request. The next request is then the first contact.
      if (attempt === undefined) return makeContact(outgoing)
      await attempt
    }
    failures.check()
    const before = failures.total
    if (signal?.aborted) throw new Interrupted()
    return record(await unlessStopped(sender.send(outgoing), signal), before)
  }
}

/** Counts failed requests. Unanswered requests that were in flight together count as one failure. */
class FailureCount {
  /** Failures counted for each of the latest requests; 0 for an answered request. */
  readonly #latest: number[] = []
  #total = 0
  #last = ''

  get total(): number {
    return this.#total
  }

  /** @param before number of failures when the request was sent */
  record({ trouble, outgoing }: Exchange, before: number): void {
    // A server may answer calls but no batches or malformed requests.
    if (isUnanswered(trouble) && !isPlainCall(outgoing)) return
    if (isUnanswered(trouble) && before < this.#total) return
    const isTimeout = trouble?.kind === 'timeout'
    this.#latest.push(trouble === undefined ? 0 : isTimeout ? runDefaults.failuresOfATimeout : 1)
    if (this.#latest.length > runDefaults.latestRequests) this.#latest.shift()
    if (trouble !== undefined) {
      this.#total++
      this.#last = trouble.message
    }
  }

  /** @throws ServiceGone after too many failures */
  check(): void {
    const recent = this.#latest.filter((failures) => failures > 0).length
    const isGone = this.#latest.reduce((sum, failures) => sum + failures, 0) >= runDefaults.troublesOfLatest
    if (!isGone && this.#total < runDefaults.troublesInAll) return
    const many = isGone ? `${recent} of the last ${this.#latest.length} requests` : `${this.#total} requests`
    throw new ServiceGone(
      `the run was aborted: ${many} got no complete answer; the last error: ${this.#last}`,
    )
  }
}

function isPlainCall({ methods, body }: Outgoing): boolean {
  return methods?.length === 1 && body !== undefined && body[0] !== listStart
}

const listStart = '['.charCodeAt(0)

/** Resolves with the value, or rejects with Interrupted as soon as the signal aborts. */
function unlessStopped<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Interrupted())
    signal.addEventListener('abort', stop, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
