import { sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'

/** Advisory lock, so that one of several processes changes the partitions. */
const PARTITIONS_LOCK = 0x75736167

/** Partitions that exist ahead of the current one. The default partition takes rows if no process runs for longer. */
const CREATED_AHEAD = 3

/** A table whose rows are kept in partitions of a period (docs/decisions/0080). */
export interface PartitionedTable {
  readonly name: 'usage_minutes' | 'usage_hours'
  /** Period of a partition. Periods start at midnight UTC, weeks on Monday. */
  readonly period: 'day' | 'week'
  /** Free space of pages, for rows that change often. */
  readonly fillFactor: number
}

/** The partition of rows from before the table was partitioned, and the one of rows without another partition. */
export const lastingPartitions = ({ name }: PartitionedTable): readonly string[] => [
  `usage_partitions.${name}_before`,
  `usage_partitions.${name}_default`,
]

/**
 * Creates the partitions of the current and the next periods, and drops those whose rows are all too old. If another
 * process does so or uses the table for long, nothing happens.
 * @param kept retention of rows, as an interval of PostgreSQL
 */
export async function renewPartitions(
  db: Database,
  { name, period, fillFactor }: PartitionedTable,
  kept: string,
): Promise<void> {
  await db.execute(
    sql.raw(`
do $$
declare
  parent constant regclass := '${name}';
  ends constant text := $end$TO \\('(.*)'\\)$end$;
  starts_at timestamptz;
  ends_at timestamptz;
  partition_name text;
begin
  if not pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) then return; end if;
  perform set_config('lock_timeout', '2s', true);
  for ahead in 0..${CREATED_AHEAD} loop
    starts_at := date_trunc('${period}', now(), 'UTC') + ahead * interval '1 ${period}';
    ends_at := starts_at + interval '1 ${period}';
    continue when exists (
      select from pg_inherits join pg_class on oid = inhrelid
      where inhparent = parent and (regexp_match(pg_get_expr(relpartbound, oid), ends))[1]::timestamptz > starts_at);
    partition_name := to_char(starts_at at time zone 'UTC', '"usage_partitions.${name}_"YYYY_MM_DD');
    lock table usage_partitions.${name}_default in access exclusive mode;
    execute format('create table %s (like ${name} including all) with (fillfactor = ${fillFactor})', partition_name);
    execute format(
      'with moved as (
        delete from usage_partitions.${name}_default where starts_at >= %L and starts_at < %L returning *)
      insert into %s select * from moved', starts_at, ends_at, partition_name);
    execute format('alter table ${name} attach partition %s for values from (%L) to (%L)', partition_name, starts_at, ends_at);
  end loop;
  for partition_name in
    select oid::regclass from pg_inherits join pg_class on oid = inhrelid
    where inhparent = parent and relname <> '${name}_before'
      and (regexp_match(pg_get_expr(relpartbound, oid), ends))[1]::timestamptz <= now() - interval '${kept}'
  loop
    execute 'drop table ' || partition_name;
  end loop;
exception when lock_not_available or deadlock_detected then
  null;
end $$`),
  )
}
