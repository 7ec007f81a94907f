import { sql } from 'drizzle-orm'
import type { Batch, Database } from '../store/index.js'
import { ago, apiKeys, deleteOldRows, failures } from '../store/index.js'
import type { FailureEntry, FailureLimits } from './failure-log.js'

const MICROSECONDS_PER_MILLISECOND = 1_000

/**
 * Writes entries and removes those beyond the bounds of their keys. An entry that was already written changes nothing;
 * those of deleted keys are dropped.
 */
export async function writeFailures(
  db: Database,
  limits: FailureLimits,
  { rows }: Pick<Batch<FailureEntry>, 'rows'>,
): Promise<void> {
  const list = (read: (entry: FailureEntry) => string | number | boolean | null) => sql.param(rows.map(read))
  await db.execute(sql`
    insert into ${failures}
      (id, key_id, at, refused, method, code, message, failure, request_id, microseconds, params, params_part)
    select given.id, key_id, to_timestamp(at / 1000.0), refused, method, code, message, failure, request_id, microseconds,
      params, params_part
    from unnest(${list(({ id }) => id)}::text[], ${list(({ keyId }) => keyId)}::text[],
      ${list(({ at }) => at)}::double precision[], ${list(({ isRefused }) => isRefused)}::boolean[],
      ${list(({ method }) => method)}::text[], ${list(({ code }) => code)}::integer[],
      ${list(({ message }) => message)}::text[], ${list(({ failure }) => failure ?? null)}::text[],
      ${list(({ requestId }) => requestId)}::text[],
      ${list(({ milliseconds }) => Math.round(milliseconds * MICROSECONDS_PER_MILLISECOND))}::bigint[],
      ${list(({ params }) => params?.text ?? null)}::text[],
      ${list(({ params }) => params?.isPart ?? false)}::boolean[])
      as given(id, key_id, at, refused, method, code, message, failure, request_id, microseconds, params, params_part)
    join ${apiKeys} as key on key.id = key_id and key.state <> 'deleted'
    on conflict (id) do nothing`)
  await removeExcess(db, limits, [...new Set(rows.map(({ keyId }) => keyId))])
}

/**
 * Removes the entries of keys beyond their bounds. Every process removes after it has written, so the bounds hold for
 * all of them together. Each kind of failure keeps its first entries of a minute, and its last ones of all.
 */
async function removeExcess(db: Database, limits: FailureLimits, keyIds: readonly string[]): Promise<void> {
  const { failuresPerKey, failuresPerKeyPerMinute, refusalsPerKey, refusalsPerKeyPerMinute } = limits
  const bound = (refusals: number, calls: number) =>
    sql`case when refused then ${refusals}::integer else ${calls}::integer end`
  await db.execute(sql`
    delete from ${failures} where id in (
      select id from (
        select id, refused,
          row_number() over (partition by key_id, refused, minute order by of_minute, at, id) as place_of_minute,
          row_number() over (partition by key_id, refused order by of_kind, at desc, id) as place
        from (
          select id, key_id, refused, at, date_trunc('minute', at, 'UTC') as minute,
            row_number() over (
              partition by key_id, refused, date_trunc('minute', at, 'UTC'), method, code order by at, id) as of_minute,
            row_number() over (partition by key_id, refused, method, code order by at desc, id) as of_kind
          from ${failures} where key_id = any (${sql.param([...keyIds])}::text[])
        ) as numbered
      ) as placed
      where place_of_minute > ${bound(refusalsPerKeyPerMinute, failuresPerKeyPerMinute)}
        or place > ${bound(refusalsPerKey, failuresPerKey)}
    )`)
}

/**
 * Deletes entries after their retention period.
 * @returns true if more may be left
 */
export function deleteOldFailures(
  db: Database,
  { failureLogHours }: Pick<FailureLimits, 'failureLogHours'>,
): Promise<boolean> {
  return deleteOldRows(db, failures, 'id', sql`at < ${ago(failureLogHours, 'hours')}`)
}
