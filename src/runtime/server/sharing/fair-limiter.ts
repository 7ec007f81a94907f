/** Bounds of a limiter. A unit is a place, a byte, or whatever keys share. */
export interface FairLimits {
  /** Units of all keys together. Default: no limit. */
  readonly units?: number | undefined
  /** Units of each key. Default: no limit. */
  readonly unitsPerKey?: number | undefined
  /** True if a key without units may take more than `unitsPerKey`, so that no request is refused for its size alone. */
  readonly mayExceedAlone?: boolean | undefined
  /** Keys without units and requests that stay in memory, about. Default: 64. */
  readonly idleKept?: number | undefined
  /**
   * Called when a waiting request can start, to choose the moment of `start`. Default: all that fit start immediately.
   */
  readonly onReady?: (() => void) | undefined
}

/** Tells when a request no longer waits. An AbortSignal satisfies the interface. */
export interface LeaveSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** How a request waits. */
export interface WaitOptions {
  /** Units that it takes when it starts. Default: 1. */
  readonly units?: number | undefined
  /** Bytes that it keeps in memory while it waits. They are counted and not limited. Default: 0. */
  readonly bytes?: number | undefined
  /** Maximum time in milliseconds. Default: no limit. */
  readonly milliseconds?: number | undefined
  readonly signal?: LeaveSignal | undefined
}

/** The end of a wait: the request has its units, its signal has fired, or its time has passed. */
export type WaitEnd = 'taken' | 'left' | 'late'

/** A waiting request. */
interface Waiting {
  readonly units: number
  readonly signal: LeaveSignal | undefined
  end(how: WaitEnd): void
}

/** What one key has of a limiter: its units, and its waiting requests. */
export class Holder {
  units = 0
  /** The oldest first; undefined if there are none. */
  waiting: Set<Waiting> | undefined = undefined
  waitingBytes = 0
  /** The bound of this key; undefined for `unitsPerKey`. */
  readonly most: number | undefined

  constructor(most?: number) {
    this.most = most
  }
}

const defaultIdleKept = 64

/**
 * Shares units fairly between keys, such as callers. Requests that find none wait: first come, first served per key, and
 * round robin between keys.
 */
export class FairLimiter<H extends Holder = Holder> {
  /** Units of all keys. */
  units = 0
  /** Number of keys that have units. */
  holders = 0
  /** Number of waiting requests, and their bytes. */
  waiting = 0
  waitingBytes = 0
  readonly #keys = new Map<string, H>()
  /** Keys whose oldest request fits their own bound, in the order of their turns. */
  readonly #ready = new Set<H>()
  readonly #create: (key: string) => H
  readonly #most: number
  readonly #mostPerKey: number
  readonly #mayExceedAlone: boolean
  readonly #idleKept: number
  readonly #onReady: () => void
  /** Number of keys at which idle ones are dropped. */
  #capacity: number

  /** @param create creates what is kept for a key; a subclass keeps more */
  constructor(limits: FairLimits, create: (key: string) => H) {
    this.#create = create
    this.#most = limits.units ?? Number.POSITIVE_INFINITY
    this.#mostPerKey = limits.unitsPerKey ?? Number.POSITIVE_INFINITY
    this.#mayExceedAlone = limits.mayExceedAlone ?? false
    this.#idleKept = limits.idleKept ?? defaultIdleKept
    this.#onReady = limits.onReady ?? (() => this.start())
    this.#capacity = this.#idleKept
  }

  /** Returns what is kept for a key, which stays the same while the key has units or waiting requests. */
  of(key: string): H {
    const known = this.#keys.get(key)
    if (known !== undefined) return known
    if (this.#keys.size >= this.#capacity) this.#dropIdle()
    const holder = this.#create(key)
    this.#keys.set(key, holder)
    return holder
  }

  /** Takes units without waiting; false if too few are left, or if earlier requests wait for them. */
  take(holder: H, units = 1): boolean {
    if (holder.waiting !== undefined || !this.fits(holder, units)) return false
    if (this.#ready.size > 0 && this.#most < Number.POSITIVE_INFINITY) return false
    this.hold(holder, units)
    return true
  }

  /** Counts units that are in use, even over the limits. */
  hold(holder: H, units: number): void {
    if (holder.units === 0 && units > 0) this.holders += 1
    holder.units += units
    this.units += units
  }

  /** Returns units. */
  give(holder: H, units = 1): void {
    holder.units -= units
    this.units -= units
    if (holder.units === 0 && units > 0) this.holders -= 1
    if (this.waiting > 0) this.#offer(holder)
  }

  /** Changes the units of a request; false if too few are left. */
  resize(holder: H, from: number, to: number): boolean {
    if (to > from && !this.fits(holder, to, from)) return false
    if (to > from) this.hold(holder, to - from)
    else if (to < from) this.give(holder, from - to)
    return true
  }

  /**
   * True if units fit the limits.
   * @param instead units that they replace
   */
  fits(holder: H, units: number, instead = 0): boolean {
    return this.units - instead + units <= this.#most && this.fitsKey(holder, units, instead)
  }

  /** True if units fit the limit of their key. */
  fitsKey(holder: H, units: number, instead = 0): boolean {
    const others = holder.units - instead
    return others + units <= (holder.most ?? this.#mostPerKey) || (this.#mayExceedAlone && others <= 0)
  }

  /** Waits for units, after the key's earlier requests and in turn with other keys. Never rejects. */
  wait(holder: H, { units = 1, bytes = 0, milliseconds, signal }: WaitOptions = {}): Promise<WaitEnd> {
    if (signal?.aborted === true) return Promise.resolve('left')
    return new Promise((resolve) => {
      const end = (how: WaitEnd): void => {
        this.#remove(holder, waiting, bytes)
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        if (how === 'taken') this.hold(holder, units)
        resolve(how)
      }
      const giveUp = (how: WaitEnd) => (): void => {
        if (holder.waiting?.has(waiting) !== true) return
        end(how)
        this.#offer(holder)
      }
      const leave = giveUp('left')
      const waiting: Waiting = { units, signal, end }
      const timer = milliseconds === undefined ? undefined : setTimeout(giveUp('late'), milliseconds)
      signal?.addEventListener('abort', leave)
      holder.waiting ??= new Set()
      holder.waiting.add(waiting)
      holder.waitingBytes += bytes
      this.waiting += 1
      this.waitingBytes += bytes
      this.#offer(holder)
    })
  }

  /**
   * Starts waiting requests in turn, while they fit. A request that fits never overtakes one that only waits for the
   * units of all keys.
   * @returns false if none is left that could start
   */
  start(most = Number.POSITIVE_INFINITY): boolean {
    let started = 0
    for (;;) {
      const [holder] = this.#ready
      const [next] = holder?.waiting ?? []
      if (holder === undefined || next === undefined) return false
      const isLeft = next.signal?.aborted === true
      if (!isLeft && this.units + next.units > this.#most) return false
      if (!isLeft && started === most) return true
      next.end(isLeft ? 'left' : 'taken')
      if (!isLeft) {
        started += 1
        // The next request of the key waits until all other keys had their turn.
        this.#ready.delete(holder)
      }
      this.#sort(holder)
    }
  }

  /** Waits for a unit, runs a task, and frees the unit. Rejects with the signal's reason if it aborts during the wait. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const holder = this.of(key)
    if (!this.take(holder) && (await this.wait(holder, { signal })) === 'left') throw signal?.reason
    try {
      return await task()
    } finally {
      this.give(holder)
    }
  }

  #remove(holder: H, request: Waiting, bytes: number): void {
    holder.waiting?.delete(request)
    if (holder.waiting?.size === 0) holder.waiting = undefined
    holder.waitingBytes -= bytes
    this.waiting -= 1
    this.waitingBytes -= bytes
  }

  /** Sorts a key in or out, and starts what can start. */
  #offer(holder: H): void {
    this.#sort(holder)
    if (this.#ready.size > 0) this.#onReady()
  }

  #sort(holder: H): void {
    const [first] = holder.waiting ?? []
    if (first !== undefined && this.fitsKey(holder, first.units)) this.#ready.add(holder)
    else this.#ready.delete(holder)
  }

  #dropIdle(): void {
    for (const [key, holder] of this.#keys)
      if (holder.units === 0 && holder.waiting === undefined) this.#keys.delete(key)
    this.#capacity = this.#keys.size * 2 + this.#idleKept
  }
}
