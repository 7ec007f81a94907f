import { createHmac } from 'node:crypto'
import { inArray, sql } from 'drizzle-orm'
import { clientPrefixOf } from '../keys/index.js'
import type { Database } from '../store/index.js'
import { attempts } from '../store/index.js'
import { countInWindow } from './count-in-window.js'

/** An attempt to log in. */
export interface Attempt {
  readonly email: string
  /** IP address of the client. */
  readonly address: string
}

/**
 * Counts failed log-ins per account, which also limits guessing from many addresses. An address with an earlier
 * successful log-in to the account has its own count, so that strangers cannot lock out the owner.
 */
export interface AttemptCount {
  /**
   * Checks whether another attempt is allowed.
   * @param most failed attempts allowed within an hour
   * @returns seconds until the next attempt is allowed, or undefined if it is allowed now
   */
  wait(attempt: Attempt, most: number): Promise<number | undefined>
  /**
   * Counts an attempt before it is judged, so that concurrent attempts cannot exceed the limit.
   * @param most attempts allowed within an hour from the first one
   * @returns seconds until the next attempt is allowed, or undefined if this one is
   */
  take(attempt: Attempt, most: number): Promise<number | undefined>
  /**
   * Marks something that may be used once, such as a code.
   * @param window seconds after which it can be used again
   * @returns false if it was used
   */
  use(what: readonly string[], window: number): Promise<boolean>
  /** Counts a failed attempt. */
  failed(attempt: Attempt): Promise<void>
  /** Resets the counts and remembers the address, after a log-in with the right password. */
  succeeded(attempt: Attempt): Promise<void>
  /** Resets the count of unknown addresses, after the owner has proved to own the account. */
  forget(email: string): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Days for which an address is remembered after the last log-in from it. */
const knownDays = 30
const millisecondsPerSecond = 1000

/**
 * Creates the count, which all replicas share through the database.
 * @param secret key of the hashes that stand for accounts and addresses in the table
 */
export function createAttemptCount(db: Database, secret: string): AttemptCount {
  const digest = (...parts: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url')
  const keysOf = ({ email, address }: Attempt) => {
    const account = email.trim().toLowerCase()
    const both = digest(account, clientPrefixOf(address).client)
    return {
      account: `account|${digest(account)}`,
      address: `address|${both}`,
      known: `known|${both}`,
    }
  }
  /** Finds the count of an attempt: that of its address if the address is known, otherwise that of the account. */
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
  /** Last deletion of outdated rows, in milliseconds since 1970. */
  let cleanedAt = 0
  return {
    async wait(attempt, most) {
      const { row } = await read(attempt)
      const left = row === undefined ? 0 : row.began + hourMs - Date.now()
      if (row === undefined || row.count < most || left <= 0) return undefined
      return Math.ceil(left / millisecondsPerSecond)
    },
    async take(attempt, most) {
      const { key } = await read(attempt)
      return countInWindow(db, key, { max: most, window: hourMs / millisecondsPerSecond })
    },
    async use(what, window) {
      return (await countInWindow(db, `once|${digest(...what)}`, { max: 1, window })) === undefined
    },
    async failed(attempt) {
      const { key } = await read(attempt)
      const now = Date.now()
      const isOver = sql`known.last_request < ${now - hourMs}::bigint`
      // `last_request` holds the start of the hour.
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
