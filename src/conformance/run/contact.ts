import type { Exchange, Outgoing, Send, TransportTrouble } from '../send/exchange.js'
import { Interrupted } from './interrupted.js'

/** Nothing could be reached by the very first request: there is no run. The message says why in one sentence. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** The very first answer refused whoever asks: a run would only say so of every case. The message says why. */
export class AccessRefused extends Error {
  override readonly name = 'AccessRefused'
}

/** Troubles after which nobody is known to be there; the others are what somebody answered. */
const NOBODY: ReadonlySet<TransportTrouble['kind']> = new Set(['unreachable', 'reset', 'timeout', 'other'])

/**
 * A way to send whose first request goes alone: where it reaches nobody, nothing else is tried.
 * @param signal once it is aborted nothing more is sent, and what is under way is not waited for
 * @returns throws Unreachable where the first request reached nobody, and Interrupted once it is stopped
 */
export function contactedSend(send: Send, signal: AbortSignal | undefined): Send {
  let isMade = false
  let attempt: Promise<void> | undefined
  let unreachable: Unreachable | undefined

  async function makeContact(outgoing: Outgoing): Promise<Exchange> {
    let end: () => void = () => {}
    attempt = new Promise((resolve) => {
      end = resolve
    })
    try {
      const exchange = await unlessStopped(() => send(outgoing), signal)
      if (exchange.trouble !== undefined && NOBODY.has(exchange.trouble.kind)) {
        unreachable = new Unreachable(exchange.trouble.message)
        throw unreachable
      }
      isMade = true
      return exchange
    } finally {
      attempt = undefined
      end()
    }
  }

  return async (outgoing) => {
    while (!isMade) {
      if (unreachable !== undefined) throw unreachable
      // A request that was held back has reached nobody: then the next one is the first.
      if (attempt === undefined) return makeContact(outgoing)
      await attempt
    }
    return unlessStopped(() => send(outgoing), signal)
  }
}

function unlessStopped<Value>(work: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work()
  if (signal.aborted) return Promise.reject(new Interrupted())
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Interrupted())
    signal.addEventListener('abort', stop, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
