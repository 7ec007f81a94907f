import { sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'

/** Advisory lock key. One process at a time changes the partitions. */
const PARTITIONS_LOCK = 0x75736167

/** Partitions that are created ahead of the current one. */
const CREATED_AHEAD = 3

/** A table that is partitioned by time (docs/decisions/0080). */
export interface PartitionedTable {
  readonly name: 'usage_minutes' | 'usage_hours'
  /** Time range of a partition. Ranges start at midnight UTC, weeks on Monday. */
  readonly period: 'day' | 'week'
}

/** The partitions that are never dropped: the table from before the migration, and the default partition. */
export const permanentPartitions = ({ name }: PartitionedTable): readonly string[] => [
  `usage_partitions.${name}_before`,
  `usage_partitions.${name}_default`,
]

/**
 * Creates the partitions of the current period and the next ones, and drops partitions that have expired. Does nothing
 * while another process does the same, or if a lock is not available within two seconds.
 * @param retention a PostgreSQL interval, such as `90 days`
 */
export async function maintainPartitions(
  db: Database,
  { name, period }: PartitionedTable,
  retention: string,
): Promise<void> {
  await db.execute(
    sql.raw(`
do $$
declare
  parent constant regclass := '${name}';
  upper_bound constant text := $pattern$TO \\('(.*)'\\)$pattern$;
  options constant text := (
    select array_to_string(reloptions, ', ') from pg_class where oid = 'usage_partitions.${name}_default'::regclass);
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
      where inhparent = parent and (regexp_match(pg_get_expr(relpartbound, oid), upper_bound))[1]::timestamptz > starts_at);
    partition_name := to_char(starts_at at time zone 'UTC', '"usage_partitions.${name}_"YYYY_MM_DD');
    lock table usage_partitions.${name}_default in access exclusive mode;
    execute format('create table %s (like ${name} including all) with (%s)', partition_name, options);
    execute format(
      'with moved as (
        delete from usage_partitions.${name}_default where starts_at >= %L and starts_at < %L returning *)
      insert into %s select * from moved', starts_at, ends_at, partition_name);
    execute format('alter table ${name} attach partition %s for values from (%L) to (%L)', partition_name, starts_at, ends_at);
  end loop;
  for partition_name in
    select oid::regclass from pg_inherits join pg_class on oid = inhrelid
    where inhparent = parent and relname <> '${name}_before'
      and (regexp_match(pg_get_expr(relpartbound, oid), upper_bound))[1]::timestamptz <= now() - interval '${retention}'
  loop
    execute 'drop table ' || partition_name;
  end loop;
exception when lock_not_available or deadlock_detected then
  null;
end $$`),
  )
}
