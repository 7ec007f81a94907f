import { failure } from '@concordat/node-access-contract/errors'
import type { PerKeyState } from '../keys/index.js'
import { createBatchWriter, type OpenDatabase, type RunQuery } from '../store/index.js'
import { createCounts } from './counts.js'
import { createLeaseJournal } from './lease-journal.js'
import { createLeaseSource } from './lease-source.js'
import {
  type LeaseQuestion,
  recalledCounts,
  type Settlement,
  settle,
  takeLeases,
} from './lease-statements.js'
import { type LeasedCount, putBack } from './leased-count.js'
import type { QuotaTuning } from './quota-tuning.js'
import type { Period } from './window.js'

/** Options of the quota. */
export interface QuotaOptions {
  readonly store: Pick<OpenDatabase, 'db' | 'server'>
  /** Requests per user and UTC day: the contract's limit, or a lower one. */
  readonly limitPerDay: number
  readonly tuning: QuotaTuning
  /** Id of this process in the table of replicas. */
  readonly replicaId: string
  /**
   * Path of the data folder for the lease journal, which this process has locked. Without it, a crash loses the leases
   * of this process.
   */
  readonly folder?: string
  /** Number of processes that share the database. Without it, leases have the size for one process. */
  readonly replicas?: () => number
  /** Clock of tests; the database's clock by default. */
  readonly now?: () => Date
  /** Timeout of a lease request in milliseconds, after which the requests that need it are refused. Default: 2,000. */
  readonly leaseTimeoutMs?: number
  /** Receives errors of writing counts, which is retried, and the error that ends the lease journal. */
  readonly onError?: (error: unknown) => void
}

/** The key and user that a request is charged to. */
export interface Payer {
  /** Id of the key. */
  readonly id: string
  readonly userId: string
  /** The key's own limit in requests per UTC day; null without one. */
  readonly dailyLimit: number | null
  /** The key's own limit in requests per UTC month; null without one. */
  readonly monthlyLimit: number | null
  /** The limit that an operator set for the user, in requests per UTC day; null without one. */
  readonly userDailyLimit?: number | null
  /** State of the key between requests. */
  readonly keyState?: PerKeyState | undefined
}

/** State of one limit. */
export interface Standing {
  readonly period: Period
  /** Allowed requests per period. */
  readonly limit: number
  /** Remaining requests: the limit minus the granted requests, plus the unused requests of this process's lease. */
  readonly remaining: number
  /** Counted requests. */
  readonly used: number
  /** Time of the reset, in milliseconds since 1970. */
  readonly resetAt: number
  /** Whole seconds until the reset, at least 1. */
  readonly secondsToReset: number
}

/** The result of a charge. */
export interface Taken {
  /** Number of admitted requests. */
  readonly admitted: number
  /** All limits that were charged. */
  readonly standings: readonly [Standing, ...Standing[]]
  /** The limit that refused requests; undefined if all were admitted. */
  readonly refusing: Standing | undefined
}

/** The daily limit of requests per user, and the limits of single keys (specification 8). */
export interface Quota {
  /**
   * Charges `n` requests to every limit of the payer; synchronously while leases cover them, otherwise after a query.
   * Fewer requests are admitted only if a limit is reached.
   * @throws RpcError `noQuotaLease` if the database does not answer
   */
  take(payer: Payer, n: number): Taken | Promise<Taken>
  /**
   * Returns the refusal of a payer whose limit is known to be reached; undefined if a charge may admit requests. It
   * neither charges nor queries.
   */
  spent(payer: Payer): Taken | undefined
  /** Changes the daily limit of all users, starting with the next request. */
  setLimitPerDay(requests: number): void
  /** The current daily limit of all users. */
  limitPerDay(): number
  /** Number of users with an unused lease, and the unused requests of these leases. */
  leases(): { readonly users: number; readonly requests: number }
  /** Returns leases that other processes are short of. */
  returnRecalled(query: RunQuery): Promise<void>
  /** Calls the listener with the users whose used requests were written. */
  onWritten(listener: (userIds: readonly string[]) => void): void
  /** Writes the used requests of some users, or of all, so that they can be read. Resolves after the attempt. */
  flush(userIds?: readonly string[]): Promise<void>
  /** Writes the used requests and returns all leases. Nothing is admitted afterwards. */
  close(): Promise<void>
}

/**
 * Creates the quota of one process. It is exact for any number of processes: the database grants each request once, and
 * a process only admits requests that were granted to it.
 */
export function createQuota(options: QuotaOptions): Quota {
  const { tuning, store, now, replicas = () => 1, replicaId } = options
  const { onError = () => undefined } = options
  let { limitPerDay } = options
  const clock = createDatabaseClock(now)
  const takeFromDatabase = async (questions: readonly LeaseQuestion[]) => {
    const onAnswer = clock.asking()
    const leases = await takeLeases(store.db, questions, { replicas: replicas(), now })
    onAnswer(leases[0]?.databaseTime ?? 0)
    return leases
  }
  const { folder } = options
  const counts = createCounts({
    tuning,
    openJournal:
      folder === undefined
        ? undefined
        : (all) => createLeaseJournal({ folder, replicaId, onError, counts: all }),
    now: clock.now,
    isAlone: () => options.replicas?.() === 1,
    isShared: store.server !== undefined || replicas() > 1,
    writer: createBatchWriter<Settlement>(async (batch) => {
      await settle(store.db, replicaId, batch)
      onWritten?.(usersOf(batch.rows))
    }, onError),
    lease: createLeaseSource(
      takeFromDatabase,
      ({ subject, period }, { startsOn, size }) =>
        counts.settle({ subject, period, startsOn, used: 0, returned: size }),
      options.leaseTimeoutMs,
    ),
  })
  let onWritten: ((userIds: readonly string[]) => void) | undefined
  let closed = false

  /** Charges one count after the other. Requests that a later count refuses are put back into the earlier counts. */
  const takeInTurn = async (user: LeasedCount, own: readonly LeasedCount[], n: number): Promise<Taken> => {
    let admitted = n
    let refusing: LeasedCount | undefined
    const taken: { readonly count: LeasedCount; readonly startsOn: string; readonly n: number }[] = []
    const putAllBack = (keep: number) => {
      for (const each of taken) {
        if (each.n > keep) counts.settle(putBack(each.count, each.n - keep, each.startsOn))
      }
    }
    // The key's own limits come first, because the user is not charged for requests that they refuse.
    for (const count of [...own, user]) {
      try {
        const got = await counts.take(count, admitted, clock.now())
        taken.push({ count, startsOn: count.window.startsOn, n: got })
        if (got < admitted) refusing = count
        admitted = Math.min(admitted, got)
      } catch (error) {
        putAllBack(0)
        throw error
      }
    }
    putAllBack(admitted)
    const at = clock.now()
    return {
      admitted,
      standings: [standing(user, at), ...own.map((count) => standing(count, at))],
      refusing: refusing && standing(refusing, at),
    }
  }
  return {
    take(payer, n) {
      if (closed) return Promise.reject(failure('noQuotaLease'))
      const user = userCount(payer)
      if (hasOwnLimit(payer)) return takeInTurn(user, ownCounts(payer), n)
      const at = clock.now()
      const admitted = counts.take(user, n, at)
      if (typeof admitted !== 'number')
        return admitted.then((settled) => takenOf(user, settled, n, clock.now()))
      return takenOf(user, admitted, n, at)
    },
    spent(payer) {
      if (closed) return undefined
      const user = userCount(payer)
      const refusing = hasOwnLimit(payer)
        ? [...ownCounts(payer), user].find(counts.isSpent)
        : counts.isSpent(user) && user
      if (!refusing) return undefined
      const found = standing(refusing, clock.now())
      return { admitted: 0, standings: [found], refusing: found }
    },
    setLimitPerDay(requests) {
      limitPerDay = requests
    },
    limitPerDay: () => limitPerDay,
    leases: counts.leases,
    async returnRecalled(query) {
      if (counts.leases().users === 0) return
      for (const { subject, period } of await recalledCounts(query)) counts.recall(subject, period)
    },
    onWritten(listener) {
      onWritten = listener
    },
    flush: counts.flush,
    async close() {
      closed = true
      await counts.close()
    },
  }

  function takenOf(user: LeasedCount, admitted: number, n: number, at: number): Taken {
    const found = standing(user, at)
    return { admitted, standings: [found], refusing: admitted < n ? found : undefined }
  }
  function userCount({ userId, userDailyLimit, keyState }: Payer): LeasedCount {
    const limit = userDailyLimit == null ? limitPerDay : Math.min(limitPerDay, userDailyLimit)
    return counts.of(userId, 'day', limit, keyState)
  }
  function hasOwnLimit({ dailyLimit, monthlyLimit }: Payer): boolean {
    return dailyLimit !== null || monthlyLimit !== null
  }
  function ownCounts({ id, dailyLimit, monthlyLimit }: Payer): LeasedCount[] {
    const own: LeasedCount[] = []
    if (dailyLimit !== null) own.push(counts.of(id, 'day', dailyLimit))
    if (monthlyLimit !== null) own.push(counts.of(id, 'month', monthlyLimit))
    return own
  }
}

const standing = (count: LeasedCount, at: number): Standing => ({
  period: count.period,
  limit: count.limit,
  remaining: Math.max(0, count.limit - count.granted + count.left),
  used: count.granted - count.left,
  resetAt: count.window.endsAt,
  secondsToReset: Math.max(1, Math.ceil((count.window.endsAt - at) / 1_000)),
})

/** Returns the subjects with used requests of a day; some of them are keys. */
const usersOf = (rows: readonly Settlement[]): readonly string[] => [
  ...new Set(rows.filter(({ period, used }) => period === 'day' && used > 0).map(({ subject }) => subject)),
]

/** Estimate of the database's time. */
export interface DatabaseClock {
  /** Milliseconds since 1970; never behind the database, so that no lease is used after its day. */
  now(): number
  /** Marks the start of a query. The result must be called with the database's time, in milliseconds since 1970. */
  asking(): (databaseTime: number) => void
}

/** Creates a clock that follows the database, or the clock that tests inject. */
export function createDatabaseClock(inject?: () => Date): DatabaseClock {
  if (inject !== undefined) return { now: () => inject().getTime(), asking: () => () => undefined }
  // The local clock that is ahead counts: the monotonic clock stops while a machine sleeps; the other may be set.
  let steady = 0
  let wall = 0
  return {
    now: () => Math.max(performance.now() + steady, Date.now() + wall),
    asking() {
      const steadyThen = performance.now()
      const wallThen = Date.now()
      return (databaseTime) => {
        steady = databaseTime - steadyThen
        wall = databaseTime - wallThen
      }
    },
  }
}
