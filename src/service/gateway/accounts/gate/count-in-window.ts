import { sql } from 'drizzle-orm'
import type { Database } from '../../store/index.js'
import { attempts } from '../../store/index.js'

/** A limit on attempts within a window. */
export interface AttemptRule {
  readonly max: number
  /** Length of the window in seconds. */
  readonly window: number
}

const millisecondsPerSecond = 1_000

/**
 * Counts an attempt in one statement, so that concurrent ones cannot pass together. A window begins at the first attempt
 * and ends after its length, whatever is tried in between: slow attempts are never refused, and refused ones prolong
 * nothing.
 * @returns seconds until the next attempt is allowed, or undefined if this one is
 */
export async function countInWindow(
  db: Database,
  key: string,
  { max, window }: AttemptRule,
): Promise<number | undefined> {
  const now = Date.now()
  const length = window * millisecondsPerSecond
  const isOver = sql`known.last_request <= ${now - length}::bigint`
  // `last_request` holds the start of the window.
  const [row] = await db.execute<{ count: number; began: string }>(sql`
    insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now}::bigint)
    on conflict (key) do update set
      count = case when ${isOver} then 1 else least(known.count, ${max}::integer) + 1 end,
      last_request = case when ${isOver} then excluded.last_request else known.last_request end
    returning count, last_request as began`)
  if (row === undefined || row.count <= max) return undefined
  return Math.max(1, Math.ceil((Number(row.began) + length - now) / millisecondsPerSecond))
}
