import { failure } from '../../../generated/errors.js'
import type { PerKeyState } from '../keys/per-key-state.js'
import { createBatchWriter } from '../store/batch-writer.js'
import type { OpenDatabase } from '../store/open-store.js'
import { createCounts } from './counts.js'
import { createDatabaseClock } from './database-clock.js'
import { createLeaseSource } from './lease-source.js'
import { type LeaseQuestion, type Settlement, settle, takeLeases } from './lease-table.js'
import { type LeasedCount, putBack } from './leased-count.js'
import type { Standing, Taken } from './quota-answer.js'
import type { QuotaTuning } from './quota-tuning.js'

/** Options of the quota. */
export interface QuotaOptions {
  readonly store: Pick<OpenDatabase, 'db' | 'server'>
  /** Requests per user and UTC day: the contract's limit, or a lower one. */
  readonly limitPerDay: number
  readonly tuning: QuotaTuning
  /** This process's id in the table of replicas. */
  readonly replicaId: string
  /** Processes that share the database; unknown when not given, and leases are as large as one alone may take. */
  readonly replicas?: () => number
  /** The clock of tests; the database's own when not given. */
  readonly now?: () => Date
  /** Receives the error of each failed write of counts. The write is retried. */
  readonly onError?: (error: unknown) => void
}

/** Whose limits a request counts against: a key's own, where it has some, and its user's. */
export interface Payer {
  /** The key's id. */
  readonly id: string
  readonly userId: string
  /** Requests per UTC day that the key may make; null where it has no limit of its own. */
  readonly dailyLimit: number | null
  /** The same per UTC month. */
  readonly monthlyLimit: number | null
  /** What is held of the key between its requests. */
  readonly keyState?: PerKeyState | undefined
}

/** The daily limit of requests per user, and the limits of single keys (specification 8). */
export interface Quota {
  /**
   * Takes `n` requests from every limit that the payer has: at once while leases cover them, else after asking the
   * database. Fewer are admitted only where a limit is reached.
   * @throws RpcError `noQuotaLease` when the database does not answer
   */
  take(payer: Payer, n: number): Taken | Promise<Taken>
  /** Changes the limit of every user, from the next request on. */
  setLimitPerDay(requests: number): void
  /** The limit of every user that is in force. */
  limitPerDay(): number
  /** Counts that this process holds leases of, and requests that are left of these. */
  leases(): { readonly users: number; readonly requests: number }
  /** Writes the used requests of some users, or of all, so that they can be read. Resolves after the attempt. */
  flush(userIds?: readonly string[]): Promise<void>
  /** Writes the used requests and returns all leases. Nothing is admitted afterwards. */
  close(): Promise<void>
}

/**
 * Creates the quota of one process. Exact on any number of them: the row of a subject and window grants each request
 * once, and a process admits only what was granted to it.
 */
export function createQuota(options: QuotaOptions): Quota {
  const { tuning, store, now, replicas = () => 1, replicaId } = options
  const { onError = () => undefined } = options
  let { limitPerDay } = options
  const clock = createDatabaseClock(now)
  const takeFromDatabase = async (questions: readonly LeaseQuestion[]) => {
    const told = clock.asking()
    const leases = await takeLeases(store.db, questions, { replicas: replicas(), now })
    told(leases[0]?.databaseTime ?? 0)
    return leases
  }
  const counts = createCounts({
    tuning,
    now: clock.now,
    isAlone: () => options.replicas?.() === 1,
    isShared: store.server !== undefined || replicas() > 1,
    writer: createBatchWriter<Settlement>((batch) => settle(store.db, replicaId, batch), onError),
    lease: createLeaseSource(takeFromDatabase, ({ subject, period }, { startsOn, size }) =>
      counts.settle({ subject, period, startsOn, used: 0, returned: size }),
    ),
  })
  let closed = false

  const standing = (count: LeasedCount, at: number): Standing => ({
    period: count.period,
    limit: count.limit,
    remaining: Math.max(0, count.limit - count.granted + count.left),
    used: count.granted - count.left,
    resetAt: count.window.endsAt,
    secondsToReset: Math.max(1, Math.ceil((count.window.endsAt - at) / 1_000)),
  })
  /** Takes from one count after the other; what one admitted and the next did not is put back. */
  const takeInTurn = async (user: LeasedCount, own: readonly LeasedCount[], n: number): Promise<Taken> => {
    let admitted = n
    let refusing: LeasedCount | undefined
    const taken: { readonly count: LeasedCount; readonly startsOn: string; readonly n: number }[] = []
    const putAllBack = (keep: number) => {
      for (const each of taken) {
        if (each.n > keep) counts.settle(putBack(each.count, each.n - keep, each.startsOn))
      }
    }
    // The key's own come first: what they refuse, the user does not pay for.
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
      const user = counts.of(payer.userId, 'day', limitPerDay, payer.keyState)
      if (payer.dailyLimit !== null || payer.monthlyLimit !== null) {
        return takeInTurn(user, ownCounts(payer), n)
      }
      const at = clock.now()
      const admitted = counts.take(user, n, at)
      if (typeof admitted !== 'number')
        return admitted.then((settled) => takenOf(user, settled, n, clock.now()))
      return takenOf(user, admitted, n, at)
    },
    setLimitPerDay(requests) {
      limitPerDay = requests
    },
    limitPerDay: () => limitPerDay,
    leases: counts.leases,
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
  function ownCounts({ id, dailyLimit, monthlyLimit }: Payer): LeasedCount[] {
    const own: LeasedCount[] = []
    if (dailyLimit !== null) own.push(counts.of(id, 'day', dailyLimit))
    if (monthlyLimit !== null) own.push(counts.of(id, 'month', monthlyLimit))
    return own
  }
}
