import { failure } from '@concordat/node-access-contract/errors'
import type { CallSignal, NodeAnswer, NodeCall, NodeCallers, NodeCallOptions } from './node-call.js'

/** Limits of the node calls of one user in one process. They are read at each call, so that they can change. */
export interface NodeCallLimits {
  /** Node calls a second, on average. The calls of an unused second may follow at once. */
  readonly perSecond: number
  /** Concurrent node calls. */
  readonly atOnce: number
  /** Maximum time that a call waits for its turn, in milliseconds. */
  readonly waitMs: number
}

/** Time in which the calls of `perSecond` are made, in milliseconds. Unused calls of this time are kept. */
const windowMs = 1_000

/** Interval of checks for callers who have left, in milliseconds. */
const sweepEveryMs = 100

/** Number of users above which idle ones are removed. */
const fewUsers = 64

/** The calls of one user. */
class UserCalls {
  running = 0
  /** When all calls have expired from the window, in milliseconds of a monotonic clock. */
  clearAt = 0
  /** First come, first served. */
  readonly waiting = new Set<WaitingCall>()
}

/** A call that waits until one of its users has room. */
interface WaitingCall {
  readonly users: readonly UserCalls[]
  readonly callers: NodeCallers
  readonly signal: CallSignal | undefined
  readonly expiresAt: number
  readonly start: (user: UserCalls) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Limits the node calls of each user over all requests and networks. The first node call of a request is free; further
 * calls wait. A call of a disconnected caller counts until the node has answered. Calls that the service makes for
 * itself are not limited. Attempts at other nodes after a failure are not counted: nodes cause them, and their number
 * is bounded.
 *
 * The waiting calls need no limit of their own: a request makes its calls one after another, except eth_getLogs, which
 * bounds its parts in flight.
 */
export class NodeCallLimiter {
  readonly #limits: NodeCallLimits
  readonly #now: () => number
  readonly #users = new Map<string, UserCalls>()
  /** The users with waiting calls. */
  readonly #waiting = new Set<UserCalls>()
  #lookForIdleAt = fewUsers
  #timer: NodeJS.Timeout | undefined
  #sweptAt = 0

  /** @param now a monotonic clock, in milliseconds */
  constructor(limits: NodeCallLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** Node calls a second of one user. */
  get perSecond(): number {
    return this.#limits.perSecond
  }

  /** Time for which a call counts towards the limit, in milliseconds. */
  get #callMs(): number {
    return windowMs / this.#limits.perSecond
  }

  /** Number of users with remembered calls. */
  get size(): number {
    return this.#users.size
  }

  /**
   * Returns the function that makes the calls within the limits. A call rejects with nodeTooSlow when its turn does
   * not come in time, and with the signal's reason after its caller has disconnected.
   */
  limit(call: NodeCall): NodeCall {
    return (method, params, options) => {
      const callers = options?.callers
      if (callers === undefined || callers.userIds.length === 0 || callers.calls++ === 0)
        return call(method, params, options)
      return this.#run((own) => call(method, params, own), callers, options)
    }
  }

  async #run(
    work: (own: NodeCallOptions) => Promise<NodeAnswer>,
    callers: NodeCallers,
    options: NodeCallOptions | undefined,
  ): Promise<NodeAnswer> {
    const user = this.#start(callers) ?? (await this.#turn(callers, options?.signal))
    const left: Promise<void>[] = []
    const keepPlace = (until: Promise<void>) => {
      left.push(until)
      options?.keepPlace?.(until)
    }
    try {
      return await work({ ...options, keepPlace })
    } finally {
      if (left.length === 0) this.#release(user)
      else Promise.all(left).then(() => this.#release(user))
    }
  }

  #release(user: UserCalls): void {
    user.running--
    this.#admit(user, this.#now())
  }

  /** Counts the call for its first user below the limits, and returns that user; undefined if all are at a limit. */
  #start({ userIds }: NodeCallers): UserCalls | undefined {
    const now = this.#now()
    for (const id of userIds) {
      const user = this.#userOf(id, now)
      if (user.waiting.size > 0 || !this.#hasRoom(user, now)) continue
      this.#count(user, now)
      return user
    }
    return undefined
  }

  /** Waits until one of the users is below the limits. */
  #turn(callers: NodeCallers, signal: CallSignal | undefined): Promise<UserCalls> {
    return new Promise((start, reject) => {
      const now = this.#now()
      const users = callers.userIds.map((id) => this.#userOf(id, now))
      const call = { users, callers, signal, expiresAt: now + this.#limits.waitMs, start, reject }
      callers.queued++
      for (const user of users) {
        user.waiting.add(call)
        this.#waiting.add(user)
      }
      this.#tickSoon()
    })
  }

  /** Starts a user's waiting calls, up to the limits. */
  #admit(user: UserCalls, now: number): void {
    while (user.waiting.size > 0 && this.#hasRoom(user, now)) {
      for (const call of user.waiting) {
        this.#remove(call)
        if (call.signal?.aborted === true) call.reject(call.signal.reason)
        else {
          this.#count(user, now)
          call.start(user)
        }
        break
      }
    }
  }

  #remove(call: WaitingCall): void {
    call.callers.queued--
    for (const user of call.users) {
      user.waiting.delete(call)
      if (user.waiting.size === 0) this.#waiting.delete(user)
    }
  }

  #hasRoom({ running, clearAt }: UserCalls, now: number): boolean {
    return running < this.#limits.atOnce && clearAt + this.#callMs <= now + windowMs
  }

  #count(user: UserCalls, now: number): void {
    user.running++
    user.clearAt = Math.max(user.clearAt, now) + this.#callMs
  }

  #userOf(id: string, now: number): UserCalls {
    const known = this.#users.get(id)
    if (known !== undefined) return known
    if (this.#users.size >= this.#lookForIdleAt) this.#forgetIdle(now)
    const user = new UserCalls()
    this.#users.set(id, user)
    return user
  }

  #forgetIdle(now: number): void {
    for (const [id, { running, clearAt, waiting }] of this.#users)
      if (running === 0 && waiting.size === 0 && clearAt <= now) this.#users.delete(id)
    this.#lookForIdleAt = Math.max(fewUsers, this.#users.size * 2)
  }

  /** One timer serves all waiting calls. */
  #tickSoon(): void {
    this.#timer ??= setTimeout(() => this.#tick(), Math.min(this.#callMs, sweepEveryMs))
  }

  #tick(): void {
    this.#timer = undefined
    const now = this.#now()
    if (now - this.#sweptAt >= sweepEveryMs) this.#sweep(now)
    for (const user of this.#waiting) this.#admit(user, now)
    if (this.#waiting.size > 0) this.#tickSoon()
  }

  /** Rejects the waiting calls of disconnected callers, and those that have waited too long. */
  #sweep(now: number): void {
    this.#sweptAt = now
    for (const { waiting } of this.#waiting) {
      for (const call of waiting) {
        const { signal } = call
        if (signal?.aborted !== true && now < call.expiresAt) continue
        this.#remove(call)
        const cause = 'the node calls of the user exceed the limit'
        call.reject(signal?.aborted === true ? signal.reason : failure('nodeTooSlow', { cause }))
      }
    }
  }
}
