import type { Exchange, Outgoing, Send, TransportTrouble } from '../../send/exchange.js'
import { runDefaults } from '../plan/run-defaults.js'
import { Interrupted, ServiceGone } from './interrupted.js'
import { isUnanswered } from './is-unanswered.js'

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
 * A way to send whose first request goes alone: where it reaches nobody, nothing else is tried. Once many of the latest
 * requests, or very many in all, came to no whole answer, nothing more is sent: each may take all the time there is.
 * @param signal once it is aborted nothing more is sent, and what is under way is not waited for
 * @param onContact looks at the first answer; what it throws, every request ends with
 * @returns throws Unreachable where the first request reached nobody, Interrupted once it is stopped, and ServiceGone
 */
export function contactedSend(
  sender: { readonly send: Send },
  signal: AbortSignal | undefined,
  onContact: (exchange: Exchange) => void = () => {},
): Send {
  let isMade = false
  let attempt: Promise<void> | undefined
  let failure: Unreachable | AccessRefused | undefined
  const patience = new Patience()

  async function makeContact(outgoing: Outgoing): Promise<Exchange> {
    let end: () => void = () => {}
    attempt = new Promise((resolve) => {
      end = resolve
    })
    try {
      if (signal?.aborted) throw new Interrupted()
      const exchange = await unlessStopped(sender.send(outgoing), signal)
      if (exchange.trouble !== undefined && NOBODY.has(exchange.trouble.kind)) {
        throw new Unreachable(exchange.trouble.message)
      }
      onContact(exchange)
      isMade = true
      return patience.tried(exchange, 0)
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
      // A request that was held back has reached nobody: then the next one is the first.
      if (attempt === undefined) return makeContact(outgoing)
      await attempt
    }
    patience.check()
    const before = patience.troubles
    if (signal?.aborted) throw new Interrupted()
    return patience.tried(await unlessStopped(sender.send(outgoing), signal), before)
  }
}

/** How many requests have come to no whole answer. Those without any that were under way together count as one. */
class Patience {
  /** Of the last requests, whether each came to none. */
  readonly #latest: boolean[] = []
  #inAll = 0
  #last = ''

  get troubles(): number {
    return this.#inAll
  }

  /** @param before how many troubles there were when it was sent */
  tried(exchange: Exchange, before: number): Exchange {
    const { trouble } = exchange
    if (isUnanswered(trouble) && before < this.#inAll) return exchange
    this.#latest.push(trouble !== undefined)
    if (this.#latest.length > runDefaults.latestRequests) this.#latest.shift()
    if (trouble !== undefined) {
      this.#inAll++
      this.#last = trouble.message
    }
    return exchange
  }

  /** @throws ServiceGone where it is at its end */
  check(): void {
    const troubles = this.#latest.filter((isTrouble) => isTrouble).length
    const isGone = troubles >= runDefaults.troublesOfLatest
    if (!isGone && this.#inAll < runDefaults.troublesInAll) return
    const many = isGone
      ? `${troubles} of the last ${this.#latest.length} requests`
      : `${this.#inAll} requests`
    throw new ServiceGone(`the run was ended: ${many} came to no whole answer; the last one: ${this.#last}`)
  }
}

/** Resolves with the value, or rejects once the run is stopped. */
function unlessStopped<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Interrupted())
    signal.addEventListener('abort', stop, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
