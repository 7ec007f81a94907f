import { and, desc, eq, gte, lt, or, type SQL } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { failures } from '../store/index.js'
import type { FailureEntry, FailureLimits } from './failure-log.js'
import { oldest } from './failure-table.js'

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
  const { method, code, isRefused, from, to } = filter
  const rows = await db
    .select()
    .from(failures)
    .where(
      and(
        eq(failures.keyId, keyId),
        gte(failures.at, oldest(failureLogHours)),
        method === undefined ? undefined : eq(failures.method, method),
        code === undefined ? undefined : eq(failures.code, code),
        isRefused === undefined ? undefined : eq(failures.refused, isRefused),
        from === undefined ? undefined : gte(failures.at, from),
        to === undefined ? undefined : lt(failures.at, to),
        after === undefined ? undefined : isAfter(after),
      ),
    )
    .orderBy(desc(failures.at), desc(failures.id))
    .limit(most)
  return rows.map(asFailure)
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
  const { id, at, refused, method, code, message, requestId, microseconds, params, paramsPart } = row
  return {
    ...{ id, at, isRefused: refused, method, code, message, requestId },
    milliseconds: microseconds / MICROSECONDS_PER_MILLISECOND,
    params: params === null ? undefined : { text: params, isPart: paramsPart },
  }
}
