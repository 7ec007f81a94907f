import { and, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { ago, failures } from '../store/index.js'
import type { FailureEntry, FailureLimits } from './failure-log.js'

const MICROSECONDS_PER_MILLISECOND = 1_000

/** An entry of the log of failures, as it is read. */
export interface Failure extends Omit<FailureEntry, 'at' | 'keyId'> {
  readonly at: Date
}

/** Which entries of a key to read. Absent members select all. */
export interface FailureFilter {
  /** Name of a method; empty for unknown methods; a rule of the key for refused requests. */
  readonly method?: string | undefined
  readonly code?: number | undefined
  readonly isRefused?: boolean | undefined
  /** First moment. */
  readonly from?: Date | undefined
  /** First moment that is not selected any more. */
  readonly to?: Date | undefined
}

/**
 * Reads entries of a key, the latest first.
 * @param after an entry; those after it in this order are read
 */
export async function readFailures(
  db: Database,
  { failureLogHours }: Pick<FailureLimits, 'failureLogHours'>,
  keyId: string,
  filter: FailureFilter,
  most: number,
  after?: Pick<Failure, 'at' | 'id'>,
): Promise<readonly Failure[]> {
  const rows = await db
    .select()
    .from(failures)
    .where(and(matching(failureLogHours, keyId, filter), after === undefined ? undefined : isAfter(after)))
    .orderBy(desc(failures.at), desc(failures.id))
    .limit(most)
  return rows.map(asFailure)
}

/** Causes of failed calls that are read at most. */
const MOST_CAUSES = 20

/** Failed calls of one cause in the log of failures. */
export interface FailureCause {
  /** Name of the failure in the contract (`x-failures`); null for other errors, which have a code only. */
  readonly failure: string | null
  readonly code: number
  /** The method of all of them; null for several, and empty for calls without a method of the contract. */
  readonly method: string | null
  /** Message of the latest one. */
  readonly message: string
  /** Number of entries in the log, which does not keep all. */
  readonly logged: number
  readonly lastAt: Date
}

/** Groups the failed calls of a key by cause, the most frequent first. */
export async function readCauses(
  db: Database,
  { failureLogHours }: Pick<FailureLimits, 'failureLogHours'>,
  keyId: string,
  filter: FailureFilter,
): Promise<readonly FailureCause[]> {
  const { failure, code, method, message, at } = failures
  const logged = sql<number>`count(*)::integer`
  return db
    .select({
      failure,
      code,
      method: sql<string | null>`case when min(${method}) = max(${method}) then min(${method}) end`,
      message: sql<string>`(array_agg(${message} order by ${at} desc))[1]`,
      logged,
      lastAt: sql`max(${at})`.mapWith(at) as SQL<Date>,
    })
    .from(failures)
    .where(matching(failureLogHours, keyId, { ...filter, isRefused: false }))
    .groupBy(failure, code)
    .orderBy(desc(logged), code)
    .limit(MOST_CAUSES)
}

function matching(failureLogHours: number, keyId: string, filter: FailureFilter): SQL | undefined {
  const { method, code, isRefused, from, to } = filter
  return and(
    eq(failures.keyId, keyId),
    gte(failures.at, ago(failureLogHours, 'hours')),
    method === undefined ? undefined : eq(failures.method, method),
    code === undefined ? undefined : eq(failures.code, code),
    isRefused === undefined ? undefined : eq(failures.refused, isRefused),
    from === undefined ? undefined : gte(failures.at, from),
    to === undefined ? undefined : lt(failures.at, to),
  )
}

/** Reads one entry of a key; undefined if there is none. */
export async function findFailure(db: Database, keyId: string, id: string): Promise<Failure | undefined> {
  const [row] = await db
    .select()
    .from(failures)
    .where(and(eq(failures.keyId, keyId), eq(failures.id, id)))
  return row && asFailure(row)
}

const isAfter = ({ at, id }: Pick<Failure, 'at' | 'id'>): SQL | undefined =>
  or(lt(failures.at, at), and(eq(failures.at, at), lt(failures.id, id)))

function asFailure(row: typeof failures.$inferSelect): Failure {
  const { id, at, refused, method, code, message, failure, requestId, microseconds, params, paramsPart } = row
  return {
    ...{ id, at, isRefused: refused, method, code, message, requestId },
    failure: failure ?? undefined,
    milliseconds: microseconds / MICROSECONDS_PER_MILLISECOND,
    params: params === null ? undefined : { text: params, isPart: paramsPart },
  }
}
