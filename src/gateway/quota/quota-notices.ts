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
  readonly onError: (error: unknown, what: string) => void
}

/** Mails about daily limits that are spent or nearly spent: one for each level, user and day, across replicas. */
export interface QuotaNotices {
  /** Looks at the counts of users whose requests were written. */
  check(userIds: readonly string[]): void
  /** Waits for mails that are being sent. */
  close(): Promise<void>
}

/** A user to be told. */
interface Notice extends Record<string, unknown> {
  readonly email: string
  readonly used: number
  readonly limit: number
  /** Percent. */
  readonly level: number
}

const wholePercent = 100

/** Creates the notices. A mail that cannot be sent is reported, and not repeated. */
export function createQuotaNotices(options: QuotaNoticesOptions): QuotaNotices {
  const { db, warningPercent, limitPerDay, origin, sendMail, onError } = options
  const working = new Set<Promise<void>>()
  const send = async ({ email, used, limit, level }: Notice) => {
    const isSpent = level >= wholePercent
    const subject = isSpent
      ? 'Your requests of today are used'
      : `${level} % of your requests of today are used`
    const counted = `${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} requests are used. `
    const effect = isSpent
      ? 'Calls are refused until 00:00 UTC.'
      : 'At the limit, calls are refused until 00:00 UTC.'
    await sendMail(email, subject, `${counted}${effect}\n\nUsage: ${origin()}/usage`)
  }
  const tell = async (userIds: readonly string[]) => {
    for (const notice of await takeNotices(db, userIds, warningPercent, limitPerDay()))
      await send(notice).catch((error: unknown) =>
        onError(error, 'a mail about a daily limit could not be sent'),
      )
  }
  return {
    check(userIds) {
      if (userIds.length === 0) return
      const work = tell(userIds)
        .catch((error: unknown) =>
          onError(error, 'the counts of users could not be compared with their limits'),
        )
        .finally(() => working.delete(work))
      working.add(work)
    },
    async close() {
      await Promise.all(working)
    },
  }
}

/**
 * Records who reached which level, in one statement, so that only one replica tells a user. Users who reached both at
 * once are told the higher one. Addresses that are not confirmed may be somebody else's, and receive nothing.
 */
async function takeNotices(
  db: Database,
  userIds: readonly string[],
  warningPercent: number,
  limitPerDay: number,
): Promise<readonly Notice[]> {
  const limit = sql`least(${limitPerDay}::integer, owner.daily_limit)`
  return db.execute<Notice>(sql`
    with near as (
      select owner.id, owner.email, count.starts_on, count.used, ${limit} as "limit"
      from ${quotaCounts} as count join ${users} as owner on owner.id = count.subject
      where count.subject = any (${sql.param([...userIds])}::text[]) and count.period = 'day'
        and count.starts_on = (now() at time zone 'UTC')::date
        and owner.email_verified and owner.disabled_at is null
        and count.used::bigint * ${wholePercent}::integer >= ${limit}::bigint * ${warningPercent}::integer
    ),
    told as (
      insert into ${quotaNotices} (user_id, day, level)
      select id, starts_on, level from near, unnest(array[${warningPercent}::integer, ${wholePercent}::integer]) as level
      where used::bigint * ${wholePercent}::integer >= "limit"::bigint * level
      on conflict do nothing returning user_id, level
    )
    select email, used, "limit", max(told.level) as level from near join told on told.user_id = near.id
    group by near.id, email, used, "limit"`)
}
