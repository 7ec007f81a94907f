import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { ago, type Database, deleteOldRows, isUser, newId, securityEvents, users } from '../store/index.js'
import type { NewSecurityEvent, SecurityEvent, SecurityLogLimits } from './security-event.js'

/** Longest text of a browser that is kept, in characters. */
const USER_AGENT_CHARACTERS = 300

/** The log of security events of each account, which all replicas share through the database. */
export interface SecurityLog {
  /** Writes an event. A failed write is reported, and does not undo the event. */
  note(event: NewSecurityEvent): Promise<void>
  /** Reads the events of an account, the latest first. */
  list(userId: string, most: number): Promise<readonly SecurityEvent[]>
  /** Waits for events that are being written. */
  close(): Promise<void>
}

/**
 * Creates the log.
 * @param onError receives the error of a failed write
 */
export function createSecurityLog(
  db: Database,
  limits: SecurityLogLimits,
  onError: (error: unknown) => void,
): SecurityLog {
  const writing = new Set<Promise<void>>()
  const settle = async () => {
    await Promise.all(writing)
  }
  return {
    note(event) {
      const work = writeEvent(db, limits, event)
        .catch(onError)
        .finally(() => writing.delete(work))
      writing.add(work)
      return work
    },
    async list(userId, most) {
      await settle()
      const rows = await db
        .select()
        .from(securityEvents)
        .where(
          and(
            eq(securityEvents.userId, userId),
            gte(securityEvents.at, ago(limits.securityEventDays, 'days')),
          ),
        )
        .orderBy(desc(securityEvents.at), desc(securityEvents.id))
        .limit(most)
      return rows.map(({ kind, ...row }) => ({ ...row, kind: kind as SecurityEvent['kind'] }))
    },
    close: settle,
  }
}

/**
 * Writes an event, and deletes events of its account beyond the limits. The oldest events of the most frequent kind are
 * deleted first, so that no kind displaces the latest events of another kind.
 */
async function writeEvent(
  db: Database,
  { securityEventsPerAccount, failedLogInEventsPerAccount }: SecurityLogLimits,
  { of, kind, actor = 'user', from, detail = '' }: NewSecurityEvent,
): Promise<void> {
  const userAgent = from?.headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS) ?? null
  const [row] = await db.execute<{ userId: string }>(sql`
    insert into ${securityEvents} (id, user_id, kind, actor, address, user_agent, detail)
    select ${newId('evt')}, id, ${kind}, ${actor}, ${from?.address ?? null}, ${userAgent}, ${detail}
    from ${users} where ${isUser(of)}
    returning user_id as "userId"`)
  if (row === undefined) return
  await db.execute(sql`
    delete from ${securityEvents} where id in (
      select id from (
        select id, fails, row_number() over (partition by fails order by newest, at desc, id desc) as place
        from (
          select id, at, case when kind in ('log-in-failed', 'proof-failed') then kind else '' end as fails,
            row_number() over (partition by kind order by at desc, id desc) as newest
          from ${securityEvents} where user_id = ${row.userId}
        ) as of_kind
      ) as placed
      where place > case when fails = '' then ${securityEventsPerAccount}::integer
        else ${failedLogInEventsPerAccount}::integer end
    )`)
}

/**
 * Deletes events after their retention period.
 * @returns true if more may be left
 */
export function deleteOldSecurityEvents(
  db: Database,
  { securityEventDays }: Pick<SecurityLogLimits, 'securityEventDays'>,
): Promise<boolean> {
  return deleteOldRows(db, securityEvents, 'id', sql`at < ${ago(securityEventDays, 'days')}`)
}
