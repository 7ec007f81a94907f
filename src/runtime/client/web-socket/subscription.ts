import type { JsonValue } from '@concordat/rpc'
import { positive } from '../client-options.js'
import { whenAborted } from '../pipeline/when-aborted.js'
import { type Gap, type Subscription, type SubscriptionOptions, socketDefaults } from './connect-options.js'

/** What waits for the iteration. */
type Entry = { readonly item: JsonValue } | { readonly gap: Gap }

interface Waiter {
  readonly resolve: (result: IteratorResult<JsonValue, undefined>) => void
  readonly reject: (error: unknown) => void
}

/** Starts and stops the subscription of an iteration. */
export interface SubscriptionSource {
  readonly start: () => void
  readonly stop: () => void
}

/**
 * The items of a subscription between connection and iteration. A full buffer drops its oldest items and notes a gap,
 * or ends the iteration if the application handles no gaps.
 */
export class ItemBuffer implements Subscription<JsonValue> {
  readonly #name: string
  readonly #options: SubscriptionOptions
  readonly #mostItems: number
  readonly #source: SubscriptionSource
  readonly #entries: Entry[] = []
  readonly #waiters: Waiter[] = []
  #items = 0
  #isStarted = false
  #end: { readonly error?: unknown } | undefined
  #forget = (): void => undefined

  /** @throws RangeError when `bufferItems` is not greater than 0 */
  constructor(name: string, options: SubscriptionOptions, source: SubscriptionSource) {
    this.#name = name
    this.#options = options
    const { bufferItems = socketDefaults.bufferItems } = options
    this.#mostItems = positive({ bufferItems }).bufferItems
    this.#source = source
  }

  /** True if the application handles gaps. */
  get toleratesGaps(): boolean {
    return this.#options.onGap !== undefined
  }

  get isEnded(): boolean {
    return this.#end !== undefined
  }

  next(): Promise<IteratorResult<JsonValue, undefined>> {
    const result = new Promise<IteratorResult<JsonValue, undefined>>((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
    if (this.#isStarted || this.#end !== undefined) this.#deliver()
    else this.#start()
    return result
  }

  async return(): Promise<IteratorResult<JsonValue, undefined>> {
    this.#entries.length = 0
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Adds an item. */
  push(item: JsonValue): void {
    if (this.#end !== undefined) return
    if (this.#items >= this.#mostItems && this.#waiters.length === 0) {
      if (!this.toleratesGaps) {
        this.end(
          new RangeError(
            `${this.#name}: more than ${this.#mostItems} items wait for the iteration. Iterate faster, increase bufferItems, or pass onGap.`,
          ),
        )
        return
      }
      this.#dropOldest()
    }
    this.#entries.push({ item })
    this.#items += 1
    this.#deliver()
  }

  /** Notes that items may be missing at this place. */
  pushGap(gap: Gap): void {
    if (this.#end !== undefined) return
    this.#entries.push({ gap })
    this.#deliver()
  }

  /** Ends the iteration after the items that wait, with an error if there is one. */
  end(...reason: readonly [error?: unknown]): void {
    if (this.#end !== undefined) return
    this.#end = reason.length === 0 ? {} : { error: reason[0] }
    this.#forget()
    if (this.#isStarted) this.#source.stop()
    this.#deliver()
  }

  #start(): void {
    this.#isStarted = true
    const { signal } = this.#options
    const abort = () => {
      this.#entries.length = 0
      this.end(signal?.reason)
    }
    if (signal?.aborted) {
      abort()
      return
    }
    if (signal) this.#forget = whenAborted(signal, abort)
    this.#source.start()
  }

  /** Drops the oldest item. One mark of a gap stands for all items that were dropped. */
  #dropOldest(): void {
    const at = this.#entries.findIndex((entry) => 'item' in entry)
    this.#entries.splice(0, at + 1, { gap: 'overflow' })
    this.#items -= 1
  }

  #deliver(): void {
    while (this.#waiters.length > 0) {
      const entry = this.#entries.shift()
      if (entry === undefined) {
        if (this.#end === undefined) return
        this.#settle(this.#end)
        continue
      }
      if ('item' in entry) {
        this.#items -= 1
        this.#waiters.shift()?.resolve({ done: false, value: entry.item })
      } else this.#reportGap(entry.gap)
    }
  }

  /** Settles an iteration that has ended. The error is thrown once. */
  #settle(end: { readonly error?: unknown }): void {
    const waiter = this.#waiters.shift()
    this.#end = {}
    if ('error' in end) waiter?.reject(end.error)
    else waiter?.resolve({ done: true, value: undefined })
  }

  #reportGap(gap: Gap): void {
    try {
      this.#options.onGap?.(gap)
    } catch (error) {
      this.#entries.length = 0
      this.end(error)
    }
  }
}
