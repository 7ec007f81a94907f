import { type Clock, systemClock } from './clock.js'
import {
  type Exchange,
  NotSent,
  type Outgoing,
  type Reply,
  type Send,
  type TransportTrouble,
} from './exchange.js'
import {
  type AttemptLimits,
  type Connections,
  createConnections,
  type HttpRequest,
  StaleConnection,
} from './http-attempt.js'
import { Pacer } from './pacer.js'
import { percentDecoded } from './percent-decoded.js'
import { retryAfter } from './retry-after.js'
import { createSafeMode, type SafeModeOptions } from './safe-mode.js'
import { sendDefaults } from './send-defaults.js'
import { Slots } from './slots.js'
import { transportTrouble } from './transport-trouble.js'

/** What a sender is made of. */
export interface SenderOptions extends SafeModeOptions {
  /** Billed requests at most; undefined for any number. */
  readonly budget: number | undefined
  /** HTTP requests a second at most, evenly spaced; undefined for any number. */
  readonly perSecond: number | undefined
  /** HTTP requests at the same time. */
  readonly concurrency: number
  /** Time for a whole answer, its body included. */
  readonly timeoutMilliseconds: number
  /** Size of an answer's body, decompressed. */
  readonly maximumBytes: number
  /**
   * What the contract says is charged at most for an answer with an HTTP status: where that is less than what the
   * request counts, the rest is given back to the budget. Without it every request counts in full.
   */
  readonly charges?: ReadonlyMap<number, number> | undefined
  /** Headers of every request, which the request's own ones replace. */
  readonly headers: Readonly<Record<string, string>>
  /** Told of each wait that the service asked for. */
  readonly onLimited?:
    | ((wait: { readonly status: number; readonly milliseconds: number }) => void)
    | undefined
  /** This machine's clock by default. */
  readonly clock?: Clock | undefined
}

/** What was sent so far. */
export interface SendCounts {
  /** HTTP requests, those that were sent again included. */
  readonly http: number
  /** What they count against the budget: what a service may have billed at most, by its contract. */
  readonly billed: number
  /** Calls of methods of which the contract does not say that they only read. */
  readonly writes: number
  /** Requests that safe mode held back. */
  readonly heldBack: number
  /** Answers 429 and 503 that were waited for. */
  readonly limited: number
  /** Requests that came to no whole answer. */
  readonly unanswered: number
}

/** The only way out of the runner. */
export interface Sender {
  /** Sends a request and gives what came; throws NotSent, and nothing else, where nothing was sent. */
  readonly send: Send
  counts(): SendCounts
  /** Billed requests that the budget still has; undefined without a budget. */
  remaining(): number | undefined
  /** Ends what is under way and closes all connections. */
  close(): void
}

/** Makes a sender. */
export function createSender(options: SenderOptions): Sender {
  return new HttpSender(options)
}

/** A request that may be sent, and how often it calls what does more than read. */
interface Cleared {
  readonly outgoing: Outgoing
  readonly request: HttpRequest
  readonly writes: number
}

class HttpSender implements Sender {
  readonly #counts = { http: 0, billed: 0, writes: 0, heldBack: 0, limited: 0, unanswered: 0 }
  readonly #options: SenderOptions
  readonly #judge: ReturnType<typeof createSafeMode>
  readonly #clock: Clock
  readonly #slots: Slots
  readonly #pacer: Pacer
  readonly #closing = new AbortController()
  readonly #connections: Connections
  /** After a connection that was closed early, a request goes over a new one. */
  readonly #newConnections: Connections

  constructor(options: SenderOptions) {
    this.#options = options
    this.#judge = createSafeMode(options)
    this.#clock = options.clock ?? systemClock
    this.#slots = new Slots(options.concurrency)
    this.#pacer = new Pacer(options.perSecond, this.#clock, this.#closing.signal)
    this.#connections = createConnections(options.concurrency, true)
    this.#newConnections = createConnections(options.concurrency, false)
  }

  async send(outgoing: Outgoing): Promise<Exchange> {
    const cleared = await this.#clear(outgoing)
    if (!('request' in cleared)) return cleared
    const { request, writes } = cleared
    const { maximumBytes, timeoutMilliseconds } = this.#options
    const { signal } = this.#closing
    for (let waits = 0; ; waits++) {
      let exchange: Exchange
      let from = 0
      await this.#slots.take()
      try {
        await this.#pacer.turn()
        if (signal.aborted) return troubled(outgoing, STOPPED)
        from = performance.now()
        this.#countRequest(writes)
        const limits = { maximumBytes, timeoutMilliseconds, signal }
        const reply = await this.#connections
          .attempt(request, limits)
          .catch((error: unknown) => this.#again(error, cleared, limits))
        const charged = this.#settle(outgoing, reply)
        exchange = { outgoing, reply, charged, trouble: undefined, milliseconds: performance.now() - from }
      } catch (error) {
        this.#counts.unanswered++
        const trouble = transportTrouble(error, request.url.host)
        exchange = { ...troubled(outgoing, trouble), milliseconds: performance.now() - from }
      } finally {
        this.#slots.give()
      }
      const wait = waits < sendDefaults.waitsPerRequest ? this.#waitAfter(cleared, exchange) : undefined
      if (wait === undefined) return exchange
      await this.#clock.sleep(wait, signal)
      if (signal.aborted) return exchange
    }
  }

  counts(): SendCounts {
    return { ...this.#counts }
  }

  remaining(): number | undefined {
    const { budget } = this.#options
    return budget === undefined ? undefined : budget - this.#counts.billed
  }

  close(): void {
    this.#closing.abort()
    this.#connections.close()
    this.#newConnections.close()
  }

  /**
   * Checks and bills a request before it is sent.
   * @throws NotSent where safe mode or the budget forbid it
   */
  async #clear(outgoing: Outgoing): Promise<Cleared | Exchange> {
    const url = URL.canParse(outgoing.url) ? new URL(outgoing.url) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      return troubled(outgoing, { kind: 'other', message: 'The URL is no whole http or https URL.' })
    }
    const request = this.#requestOf(outgoing, url)
    const { refusal, writes } = await this.#judge(outgoing, request.body)
    if (refusal !== undefined) {
      this.#counts.heldBack++
      throw new NotSent('not-allowed', refusal)
    }
    this.#bill(outgoing)
    return { outgoing, request, writes }
  }

  /** Counted before anything is sent and without a wait between look and count, so that the cap is exact. */
  #bill({ billed }: Outgoing): void {
    const remaining = this.remaining()
    if (remaining !== undefined && billed > remaining) {
      const { budget } = this.#options
      throw new NotSent(
        'budget',
        `It counts ${billed}, and of the budget of ${budget} requests ${remaining} are left.`,
      )
    }
    this.#counts.billed += billed
  }

  /** What the contract says was not charged is given back, once the answer says so. */
  #settle({ billed }: Outgoing, { status }: Reply): number {
    const charged = Math.min(billed, this.#options.charges?.get(status) ?? billed)
    this.#counts.billed -= billed - charged
    return charged
  }

  #requestOf({ verb, headers, body, pauses = [] }: Outgoing, target: URL): HttpRequest {
    const url = new URL(target)
    const { username, password } = url
    url.username = ''
    url.password = ''
    const own: Record<string, string> = {
      'user-agent': sendDefaults.userAgent,
      'accept-encoding': 'identity',
    }
    if (username !== '' || password !== '') own['authorization'] = basic(username, password)
    for (const some of [this.#options.headers, headers]) {
      for (const [name, value] of Object.entries(some)) own[name.toLowerCase()] = value
    }
    // HTTP gives a body with these no meaning, and node-fetch refuses one.
    const bodiless = /^(?:GET|HEAD|OPTIONS)$/i.test(verb)
    return { verb, url, headers: own, body: bodiless ? undefined : body, pauses }
  }

  #countRequest(writes: number): void {
    this.#counts.http++
    this.#counts.writes += writes
  }

  /**
   * Sends a request again, once: a server may close an idle connection just when a request that only reads is on its way.
   * @throws the error of the first time where the request is not sent again
   */
  async #again(
    error: unknown,
    { outgoing, request, writes }: Cleared,
    limits: AttemptLimits,
  ): Promise<Reply> {
    if (!(error instanceof StaleConnection)) throw error
    if (writes > 0 || !this.#canBillAgain(outgoing)) throw error.cause
    this.#countRequest(writes)
    return this.#newConnections.attempt(request, limits)
  }

  /** Milliseconds after which a request is sent again because the service asked for it; undefined for no other time. */
  #waitAfter(cleared: Cleared, { reply }: Exchange): number | undefined {
    const wait = reply && this.#waitFor(cleared, reply)
    // A request that is sent again may be billed again, and the budget must not be exceeded.
    if (reply === undefined || wait === undefined || !this.#canBillAgain(cleared.outgoing)) return undefined
    const { status } = reply
    this.#counts.limited++
    this.#options.onLimited?.({ status, milliseconds: wait })
    // After 429 no other request is sent in the meantime.
    if (status === 429) this.#pacer.hold(wait)
    return wait
  }

  #canBillAgain(outgoing: Outgoing): boolean {
    try {
      this.#bill(outgoing)
      return true
    } catch {
      return false
    }
  }

  /** Milliseconds to wait before it is sent again; undefined where the answer is handed on. */
  #waitFor({ outgoing, writes }: Cleared, reply: Reply): number | undefined {
    // Cases that say so are about these very answers, and one that spends the quota is about 429; 503 is about nobody's.
    const isSpent = outgoing.effect === 'spends-quota' && reply.status === 429
    if (isSpent || outgoing.expectsLimit === true) return undefined
    // After 503 nobody knows whether something was written.
    const isAskedToWait = reply.status === 429 || (reply.status === 503 && writes === 0)
    const wait = isAskedToWait ? retryAfter(reply, Date.now()) : undefined
    // Without a time, or with a long one, a day's quota is spent: no wait of ours will help.
    return wait === undefined || wait > sendDefaults.longestWaitMilliseconds ? undefined : wait
  }
}

const STOPPED = { kind: 'other', message: 'The run was stopped before it was sent.' } as const

function troubled(outgoing: Outgoing, trouble: TransportTrouble): Exchange {
  return { outgoing, reply: undefined, trouble, milliseconds: 0 }
}

/** User info as a header (RFC 7617): the URL has it percent-encoded. */
function basic(username: string, password: string): string {
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
