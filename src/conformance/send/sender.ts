import nodeFetch from 'node-fetch'
import type { Effect } from '../scenario/scenario.js'
import type { Exchange, Outgoing, Send } from './exchange.js'
import { NotSent } from './exchange.js'

/** What a sender is made of. */
export interface SenderOptions {
  /** `x-effect` of the contract's methods that have one. */
  readonly effects: ReadonlyMap<string, 'read' | 'write'>
  /** All methods of the contract. */
  readonly methods: ReadonlySet<string>
  /** Whether somebody said that a method without a declared effect only reads. */
  readonly assumeRead: (method: string) => boolean
  /** Effects that may be had beside `read`. */
  readonly allow: ReadonlySet<Effect>
  /** Billed requests at most; undefined for any number. */
  readonly budget: number | undefined
  /** HTTP requests a second at most; undefined for any number. */
  readonly perSecond: number | undefined
  /** HTTP requests at the same time. */
  readonly concurrency: number
  /** Time for a whole answer, its body included. */
  readonly timeoutMilliseconds: number
  /** Size of an answer's body, decompressed. */
  readonly maximumBytes: number
  /** Headers of every request, which the request's own ones replace. */
  readonly headers: Readonly<Record<string, string>>
}

/** What was sent so far. */
export interface SendCounts {
  readonly http: number
  readonly billed: number
  readonly writes: number
  readonly heldBack: number
  readonly limited: number
}

/** The only way out of the runner. */
export interface Sender {
  readonly send: Send
  counts(): SendCounts
  /** Billed requests that the budget still has; undefined without a budget. */
  remaining(): number | undefined
  close(): void
}

/** Makes the one function that sends. */
export function createSender(options: SenderOptions): Sender {
  const counts = { http: 0, billed: 0, writes: 0, heldBack: 0, limited: 0 }
  const send = async (outgoing: Outgoing): Promise<Exchange> => {
    for (const method of outgoing.methods ?? []) {
      if (
        options.methods.has(method) &&
        options.effects.get(method) !== 'read' &&
        !options.allow.has('write')
      ) {
        counts.heldBack++
        throw new NotSent('not-allowed', `${method} does more than read; --allow write lets it be sent.`)
      }
    }
    if (options.budget !== undefined && counts.billed + outgoing.billed > options.budget) {
      throw new NotSent('budget', `The budget of ${options.budget} requests is used up.`)
    }
    counts.billed += outgoing.billed
    counts.http++
    const from = performance.now()
    try {
      const response = await nodeFetch(outgoing.url, {
        method: outgoing.verb,
        headers: { ...options.headers, ...outgoing.headers },
        redirect: 'manual',
        size: options.maximumBytes,
        signal: AbortSignal.timeout(options.timeoutMilliseconds),
        ...(outgoing.body === undefined ? {} : { body: Buffer.from(outgoing.body) }),
      })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const reply = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        bytes,
        text: Buffer.from(bytes).toString('utf8'),
      }
      return { outgoing, reply, trouble: undefined, milliseconds: performance.now() - from }
    } catch {
      const trouble = { kind: 'other', message: 'No whole answer came.' } as const
      return { outgoing, reply: undefined, trouble, milliseconds: performance.now() - from }
    }
  }
  return {
    send,
    counts: () => ({ ...counts }),
    remaining: () => (options.budget === undefined ? undefined : options.budget - counts.billed),
    close: () => {},
  }
}
