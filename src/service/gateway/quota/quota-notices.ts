import { sql } from 'drizzle-orm'
import { type Database, quotaCounts, quotaNotices, users } from '../store/index.js'

/** Options of {@link createQuotaNotices}. */
export interface QuotaNoticesOptions {
  readonly db: Database
  /** Share of the daily limit from which users are told, in percent; they are told again at 100. */
  readonly warningPercent: number
  /** Daily limit of users without a lower one. */
  readonly limitPerDay: () => number
  /** Public origin of the dashboard. */
  readonly origin: () => string
  readonly sendMail: (to: string, subject: string, text: string) => Promise<void>
  /** Seconds until a mail that was not sent is tried again; the time doubles with each attempt. 300 by default. */
  readonly retrySeconds?: number
  readonly onError: (error: unknown, what: string) => void
}

/** Mails about daily limits that are spent or nearly spent: one for each level, user and day, across replicas. */
export interface QuotaNotices {
  /** Looks at the counts of users whose requests were written. */
  check(userIds: readonly string[]): void
  /** Stops trying again, and waits for mails that are being sent. */
  close(): Promise<void>
}

/** A user to be told. */
interface Notice extends Record<string, unknown> {
  readonly userId: string
  readonly email: string
  readonly used: number
  readonly limit: number
  /** Percent. */
  readonly level: number
}

const wholePercent = 100
const defaultRetrySeconds = 300
const msPerSecond = 1_000
/** Tries for one mail: with the default, the last one is 155 minutes after the first. */
const mostAttempts = 6
/** Mails that one process takes at a time from those to be tried again. */
const retriedAtOnce = 100

/**
 * Creates the notices. A mail that cannot be sent is reported, and tried again within the same UTC day by one of the
 * processes, also when the first one has ended.
 */
export function createQuotaNotices(options: QuotaNoticesOptions): QuotaNotices {
  const { db, warningPercent, limitPerDay, origin, sendMail, onError } = options
  const { retrySeconds = defaultRetrySeconds } = options
  const working = new Set<Promise<void>>()
  const send = async ({ userId, email, used, limit, level }: Notice) => {
    const isSpent = level >= wholePercent
    const subject = isSpent
      ? 'Your requests of today are used'
      : `${level} % of your requests of today are used`
    const counted = `${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} requests are used. `
    const effect = isSpent
      ? 'Calls are refused until 00:00 UTC.'
      : 'At the limit, calls are refused until 00:00 UTC.'
    await sendMail(email, subject, `${counted}${effect}\n\nUsage: ${origin()}/usage`)
    await db.execute(sql`
      update ${quotaNotices} set retry_at = null
      where user_id = ${userId} and day = ${today} and level <= ${level}::integer`)
  }
  const tell = (taking: Promise<readonly Notice[]>) => {
    const work = taking
      .then(async (notices) => {
        for (const notice of notices)
          await send(notice).catch((error: unknown) =>
            onError(error, 'a mail about a daily limit could not be sent'),
          )
      })
      .catch((error: unknown) =>
        onError(error, 'the counts of users could not be compared with their limits'),
      )
      .finally(() => working.delete(work))
    working.add(work)
  }
  const retries = setInterval(
    () => tell(retakeNotices(db, limitPerDay(), retrySeconds)),
    (retrySeconds * msPerSecond) / 2,
  ).unref()
  return {
    check(userIds) {
      if (userIds.length > 0) tell(takeNotices(db, userIds, warningPercent, limitPerDay(), retrySeconds))
    },
    async close() {
      clearInterval(retries)
      await Promise.all(working)
    },
  }
}

const today = sql`(now() at time zone 'UTC')::date`

/**
 * Records who reached which level, in one statement, so that only one replica tells a user. Users who reached both at
 * once are told the higher one. Addresses that are not confirmed may be somebody else's, and receive nothing. A mail that
 * is not known to be sent is due again after `retrySeconds`.
 */
async function takeNotices(
  db: Database,
  userIds: readonly string[],
  warningPercent: number,
  limitPerDay: number,
  retrySeconds: number,
): Promise<readonly Notice[]> {
  const limit = limitOf(limitPerDay)
  return db.execute<Notice>(sql`
    with near as (
      select owner.id, owner.email, count.starts_on, count.used, ${limit} as "limit"
      from ${quotaCounts} as count join ${users} as owner on owner.id = count.subject
      where count.subject = any (${sql.param([...userIds])}::text[]) and count.period = 'day'
        and count.starts_on = ${today}
        and owner.email_verified and owner.disabled_at is null
        and count.used::bigint * ${wholePercent}::integer >= ${limit}::bigint * ${warningPercent}::integer
    ),
    told as (
      insert into ${quotaNotices} (user_id, day, level, retry_at)
      select id, starts_on, level, now() + make_interval(secs => ${retrySeconds}::double precision) from near, unnest(array[${warningPercent}::integer, ${wholePercent}::integer]) as level
      where used::bigint * ${wholePercent}::integer >= "limit"::bigint * level
      on conflict do nothing returning user_id, level
    )
    select id as "userId", email, used, "limit", max(told.level) as level from near join told on told.user_id = near.id
    group by near.id, email, used, "limit"`)
}

/**
 * Takes mails of today that are due again, of each user that of the highest level. Processes that look at the same time
 * take different ones. The count may have grown since.
 */
async function retakeNotices(
  db: Database,
  limitPerDay: number,
  retrySeconds: number,
): Promise<readonly Notice[]> {
  return db.execute<Notice>(sql`
    with due as (
      select user_id, day, level from ${quotaNotices} as notice
      where day = ${today} and retry_at <= now() and attempts < ${mostAttempts}::integer
        and not exists (
          select from ${quotaNotices} as higher
          where higher.user_id = notice.user_id and higher.day = notice.day and higher.level > notice.level)
      limit ${retriedAtOnce}::integer for update skip locked
    ),
    taken as (
      update ${quotaNotices} as notice set attempts = notice.attempts + 1,
        retry_at = now() + make_interval(secs => ${retrySeconds}::double precision * power(2, notice.attempts))
      from due where notice.user_id = due.user_id and notice.day = due.day and notice.level = due.level
      returning notice.user_id, notice.day, notice.level
    )
    select owner.id as "userId", owner.email, count.used, ${limitOf(limitPerDay)} as "limit", taken.level
    from taken join ${users} as owner on owner.id = taken.user_id
      join ${quotaCounts} as count on count.subject = owner.id and count.period = 'day' and count.starts_on = taken.day
    where owner.email_verified and owner.disabled_at is null
      and count.used::bigint * ${wholePercent}::integer >= ${limitOf(limitPerDay)}::bigint * taken.level`)
}

const limitOf = (limitPerDay: number) => sql`least(${limitPerDay}::integer, owner.daily_limit)`
