import { setTimeout as delay } from 'node:timers/promises'
import { failure } from '../../../generated/errors.js'
import type { Store } from '../store/open-store.js'
import { createDatabaseClock } from './database-clock.js'
import { createLeaseSource } from './lease-source.js'
import { settle } from './lease-table.js'
import type { Taken } from './quota-answer.js'
import { createSettlements } from './settlements.js'
import {
  addLease,
  lacking,
  newUserDay,
  serveWaiting,
  settlementOf,
  type UserDay,
  useLease,
} from './user-day.js'

/** In milliseconds: how often idle leases and unwritten counts are looked for. */
const SWEEP_MS = 100
/** How long a refusal is believed before the database is asked again. */
const REFUSAL_MS = 1_000
/** Between two questions while other processes hold what is left. */
const ASK_AGAIN_MS = 100

/** What the quota is made of; the limits are the contract's. */
export interface QuotaOptions {
  readonly store: Pick<Store, 'db'>
  /** Requests per user and UTC day: the contract's limit, or a lower one. */
  readonly limitPerDay: number
  readonly limits: {
    readonly quotaWindowSeconds: number
    readonly leaseRequests: number
    readonly leaseIdleSeconds: number
    readonly leaseAskAgainMilliseconds: number
    readonly usedFlushSeconds: number
  }
  /** Processes that share the database; 1 when not given. */
  readonly replicas?: number
  /** The clock of tests; the database's own when not given. */
  readonly now?: () => Date
  /** Hears of counts that could not be written down; they are tried again. */
  readonly onError?: (error: unknown) => void
}

/** The daily limit of requests per user (specification 8). */
export interface Quota {
  /**
   * Takes `n` requests from the user's day: at once while a lease covers them, else after asking the
   * database. Fewer are admitted only where the limit is reached.
   * @throws RpcError `noQuotaLease` when the database does not answer
   */
  take(userId: string, n: number): Taken | Promise<Taken>
  /** Writes down what was used and gives all leases back; nothing is admitted any more. */
  close(): Promise<void>
}

/**
 * Creates the quota of one process. Exact on any number of them: the row of a user and day grants each
 * request once, and a process admits only what was granted to it.
 */
export function createQuota(options: QuotaOptions): Quota {
  const { limitPerDay, limits, store, now, onError = () => undefined, replicas = 1 } = options
  const users = new Map<string, UserDay>()
  const clock = createDatabaseClock(now)
  const settlements = createSettlements((all) => settle(store.db, all), onError)
  const terms = { limitPerDay, leaseRequests: limits.leaseRequests, replicas, now }
  const lease = createLeaseSource(store.db, terms, clock, (userId, { day, size }) => {
    settlements.add({ userId, day, used: 0, returned: size })
    keepSweeping()
  })
  let sweeping: NodeJS.Timeout | undefined
  let closed = false

  const taken = (user: UserDay, admitted: number): Taken => ({
    admitted,
    limit: limitPerDay,
    remaining: Math.max(0, limitPerDay - user.granted + user.left),
    used: user.granted - user.left,
    resetAt: new Date(user.endsAt),
    secondsToReset: Math.max(1, Math.ceil((user.endsAt - clock.now()) / 1_000)),
    scope: 'daily',
  })

  const serve = async (user: UserDay): Promise<void> => {
    const until = performance.now() + (replicas > 1 ? limits.leaseAskAgainMilliseconds : 0)
    if (user.endsAt > clock.now()) serveWaiting(user)
    try {
      while (user.waiting.length > 0) {
        const got = await lease(user.userId, lacking(user))
        settlements.add(addLease(user, got, limits.quotaWindowSeconds))
        serveWaiting(user)
        if (got.size > 0 || user.waiting.length === 0) continue
        if (performance.now() < until) await delay(ASK_AGAIN_MS)
        else refuseWaiting(user)
      }
    } catch (cause) {
      // What they had got already stays charged: it may be of a day that is over.
      for (const { reject } of user.waiting.splice(0)) reject(failure('noQuotaLease', { cause }))
    }
    // In the same turn as the last look at those who wait: one who comes later starts anew.
    user.serving = undefined
  }
  const wait = (user: UserDay, n: number): Promise<Taken> =>
    new Promise((resolve, reject) => {
      user.waiting.push({ n, got: 0, admit: (admitted) => resolve(taken(user, admitted)), reject })
      if (user.serving !== undefined) return
      const serving = serve(user)
      if (user.waiting.length > 0) user.serving = serving
    })

  const sweep = () => {
    const at = performance.now()
    for (const user of users.values()) {
      const idle = user.serving === undefined && at - user.touchedAt >= limits.leaseIdleSeconds * 1_000
      const due = at - user.writtenAt >= limits.usedFlushSeconds * 1_000
      if (idle || due) settlements.add(settlementOf(user, idle ? user.left : 0))
      if (idle && user.refusedUntil <= at) users.delete(user.userId)
    }
    settlements.write()
    if (users.size > 0 || settlements.waiting()) return
    clearInterval(sweeping)
    sweeping = undefined
  }
  const keepSweeping = () => {
    if (!closed) sweeping ??= setInterval(sweep, SWEEP_MS).unref()
  }
  const userOf = (userId: string): UserDay => {
    const known = users.get(userId)
    if (known !== undefined) return known
    const user = newUserDay(userId)
    users.set(userId, user)
    keepSweeping()
    return user
  }
  return {
    take(userId, n) {
      if (closed) return Promise.reject(failure('noQuotaLease'))
      const user = userOf(userId)
      user.touchedAt = performance.now()
      if (user.serving !== undefined || user.endsAt <= clock.now()) return wait(user, n)
      if (user.left >= n) {
        useLease(user, n)
        return taken(user, n)
      }
      return user.left === 0 && user.refusedUntil > user.touchedAt ? taken(user, 0) : wait(user, n)
    },
    async close() {
      closed = true
      clearInterval(sweeping)
      await Promise.all(Array.from(users.values(), ({ serving }) => serving))
      for (const user of users.values()) settlements.add(settlementOf(user, user.left))
      users.clear()
      await settlements.finish()
    },
  }
}

/** The limit is reached: those who wait get what they have, and the refusal is remembered for a while. */
function refuseWaiting(user: UserDay): void {
  user.refusedUntil = performance.now() + REFUSAL_MS
  for (const { got, admit } of user.waiting.splice(0)) admit(got)
}
