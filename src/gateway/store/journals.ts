import { type SQL, sql } from 'drizzle-orm'
import { durationBounds } from './duration-classes.js'
import type { Database } from './open-store.js'
import { apiKeys, quotaCounts, usageHours, usageJournal, usageMinutes, usedJournal } from './schema.js'

/** Parts that subjects and keys are dealt to: whoever reads the counts of one of them has a part added up, not all. */
export const BUCKETS = 64
const SECONDS_PER_MINUTE = 60
/** A prime that spreads texts which differ in their last characters alone. */
const HASH_FACTOR = 31

/** The bucket of a subject or of a key, by its id: the same in every process, and never another. */
export function bucketOf(id: string): number {
  let hash = 0
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash, HASH_FACTOR) + id.charCodeAt(at)
  return (hash >>> 0) % BUCKETS
}

/** Every bucket. */
export const allBuckets: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

/** The buckets of some ids, each once. */
export const bucketsOf = (ids: readonly string[]): readonly number[] => [...new Set(ids.map(bucketOf))]

/**
 * The order in which every statement locks counts, so that no two wait for each other: the same whatever the order of
 * letters in the database.
 */
export const lockOrder = sql.raw('subject collate "C", period, starts_on')

/** What is waited for before the rows of a bucket are added up, in seconds: 0 for who wants to read them. */
export interface FoldOptions {
  readonly afterSeconds: number
}

/** Lists that go together, each in PostgreSQL's notation: a row of a journal for each place. */
interface JournalRows {
  /** Their buckets; one comes as often as it has rows. */
  readonly written: readonly number[]
  readonly buckets: string
  /** What each has counted, as `entriesText` writes it. */
  readonly entries: string
}

/** How rows are written: as text where one process alone writes and knows what it has written, else as lists. */
export type JournalForm = 'lists' | 'text'

/** The lists of a row as one text: each in PostgreSQL's notation, but for the first one that repeats a value with that alone. */
export const entriesText = (lists: readonly (readonly (string | number)[])[]): string =>
  lists
    .map((list, at) =>
      at > 0 && list.every((each) => each === list[0]) ? `{${list[0]}}` : `{${list.join(',')}}`,
    )
    .join(';')

/** Rows of the journal of what was used, with the lists `subjects` and `used`. */
export interface UsedRows extends JournalRows {
  readonly periods: string
  readonly starts: string
}

/** Rows of the journal of usage, with the lists that its columns name. */
export interface UsageRows extends JournalRows {
  /** Whole minutes since 1970. */
  readonly minutes: string
}

/** What the rows of some buckets come to, said by their only writer: taken in place of the rows. */
export interface Known<Rows> {
  /** Each bucket, and how many rows of it that are not packed must be there; where there are others, they are taken. */
  readonly counts: readonly { readonly bucket: number; readonly rows: number }[]
  readonly rows: Rows
}

/** A journal, by the names of its columns. */
interface Journal<Rows> {
  readonly table: typeof usedJournal | typeof usageJournal
  /** What a row is about. */
  readonly about: SQL
  /** Its lists, by name and type; the first one tells how many entries there are. */
  readonly lists: Readonly<Record<string, 'text' | 'bigint' | 'integer' | 'smallint'>>
  /** Rows as they are given, with their entries. */
  readonly given: (rows: Rows) => SQL
}

const used: Journal<UsedRows> = {
  table: usedJournal,
  about: sql.raw('bucket, period, starts_on'),
  lists: { subjects: 'text', used: 'bigint' },
  given: ({ buckets, periods, starts, entries }) => sql`
    select * from unnest(${buckets}::smallint[], ${periods}::text[], ${starts}::date[], ${entries}::text[])
      as given(bucket, period, starts_on, entries)`,
}
const usage: Journal<UsageRows> = {
  table: usageJournal,
  about: sql.raw('bucket, starts_at'),
  lists: {
    key_ids: 'text',
    methods: 'text',
    codes: 'integer',
    classes: 'smallint',
    requests: 'bigint',
    microseconds: 'bigint',
    slowest_microseconds: 'bigint',
  },
  given: ({ buckets, minutes, entries }) => sql`
    select bucket, to_timestamp(minute * ${SECONDS_PER_MINUTE}::bigint) as starts_at, entries
    from unnest(${buckets}::smallint[], ${minutes}::bigint[], ${entries}::text[]) as given(bucket, minute, entries)`,
}

/** All columns that say what was counted. */
const columnsOf = <Rows>({ about, lists }: Journal<Rows>) =>
  sql`${about}, ${sql.raw(Object.keys(lists).join(', '))}, entries`

/** Given rows as the journal has them, with `columnsOf` in that order. */
function rowsOf<Rows>(journal: Journal<Rows>, rows: Rows): SQL {
  const empty = Object.entries(journal.lists).map(([name, type]) => `'{}'::${type}[] as ${name}`)
  return sql`select ${journal.about}, ${sql.raw(empty.join(', '))}, entries from (${journal.given(rows)}) as given`
}

/** Rows with their lists, wherever these are in the journal. */
function unpacked<Rows>({ about, lists }: Journal<Rows>, rows: SQL): SQL {
  const names = Object.keys(lists)
  const parts = Object.entries(lists).map(([name, type], at) => `list[${at + 1}]::${type}[] as of_${name}`)
  const filled = names.map(
    (name) => `case when entries is null then ${name} when cardinality(of_${name}) = 1
      then array_fill(of_${name}[1], array[cardinality(of_${names[0]})]) else of_${name} end as ${name}`,
  )
  return sql`select ${about}, ${sql.raw(filled.join(', '))}
    from (${rows}) as journaled, lateral (select string_to_array(entries, ';') as list offset 0) as of_entries,
      lateral (select ${sql.raw(parts.join(', '))} offset 0) as parts`
}

/** Writes rows into a journal, for a statement that knows whether they are fresh. */
function insertRows<Rows>(journal: Journal<Rows>, rows: Rows, form: JournalForm): SQL {
  const given = rowsOf(journal, rows)
  if (form === 'text')
    return sql`insert into ${journal.table} (${columnsOf(journal)}) select * from (${given}) as journaled
      where exists (select from fresh)`
  const columns = sql`${journal.about}, ${sql.raw(Object.keys(journal.lists).join(', '))}`
  return sql`insert into ${journal.table} (${columns}) select * from (${unpacked(journal, given)}) as journaled
    where exists (select from fresh)`
}

/** The statement that writes into the journal of what was used, if there is a row in `fresh`. */
export const insertUsed = (rows: UsedRows, form: JournalForm) => insertRows(used, rows, form)

/** The same for usage. */
export const insertUsage = (rows: UsageRows, form: JournalForm) => insertRows(usage, rows, form)

/**
 * What is to be added up, or packed: the rows that are gone from the journal, or what is known of a bucket whose rows
 * were all known.
 */
function source<Rows>(journal: Journal<Rows>, known: Known<Rows> | undefined): SQL {
  const columns = columnsOf(journal)
  if (known === undefined) return sql`source as (select ${columns} from gone)`
  const list = (name: 'bucket' | 'rows') => `{${known.counts.map((each) => each[name]).join(',')}}`
  return sql`whole as materialized (
      select bucket from unnest(${list('bucket')}::smallint[], ${list('rows')}::integer[]) as known(bucket, rows)
      where rows = (select count(*) from gone where gone.bucket = known.bucket and not is_packed)
    ),
    source as (
      select ${columns} from gone where is_packed or bucket not in (select bucket from whole)
      union all
      select ${columns} from (${rowsOf(journal, known.rows)}) as of_known where bucket in (select bucket from whole)
    )`
}

/** The buckets of which rows are gone. */
const bucketsGone = sql`select distinct bucket from gone`

/** Takes out the rows of some buckets, where the oldest of a bucket has waited for long enough. */
const gone = <Rows>(
  journal: Journal<Rows>,
  buckets: readonly number[],
  { afterSeconds }: FoldOptions,
  which = sql`true`,
) => sql`
  gone as (
    delete from ${journal.table} where ${which} and bucket in (
      select bucket from ${journal.table} where ${which} and bucket = any (${`{${buckets.join(',')}}`}::smallint[])
      group by bucket having min(written_at) <= now() - make_interval(secs => ${afterSeconds}::integer))
    returning is_packed, ${columnsOf(journal)}
  )`

/** Puts the rows of some buckets together: what is known of them, where these are all. */
async function pack<Rows>(
  db: Database,
  journal: Journal<Rows>,
  options: FoldOptions,
  known: Known<Rows>,
): Promise<readonly number[]> {
  const buckets = known.counts.map(({ bucket }) => bucket)
  const packed = await db.execute<{ bucket: number }>(sql`
    with ${gone(journal, buckets, options, sql`not is_packed`)},
    ${source(journal, known)},
    packed as (insert into ${journal.table} (is_packed, ${columnsOf(journal)}) select true, * from source)
    ${bucketsGone}`)
  return packed.map(({ bucket }) => bucket)
}

/**
 * Puts what was used in some buckets, as their only writer knows it, in place of the rows that it has written second by
 * second: a few rows that cost little, until they are added up.
 * @returns the buckets whose rows were put together
 */
export const packUsed = (db: Database, options: FoldOptions, known: Known<UsedRows>) =>
  pack(db, used, options, known)

/** The same for usage. */
export const packUsage = (db: Database, options: FoldOptions, known: Known<UsageRows>) =>
  pack(db, usage, options, known)

/**
 * Adds what processes have used, as far as it is journaled, to the counts of the windows.
 * @returns the buckets that were added up
 */
export async function foldUsed(
  db: Database,
  buckets: readonly number[],
  options: FoldOptions = { afterSeconds: 0 },
  known?: Known<UsedRows>,
): Promise<readonly number[]> {
  const folded = await db.execute<{ bucket: number }>(sql`
    with ${gone(used, buckets, options)},
    ${source(used, known)},
    given as materialized (
      select entry.subject, source.period, source.starts_on, sum(entry.used) as used
      from (${unpacked(used, sql`select * from source`)}) as source, unnest(source.subjects, source.used) as entry(subject, used) group by 1, 2, 3
    ),
    locked as (
      select given.* from ${quotaCounts} as quota join given using (subject, period, starts_on)
      order by ${lockOrder} for update of quota
    ),
    added as (
      update ${quotaCounts} as quota set used = greatest(0, least(quota.used + locked.used, quota.granted))
      from locked
      where quota.subject = locked.subject and quota.period = locked.period and quota.starts_on = locked.starts_on
    )
    ${bucketsGone}`)
  return folded.map(({ bucket }) => bucket)
}

const durationClasses = Array.from({ length: durationBounds.length + 1 }, (_, at) => at)
/** A list with a place for each class of duration, in SQL. */
const byClass = (place: (at: number) => string) =>
  sql.raw(`array[${durationClasses.map(place).join(', ')}]::bigint[]`)
const columns = sql.raw(
  'key_id, starts_at, method, code, requests, microseconds, slowest_microseconds, durations',
)
// Rows are locked in the order of their keys, so that no two processes wait for each other.
const add = (table: typeof usageMinutes | typeof usageHours, rows: SQL) => sql`
  insert into ${table} as known (${columns}) ${rows} order by key_id, starts_at, method, code
  on conflict (key_id, starts_at, method, code) do update set
    requests = known.requests + excluded.requests,
    microseconds = known.microseconds + excluded.microseconds,
    slowest_microseconds = greatest(known.slowest_microseconds, excluded.slowest_microseconds),
    durations = ${byClass((at) => `coalesce(known.durations[${at + 1}], 0) + excluded.durations[${at + 1}]`)}`
/** Of each minute; a class has one row in it, which is found by its greatest. */
const countedMinutes = sql`
  select key_id, starts_at, method, code, sum(requests)::bigint as requests, sum(microseconds)::bigint as microseconds,
    max(slowest) as slowest_microseconds,
    ${byClass((at) => `coalesce(max(requests) filter (where class = ${at}), 0)`)} as durations
  from counted group by key_id, starts_at, method, code`
const countedHours = sql`
  select key_id, date_trunc('hour', starts_at, 'UTC') as starts_at, method, code, sum(requests), sum(microseconds),
    max(slowest_microseconds), ${byClass((at) => `sum(durations[${at + 1}])`)}
  from of_minutes group by 1, 2, 3, 4`

/**
 * Adds what is journaled of usage to that of minutes and hours, and notes when keys were used.
 * @returns the buckets that were added up
 */
export async function foldUsage(
  db: Database,
  buckets: readonly number[],
  options: FoldOptions = { afterSeconds: 0 },
  known?: Known<UsageRows>,
): Promise<readonly number[]> {
  const folded = await db.execute<{ bucket: number }>(sql`
    with ${gone(usage, buckets, options)},
    ${source(usage, known)},
    counted as materialized (
      select key_id, starts_at, method, code, class,
        sum(entry.requests)::bigint as requests, sum(entry.microseconds)::bigint as microseconds, max(slowest) as slowest
      from (${unpacked(usage, sql`select * from source`)}) as source, unnest(key_ids, methods, codes, classes, source.requests, source.microseconds, slowest_microseconds)
        as entry(key_id, method, code, class, requests, microseconds, slowest)
      group by 1, 2, 3, 4, 5
    ),
    of_minutes as materialized (${countedMinutes}),
    minutes as (${add(usageMinutes, sql`select * from of_minutes`)}),
    hours as (${add(usageHours, countedHours)}),
    used as (
      select id, last.at from ${apiKeys} as key
      join (select key_id, max(starts_at) as at from of_minutes group by key_id) as last on last.key_id = key.id
      where key.last_used_at is null or key.last_used_at < last.at
      order by id for update of key
    ),
    noted as (update ${apiKeys} as key set last_used_at = used.at from used where key.id = used.id)
    ${bucketsGone}`)
  return folded.map(({ bucket }) => bucket)
}
