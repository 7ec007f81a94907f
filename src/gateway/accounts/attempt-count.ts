import { createHmac } from 'node:crypto'
import { inArray, sql } from 'drizzle-orm'
import { clientPrefixOf } from '../keys/client-prefix.js'
import type { Database } from '../store/open-store.js'
import { attempts } from '../store/schema.js'

/** Somebody who tries to log in. */
export interface Attempt {
  readonly email: string
  /** The client's address. */
  readonly address: string
}

/**
 * Counts failed log-ins to an account: guessing from many addresses is slowed down, too. An address that somebody has
 * logged in to the account from is counted alone, so that strangers who guess do not keep the owner out.
 */
export interface AttemptCount {
  /**
   * Says whether another attempt may be made.
   * @param most failed attempts within an hour
   * @returns seconds until the next one, or undefined where it may go on
   */
  wait(attempt: Attempt, most: number): Promise<number | undefined>
  /** Counts an attempt that failed. */
  failed(attempt: Attempt): Promise<void>
  /** Forgets the attempts, and knows the address from now on: somebody knew the password. */
  succeeded(attempt: Attempt): Promise<void>
  /** Forgets what strangers have tried: somebody has shown that the account is theirs. */
  forget(email: string): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long an address is known after the last log-in from it. */
const knownDays = 30
const millisecondsPerSecond = 1000

/**
 * Makes the count, in the database, for all replicas together.
 * @param secret names accounts and addresses in it, so that the table holds none
 */
export function createAttemptCount(db: Database, secret: string): AttemptCount {
  const digest = (...parts: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url')
  const keysOf = ({ email, address }: Attempt) => {
    const account = email.trim().toLowerCase()
    const both = digest(account, clientPrefixOf(address))
    return {
      account: `account|${digest(account)}`,
      address: `address|${both}`,
      known: `known|${both}`,
    }
  }
  /** What is counted for an attempt: alone where its address is known, else with those of all strangers. */
  const read = async (attempt: Attempt) => {
    const keys = keysOf(attempt)
    const rows = await db
      .select({ key: attempts.key, count: attempts.count, began: attempts.lastRequest })
      .from(attempts)
      .where(inArray(attempts.key, Object.values(keys)))
    const rowOf = (key: string) => rows.find((row) => row.key === key)
    const knownSince = rowOf(keys.known)?.began ?? 0
    const key = knownSince > Date.now() - knownDays * dayMs ? keys.address : keys.account
    return { key, row: rowOf(key) }
  }
  /** What is too old to count, of whatever is counted in the table, is deleted now and then. */
  let cleanedAt = 0
  return {
    async wait(attempt, most) {
      const { row } = await read(attempt)
      const left = row === undefined ? 0 : row.began + hourMs - Date.now()
      if (row === undefined || row.count < most || left <= 0) return undefined
      return Math.ceil(left / millisecondsPerSecond)
    },
    async failed(attempt) {
      const { key } = await read(attempt)
      const now = Date.now()
      const isOver = sql`known.last_request < ${now - hourMs}::bigint`
      // `last_request` is when the hour began.
      await db.execute(sql`
        insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now}::bigint)
        on conflict (key) do update set
          count = case when ${isOver} then 1 else known.count + 1 end,
          last_request = case when ${isOver} then excluded.last_request else known.last_request end`)
    },
    async succeeded(attempt) {
      const { account, address, known } = keysOf(attempt)
      const lastRequest = Date.now()
      await db
        .insert(attempts)
        .values({ id: known, key: known, count: 0, lastRequest })
        .onConflictDoUpdate({ target: attempts.key, set: { lastRequest } })
      await db.delete(attempts).where(inArray(attempts.key, [account, address]))
      if (lastRequest < cleanedAt + hourMs) return
      cleanedAt = lastRequest
      await db.execute(sql`
        delete from ${attempts} where last_request <
          case when key like 'known|%' then ${lastRequest - knownDays * dayMs}::bigint else ${lastRequest - dayMs}::bigint end`)
    },
    async forget(email) {
      await db.delete(attempts).where(inArray(attempts.key, [keysOf({ email, address: '' }).account]))
    },
  }
}
