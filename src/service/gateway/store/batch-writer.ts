import { type SQL, sql } from 'drizzle-orm'
import { replicas } from './schema.js'

/** Pause after a failed write, in milliseconds. */
const RETRY_MS = 1_000
/** Rows in one statement. The bound keeps leases in the embedded database from waiting for long. */
const BATCH_ROWS = 1_000

/** Rows that one statement writes. */
export interface Batch<Row> {
  /** Number of the batch within the process, from 1. A retried batch keeps its number. */
  readonly number: number
  readonly rows: readonly Row[]
}

/** Writes the counts of a process in numbered batches, one after the other. */
export interface BatchWriter<Row> {
  /** True while rows wait to be written. New counts should then add up in memory. */
  isBusy(): boolean
  /** Writes the waiting rows, then these rows. Resolves after the attempt. Failed rows are retried later. */
  write(rows: readonly Row[]): Promise<void>
  /** Tries to write the waiting rows, also directly after a failure. */
  close(): Promise<void>
}

/**
 * Creates the writer of one kind of counts. It retries a failed batch with the same number before it writes the next
 * one. The database ignores numbers that it has already seen (`unlessWritten`).
 * @param write writes a batch
 * @param onError receives the error of each failed write
 */
export function createBatchWriter<Row>(
  write: (batch: Batch<Row>) => Promise<unknown>,
  onError: (error: unknown) => void,
): BatchWriter<Row> {
  const waiting: (readonly Row[])[] = []
  let written = 0
  let writing: Promise<void> | undefined
  let notBefore = 0

  const writeAll = async () => {
    try {
      for (let rows = waiting[0]; rows !== undefined; rows = waiting[0]) {
        await write({ number: written + 1, rows })
        written += 1
        waiting.shift()
      }
    } catch (error) {
      notBefore = performance.now() + RETRY_MS
      onError(error)
    }
    writing = undefined
  }
  return {
    isBusy: () => waiting.length > 0,
    async write(rows) {
      for (let from = 0; from < rows.length; from += BATCH_ROWS)
        waiting.push(rows.slice(from, from + BATCH_ROWS))
      if (waiting.length > 0 && performance.now() >= notBefore) writing ??= writeAll()
      await writing
    },
    async close() {
      await writing
      if (waiting.length > 0) await writeAll()
    },
  }
}

/**
 * Returns the common table expression `fresh` of a statement that writes a batch. It has one row, or none if the batch
 * was already written and its answer was lost. The table of replicas keeps the last number of each kind. The process
 * may have died long ago, so a new row does not make it count as alive, nor as a process of an old version.
 */
export const unlessWritten = (
  kind: 'usage_batch' | 'settlement_batch',
  replicaId: string,
  number: number,
): SQL => sql`
  fresh as (
    insert into ${replicas} as replica (id, ${sql.raw(kind)}, reads_digests, seen_at)
    values (${replicaId}, ${number}::bigint, true, now() - interval '1 hour')
    on conflict (id) do update set ${sql.raw(kind)} = excluded.${sql.raw(kind)}
      where replica.${sql.raw(kind)} < excluded.${sql.raw(kind)}
    returning id
  )`

/** Formats a PostgreSQL array of values that need no quotes. */
export const listOf = (values: readonly (string | number)[]): string => `{${values.join(',')}}`
