import { type Lease, NEAR_LIMIT_REQUESTS, type Settlement } from './lease-statements.js'
import type { QuotaTuning } from './quota-tuning.js'
import { noWindow, type Period, type Window, windowOf } from './window.js'

/** A lease near the limit that was used up within this time, in milliseconds, doubles the next one. */
const FAST_LEASE_MS = 1_000

/** Interval of measurements of the rate, in milliseconds. */
const MEASURE_MS = 1_000

/** Number of usual pauses of a user after which an unused lease is idle. */
const PAUSES_KEPT = 3
/** Initial and maximum value of the usual pause, in multiples of `leaseIdleSeconds`. */
const PAUSE_AT_FIRST = 4
const PAUSE_MOST = 12
/** Half-life of the usual pause, in multiples of `leaseIdleSeconds`. */
const PAUSE_HALF_LIFE = 3

/** The part of a lease that a crash loses: the expected usage of these seconds, and at least these requests. */
const KEPT_BACK_SECONDS = 2
const KEPT_BACK_REQUESTS = 10

/** A caller that waits until leases cover its requests. */
export interface Waiter {
  /** Number of requests. */
  readonly n: number
  /** Resolves with the number of admitted requests. */
  admit(admitted: number): void
  reject(error: Error): void
}

/**
 * A process's state of one count, which belongs to a user or to a key with a limit of its own. The members that every
 * request reads come first, which keeps them close in memory.
 */
export interface LeasedCount {
  /** True if the count has been removed and must not be used any more. */
  isGone: boolean
  /** Limit of the subject, in requests per period. */
  limit: number
  /** True if the count was used since the last sweep. */
  touched: boolean
  /** Pending while waiting callers are being served. */
  serving: Promise<void> | undefined
  /** The current window; `noWindow` before the first lease. */
  window: Window
  /** Requests granted to all processes in the window. */
  granted: number
  /** Requests that this process may still admit. */
  left: number
  /** The next lease is requested when fewer requests are left; 0 waits until a request needs it. */
  refillBelow: number
  /** No lease is requested in advance until this time, by `performance.now()`, because the last request failed. */
  refillNotBefore: number
  /** Requests that the journal records as unused; `left` never falls below it. */
  kept: number
  /** Lowers `kept`. Called before `left` falls below it. */
  readonly lower: (count: LeasedCount, left: number) => void
  /** Admitted requests that are not written yet. */
  unwritten: number
  readonly period: Period
  readonly subject: string
  /** Maximum size of the last lease near the limit, in requests; 0 before the first lease. */
  leaseSize: number
  /** Requests expected within the time of the last lease; 0 if that was not known. */
  ahead: number
  /** Requests that this process could admit after the last lease. */
  leftAtLease: number
  /** Time of the last lease, by `performance.now()`. */
  leasedAt: number
  /** Time since the last use, measured by sweeps. */
  idleMs: number
  /** Longest recent pause between two uses, in multiples of `leaseIdleSeconds`. Older pauses decay. */
  usualPause: number
  /** Time of the next measurement of the rate, by the database's clock, in milliseconds since 1970. */
  measureAt: number
  /** Until this time, by `performance.now()`, requests are refused without a query. */
  refusedUntil: number
  /** True once the limit stayed exhausted for as long as other processes may hold leases. */
  refused: boolean
  readonly waiting: Waiter[]
  /** Pending while a lease is requested in advance; rejects with the error of that request. */
  refilling: Promise<void> | undefined
}

/** Creates a count before its first lease. */
export function newLeasedCount(
  subject: string,
  period: Period,
  limit: number,
  lower: LeasedCount['lower'] = () => undefined,
): LeasedCount {
  return {
    isGone: false,
    limit,
    touched: true,
    serving: undefined,
    window: noWindow,
    granted: 0,
    left: 0,
    kept: 0,
    lower,
    refillBelow: 0,
    refillNotBefore: 0,
    unwritten: 0,
    period,
    subject,
    leaseSize: 0,
    ahead: 0,
    leftAtLease: 0,
    leasedAt: 0,
    idleMs: 0,
    usualPause: PAUSE_AT_FIRST,
    measureAt: 0,
    refusedUntil: 0,
    refused: false,
    waiting: [],
    refilling: undefined,
  }
}

/** Requests that may be admitted. They are fewer than `left` if the limit has been lowered. */
export function available({ left, limit, granted }: LeasedCount): number {
  return granted <= limit ? left : Math.min(left, Math.max(0, limit - granted + left))
}

/** Takes `n` requests from the lease, which must cover them. */
export function useLease(count: LeasedCount, n: number): void {
  if (count.left - n < count.kept) count.lower(count, count.left - n)
  count.left -= n
  count.unwritten += n
}

/**
 * Puts back `n` requests that were taken but not admitted. If their window has ended, the result is the settlement that
 * returns them to the database.
 */
export function putBack(count: LeasedCount, n: number, startsOn: string): Settlement | undefined {
  if (count.window.startsOn === startsOn) {
    useLease(count, -n)
    return undefined
  }
  return { subject: count.subject, period: count.period, startsOn, used: -n, returned: n }
}

/** Admits waiting callers in their order, as long as leases cover their requests. */
export function serveWaiting(count: LeasedCount): void {
  for (
    let head = count.waiting[0];
    head !== undefined && available(count) >= head.n;
    head = count.waiting[0]
  ) {
    useLease(count, head.n)
    count.waiting.shift()
    head.admit(head.n)
  }
}

/** Ends the waiting because the limit is reached. The remaining requests are admitted, the others refused. */
export function refuseWaiting(count: LeasedCount): void {
  for (const { n, admit } of count.waiting.splice(0)) {
    const admitted = Math.min(available(count), n)
    useLease(count, admitted)
    admit(admitted)
  }
}

/**
 * Creates the settlement that writes the used requests of a count and returns unused requests of its lease.
 * @param unused number of requests to return
 * @returns undefined if there is nothing to write or return
 */
export function settlementOf(count: LeasedCount, unused: number): Settlement | undefined {
  const { subject, period, window, unwritten } = count
  if (unwritten === 0 && unused === 0) return undefined
  if (count.left - unused < count.kept) count.lower(count, count.left - unused)
  const returned = Math.min(unused, Math.max(0, count.left))
  count.unwritten = 0
  count.left -= returned
  count.leftAtLease -= returned
  count.granted -= returned
  return { subject, period, startsOn: window.startsOn, used: unwritten, returned }
}

/** Requests that the process admits in `seconds` at the rate since the last lease; 0 before the first lease. */
export function requestsWithin(
  { left, leftAtLease, leasedAt }: LeasedCount,
  seconds: number,
  now: number,
): number {
  // A burst is no rate: it counts as the use of at least a second.
  return Math.ceil(((leftAtLease - left) * seconds) / Math.max(1, (now - leasedAt) / 1_000))
}

/**
 * Requests expected within the next `seconds`. Right after a lease, and while callers wait, the use since that lease is
 * lower than the user's rate, because refused requests are missing from it. The rate before the lease counts as well.
 * Otherwise the first leases after an outage would be too small for the next outage.
 */
export function expectedRequests(count: LeasedCount, seconds: number, now: number): number {
  const present = requestsWithin(count, seconds, now)
  if (count.waiting.length > 0) return Math.max(present, count.ahead)
  const unmeasured = 1 - (now - count.leasedAt) / 1_000 / seconds
  if (!(unmeasured > 0)) return present
  return Math.max(present, Math.floor(count.leftAtLease - count.left + count.ahead * unmeasured))
}

/** True if so few requests of the limit are left that processes keep only small leases. */
const isNearLimit = ({ limit, granted }: LeasedCount) => limit - granted <= NEAR_LIMIT_REQUESTS

/**
 * Measures the rate, and returns true if it has grown since the last lease and the unused requests do not last for
 * `seconds`. New users thus get a full lease soon after their first request.
 * @param at time by the database's clock, in milliseconds since 1970
 */
export function isOutgrown(count: LeasedCount, seconds: number, at: number): boolean {
  count.measureAt = at + MEASURE_MS
  if (isNearLimit(count)) return false
  const expected = expectedRequests(count, seconds, performance.now())
  return expected > count.ahead && expected > count.left
}

/** Times after which a lease is idle, in milliseconds. */
export interface IdleTimes {
  /** Idle time if several processes share the database. It is also the unit of usual pauses. */
  readonly sharedMs: number
  /** Minimum idle time. */
  readonly leastMs: number
}

/**
 * Updates the usual pause of a count, and decides whether its lease is idle. A lease is idle after three usual pauses
 * of its user, so that slow programs keep their leases between calls. Near the limit, leases become idle sooner,
 * because other processes may need the requests.
 * @param isUsed whether the count was used since the last sweep
 * @param elapsedMs milliseconds since the last sweep
 * @returns true if the lease is idle
 */
export function becomesIdle(
  count: LeasedCount,
  isUsed: boolean,
  elapsedMs: number,
  { sharedMs, leastMs }: IdleTimes,
): boolean {
  if (!isUsed) {
    count.idleMs += elapsedMs
    const keptMs = isNearLimit(count) ? 0 : PAUSES_KEPT * count.usualPause * sharedMs
    return count.idleMs >= Math.max(leastMs, keptMs)
  }
  const pause = count.idleMs / sharedMs
  const faded = count.usualPause * 0.5 ** ((pause + elapsedMs / sharedMs) / PAUSE_HALF_LIFE)
  count.usualPause = Math.min(PAUSE_MOST, Math.max(pause, faded))
  count.idleMs = 0
  return false
}

/**
 * Returns the unused requests of a count that another process needs. It keeps what its own rate uses within a second. A
 * process with waiting callers needs all of its requests, and returns none.
 */
export function recall(count: LeasedCount | undefined, now: number): Settlement | undefined {
  if (count === undefined || count.serving !== undefined) return undefined
  const returned = Math.max(0, count.left - requestsWithin(count, 1, now))
  if (returned === 0) return undefined
  count.refillBelow = 0
  return settlementOf(count, returned)
}

/** Maximum size of the next lease near the limit: about as many requests as the user sends in a second, within the bounds. */
export function nextLeaseSize(
  { leaseSize, leasedAt }: LeasedCount,
  tuning: Pick<QuotaTuning, 'leaseRequests' | 'leaseRequestsMost'>,
  now: number,
): number {
  const isFast = now - leasedAt < FAST_LEASE_MS
  const size = isFast ? leaseSize * 2 : leaseSize / 2
  return Math.min(tuning.leaseRequestsMost, Math.max(tuning.leaseRequests, Math.floor(size)))
}

/**
 * Returns how many requests of a lease the journal records for the next process: all but the expected usage of the next
 * two seconds, which counts as at least ten requests. Most requests are thus admitted without a write.
 * @param left unused requests
 * @param now time by `performance.now()`
 */
export function keepOf(count: LeasedCount, left: number, now: number): number {
  const used = requestsWithin(count, KEPT_BACK_SECONDS, now)
  return Math.max(0, left - Math.max(KEPT_BACK_REQUESTS, used))
}

/**
 * Gives up the recorded requests after the journal could be neither written nor deleted. Requests that are being
 * admitted may make `left` negative, which the next lease compensates.
 */
export function forfeit(count: LeasedCount): void {
  count.left -= count.kept
  count.leftAtLease -= count.kept
  count.kept = 0
}

/** Changes the limit and forgets refusals under the old limit. */
export function changeLimit(count: LeasedCount, limit: number): void {
  count.limit = limit
  count.refusedUntil = 0
  count.refused = false
}

/** Adds a lease. If it starts a new window, the result is the settlement of the previous window. */
export function addLease(
  count: LeasedCount,
  lease: Lease,
  { leaseRefillPercent }: Pick<QuotaTuning, 'leaseRefillPercent'>,
): Settlement | undefined {
  const isNew = count.window.startsOn !== lease.startsOn
  const before = isNew ? settlementOf(count, count.left) : undefined
  if (isNew) count.window = windowOf(count.period, lease.startsOn)
  if (isNew || lease.size > 0) count.refused = false
  count.granted = lease.granted
  count.left += lease.size
  count.leftAtLease = count.left
  count.measureAt = lease.databaseTime + MEASURE_MS
  const isNear = count.limit - lease.granted + lease.size <= NEAR_LIMIT_REQUESTS
  // The process keeps requests for a time in which the database may be away.
  if (!isNear && count.ahead > 0 && lease.size >= count.ahead) count.refillBelow = count.ahead
  // Near the limit, leases get smaller. Advance requests would then hold back requests that other processes need.
  else count.refillBelow = lease.size >= count.leaseSize ? (count.leaseSize * leaseRefillPercent) / 100 : 0
  return before
}
