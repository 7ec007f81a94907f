import { setMaxListeners } from 'node:events'
import { type Session, sessionOf } from '../../toolkit/contract/index.js'
import type { TransportTrouble } from '../report/index.js'
import { createMessageConnections } from './connection-attempt.js'
import { isConnectionUrl, type Transport, transportOf } from './connection-url.js'
import type { AttemptLimits, AttemptRequest, Connections } from './connections.js'
import { type Exchange, NotSent, type Outgoing, type Reply, type Send } from './exchange.js'
import { createConnections } from './http-attempt.js'
import { type LimitErrors, waitOfErrors } from './limit-errors.js'
import { type Clock, Pacer, retryAfter, Slots, systemClock } from './pacer.js'
import { ProgramConnection } from './program-connection.js'
import { percentDecoded } from './redact/percent-decoded.js'
import { createSafeMode, type SafeModeOptions } from './safe-mode.js'
import { sendDefaults } from './send-defaults.js'
import { StaleConnection, transportTrouble } from './transport-trouble.js'
import { WebSocketConnection } from './web-socket-connection.js'

/** Options of a sender. */
export interface SenderOptions extends SafeModeOptions {
  /** Maximum number of billed requests; undefined for no limit. */
  readonly budget: number | undefined
  /** Maximum HTTP requests per second, evenly spaced; undefined for no limit. */
  readonly perSecond: number | undefined
  /** Maximum number of concurrent HTTP requests. */
  readonly concurrency: number
  /** Timeout for a complete response, including its body. */
  readonly timeoutMilliseconds: number
  /** Maximum size of a decompressed response body in bytes. */
  readonly maximumBytes: number
  /**
   * Maximum charge by HTTP status, from the contract. A lower charge than billed is refunded to the budget.
   * Without it, every request is billed in full.
   */
  readonly charges?: ReadonlyMap<number, number> | undefined
  /**
   * Rate-limit errors of the contract. Their retry delay replaces `Retry-After` for responses without HTTP and for
   * batch items.
   */
  readonly limitErrors?: LimitErrors | undefined
  /** Headers of every request. Headers of a single request override them. */
  readonly headers: Readonly<Record<string, string>>
  /** How connections to WebSockets and programs are used. By default, messages are lines, and nothing opens a session. */
  readonly session?: Session | undefined
  /** Address of this machine to connect from; by default, the system chooses it. */
  readonly localAddress?: string | undefined
  /** Changes the connections over HTTP, such as for a fault. */
  readonly wrapHttp?: ((connections: Connections) => Connections) | undefined
  /** Called before each retry. The status is 200 for batch items and for responses without HTTP. */
  readonly onLimited?:
    | ((wait: { readonly status: number; readonly milliseconds: number }) => void)
    | undefined
  /** Clock; the system clock by default. */
  readonly clock?: Clock | undefined
}

/** Counters of sent requests. */
export interface SendCounts {
  /** HTTP requests, including retries. */
  readonly http: number
  /** Budget units used. This is the maximum that the service may have charged, by its contract. */
  readonly billed: number
  /** Calls of methods that the contract does not declare as read-only. */
  readonly writes: number
  /** Requests that safe mode refused. */
  readonly heldBack: number
  /** Answers that were followed by a wait and a retry: 429, 503, and limit errors of the contract. */
  readonly limited: number
  /** Requests without a complete response. */
  readonly unanswered: number
}

/** Sends all requests of the runner. */
export interface Sender {
  /**
   * Sends a request. Transport errors are part of the result.
   * @throws NotSent if nothing was sent, and no other error
   */
  readonly send: Send
  counts(): SendCounts
  /** Remaining budget; undefined without a budget. */
  remaining(): number | undefined
  /** Aborts requests in flight and closes all connections. */
  close(): void
}

/** Creates a sender. */
export function createSender(options: SenderOptions): Sender {
  return new BoundedSender(options)
}

/** A request that passed safe mode and the budget, with its number of possible writes. */
interface Cleared {
  readonly outgoing: Outgoing
  readonly request: AttemptRequest
  readonly writes: number
}

/** The connections of one transport. */
interface ConnectionPair {
  readonly kept: Connections
  /** Opens a connection for each request. Used to retry after a stale connection. */
  readonly fresh: Connections
}

class BoundedSender implements Sender {
  readonly #counts = { http: 0, billed: 0, writes: 0, heldBack: 0, limited: 0, unanswered: 0 }
  readonly #options: SenderOptions
  readonly #judge: ReturnType<typeof createSafeMode>
  readonly #clock: Clock
  readonly #slots: Slots
  readonly #pacer: Pacer
  readonly #closing = new AbortController()
  readonly #connections: Readonly<Record<Transport, ConnectionPair>>

  constructor(options: SenderOptions) {
    this.#options = options
    // Each request in flight adds a listener.
    setMaxListeners(0, this.#closing.signal)
    this.#judge = createSafeMode(options)
    this.#clock = options.clock ?? systemClock
    this.#slots = new Slots(options.concurrency)
    this.#pacer = new Pacer(options.perSecond, this.#clock, this.#closing.signal)
    const { concurrency, session = plainSession, localAddress, wrapHttp = (plain) => plain } = options
    const pair = (create: (keepAlive: boolean) => Connections) => ({
      kept: create(true),
      fresh: create(false),
    })
    this.#connections = {
      http: pair((keepAlive) => wrapHttp(createConnections(concurrency, keepAlive, localAddress))),
      'web-socket': pair((keepAlive) => createMessageConnections(WebSocketConnection, session, keepAlive)),
      program: pair((keepAlive) => createMessageConnections(ProgramConnection, session, keepAlive)),
    }
  }

  async send(outgoing: Outgoing): Promise<Exchange> {
    const cleared = await this.#clear(outgoing)
    if (!('request' in cleared)) return cleared
    const { request, writes } = cleared
    const { maximumBytes, timeoutMilliseconds } = this.#options
    const { signal } = this.#closing
    const earlier: Exchange[] = []
    for (let waits = 0; ; waits++) {
      let exchange: Exchange
      let from = 0
      let isRepeated = false
      await this.#slots.take()
      try {
        await this.#pacer.turn()
        if (signal.aborted) return troubled(outgoing, STOPPED)
        from = performance.now()
        this.#countRequest(writes)
        const limits = { maximumBytes, timeoutMilliseconds, signal }
        const reply = await this.#connectionsFor(request)
          .kept.attempt(request, limits)
          .catch((error: unknown) => {
            isRepeated = true
            return this.#again(error, cleared, limits)
          })
        const charged = this.#settle(outgoing, reply)
        const milliseconds = performance.now() - from - (reply.afterMilliseconds ?? 0)
        const answered = { outgoing, reply, charged, trouble: undefined, milliseconds, sentAt: from }
        exchange = {
          ...answered,
          ...(isRepeated ? { isRepeated } : {}),
          ...(earlier.length > 0 && { earlier: [...earlier] }),
        }
      } catch (error) {
        this.#counts.unanswered++
        const trouble = transportTrouble(error, request.url.host)
        exchange = { ...troubled(outgoing, trouble), milliseconds: performance.now() - from, sentAt: from }
      } finally {
        this.#slots.give()
      }
      const wait = waits < sendDefaults.waitsPerRequest ? this.#waitAfter(cleared, exchange) : undefined
      if (wait === undefined) return exchange
      // Without those before it, which the list has already.
      const { earlier: _, ...alone } = exchange
      earlier.push(alone)
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
    for (const { kept, fresh } of Object.values(this.#connections)) {
      kept.close()
      fresh.close()
    }
  }

  /**
   * Checks and bills a request before it is sent.
   * @throws NotSent if safe mode or the budget forbids it
   */
  async #clear(outgoing: Outgoing): Promise<Cleared | Exchange> {
    const url = URL.canParse(outgoing.url) ? new URL(outgoing.url) : undefined
    if (url === undefined || !/^(?:https?|wss?|stdio):$/.test(url.protocol)) {
      return troubled(outgoing, {
        kind: 'other',
        message: 'The URL is not a complete http, https, ws, wss or stdio URL.',
      })
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

  /** Bills before sending, synchronously, so that concurrent requests cannot exceed the budget. */
  #bill({ billed }: Outgoing): void {
    const remaining = this.remaining()
    if (remaining !== undefined && billed > remaining) {
      const { budget } = this.#options
      throw new NotSent(
        'budget',
        `It would be billed as ${billed}, but the budget of ${budget} requests has only ${remaining} left.`,
      )
    }
    this.#counts.billed += billed
  }

  /** Refunds the part that the contract does not charge for this status. */
  #settle({ billed }: Outgoing, { status }: Reply): number {
    const charged = Math.min(billed, this.#options.charges?.get(status) ?? billed)
    this.#counts.billed -= billed - charged
    return charged
  }

  #connectionsFor({ url }: AttemptRequest): ConnectionPair {
    return this.#connections[transportOf(url)]
  }

  #requestOf(
    { verb, headers, body, pauses = [], subscription, session }: Outgoing,
    target: URL,
  ): AttemptRequest {
    const url = new URL(target)
    const { username, password } = url
    url.username = ''
    url.password = ''
    const own: Record<string, string> = {
      'user-agent': sendDefaults.userAgent,
      'accept-encoding': 'identity',
      accept: '*/*',
    }
    if (username !== '' || password !== '') own['authorization'] = basic(username, password)
    for (const some of [this.#options.headers, headers]) {
      for (const [name, value] of Object.entries(some)) own[name.toLowerCase()] = value
    }
    // HTTP defines no meaning for a body with these verbs.
    const bodiless = /^(?:GET|HEAD|OPTIONS)$/i.test(verb)
    return { verb, url, headers: own, body: bodiless ? undefined : body, pauses, subscription, session }
  }

  #countRequest(writes: number): void {
    this.#counts.http++
    this.#counts.writes += writes
  }

  /**
   * Retries a request once, because a server may close an idle connection just as a request arrives. Requests
   * that may write are never retried.
   * @throws the original error if the request is not retried
   */
  async #again(
    error: unknown,
    { outgoing, request, writes }: Cleared,
    limits: AttemptLimits,
  ): Promise<Reply> {
    if (!(error instanceof StaleConnection)) throw error
    if (writes > 0 || !this.#canBillAgain(outgoing)) throw error.cause
    this.#countRequest(writes)
    return this.#connectionsFor(request).fresh.attempt(request, limits)
  }

  /** Returns the wait before a retry that the service requested, in milliseconds. Undefined for no retry. */
  #waitAfter(cleared: Cleared, { reply }: Exchange): number | undefined {
    const wait = reply && this.#waitFor(cleared, reply)
    // The service may charge a retry too, so the budget must cover it.
    if (reply === undefined || wait === undefined || !this.#canBillAgain(cleared.outgoing)) return undefined
    const { status } = reply
    this.#counts.limited++
    this.#options.onLimited?.({ status, milliseconds: wait })
    // A limit concerns all requests, so all of them pause.
    if (status !== 503) this.#pacer.hold(wait)
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

  /** Returns the wait before a retry in milliseconds. Undefined if the answer is final. */
  #waitFor({ outgoing, writes }: Cleared, reply: Reply): number | undefined {
    // Some cases test these answers. A case that spends the quota expects 429, but never 503.
    const isSpent = outgoing.effect === 'spends-quota' && reply.status !== 503
    if (isSpent || outgoing.expectsLimit === true) return undefined
    const wait = this.#statedWait(outgoing, writes, reply)
    // No time or a long time means that a daily quota is spent, so waiting would not help.
    return wait === undefined || wait > sendDefaults.longestWaitMilliseconds ? undefined : wait
  }

  /** Returns the wait that an answer states, in milliseconds. Undefined if the answer is no refusal, or states none. */
  #statedWait({ url }: Outgoing, writes: number, reply: Reply): number | undefined {
    // After 503, a write may or may not have happened.
    if (reply.status === 429 || (reply.status === 503 && writes === 0)) return retryAfter(reply, Date.now())
    const { limitErrors } = this.#options
    const { text = '' } = reply
    const isSingle = !text.trimStart().startsWith('[')
    // A single call over HTTP is refused by its status. A batch with writes is not retried, because some may have succeeded.
    if (limitErrors === undefined || (isSingle ? !isConnectionUrl(url) : writes > 0)) return undefined
    return waitOfErrors(text, limitErrors)
  }
}

const plainSession = sessionOf({ info: {}, methods: [] })

const STOPPED = { kind: 'other', message: 'The run was stopped before the request was sent.' } as const

function troubled(outgoing: Outgoing, trouble: TransportTrouble): Exchange {
  return { outgoing, reply: undefined, trouble, milliseconds: 0 }
}

/** Converts percent-encoded user info of a URL to a header (RFC 7617). */
function basic(username: string, password: string): string {
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
