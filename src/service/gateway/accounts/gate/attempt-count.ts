import { createHmac } from 'node:crypto'
import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { clientPrefixOf } from '../../keys/index.js'
import { attempts, type Database, deleteOldRows } from '../../store/index.js'
import type { AccountLimits } from '../account.js'
import { countInWindow } from './count-in-window.js'

/** An attempt at an account. */
export interface Attempt {
  readonly email: string
  /** Name of a separate count, such as `mails`; undefined for guesses. */
  readonly what?: string
  /** IP address of the client. */
  readonly address: string
}

/** The outcome of counting an attempt: seconds until the next attempt is allowed, or a function that uncounts it. */
export type TakenAttempt =
  | { readonly wait: number }
  | { readonly wait?: undefined; giveBack(): Promise<void> }

/**
 * Counts attempts per account, which also limits guessing from many addresses. An address from which the owner has
 * authenticated has its own count, so that strangers cannot lock out the owner.
 */
export interface AttemptCount {
  /**
   * Counts an attempt before it is verified, so that concurrent attempts cannot exceed the limit.
   * @param most maximum number of attempts in the hour after the first attempt
   */
  take(attempt: Attempt, most: number): Promise<TakenAttempt>
  /** Resets the counts and remembers the address, after a valid proof. */
  succeeded(attempt: Attempt): Promise<void>
  /** Remembers that the owner uses the address. */
  remember(attempt: Attempt): Promise<void>
  /** Resets the count of unknown addresses, after the owner has proved ownership of the account. */
  forget(email: string): Promise<void>
  /**
   * Marks a proof that works once, such as a code, as used.
   * @param what parts that identify the proof
   * @param window seconds after which the proof can be used again
   * @returns false if the proof was already used
   */
  use(what: readonly string[], window: number): Promise<boolean>
  /** Removes the mark of a proof. */
  release(what: readonly string[]): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Days for which an address is remembered after the last log-in from it. */
const knownDays = 30
const millisecondsPerSecond = 1000

/**
 * Creates the count, which all replicas share through the database.
 * @param secret key of the HMACs that represent accounts and addresses in the table
 */
export function createAttemptCount(db: Database, secret: string): AttemptCount {
  const digest = (...parts: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url')
  const keysOf = ({ email, address, what }: Attempt) => {
    const account = email.trim().toLowerCase()
    const { client } = clientPrefixOf(address)
    const counted = what === undefined ? [] : [what]
    return {
      account: `account|${digest(account, ...counted)}`,
      address: `address|${digest(account, client, ...counted)}`,
      known: `known|${digest(account, client)}`,
    }
  }
  const onceKey = (what: readonly string[]) => `once|${digest(...what)}`
  /** Finds the count of an attempt: that of its address if the owner uses it, otherwise that of the account. */
  const keyOf = async (attempt: Attempt) => {
    const { known, address, account } = keysOf(attempt)
    const since = Date.now() - knownDays * dayMs
    const isKnown = await db.$count(attempts, and(eq(attempts.key, known), gt(attempts.lastRequest, since)))
    return isKnown > 0 ? address : account
  }
  const remember = async (attempt: Attempt) => {
    const { known: key } = keysOf(attempt)
    const lastRequest = Date.now()
    await db
      .insert(attempts)
      .values({ id: key, key, count: 0, lastRequest })
      .onConflictDoUpdate({ target: attempts.key, set: { lastRequest } })
  }
  return {
    async take(attempt, most) {
      const key = await keyOf(attempt)
      const wait = await countInWindow(db, key, { max: most, window: hourMs / millisecondsPerSecond })
      if (wait !== undefined) return { wait }
      const takenAt = Date.now()
      return {
        async giveBack() {
          // Refused attempts raise the count by one in all, and hold no place. A later window has not counted this one.
          await db
            .update(attempts)
            .set({ count: sql`greatest(least(count, ${most}::integer) - 1, 0)` })
            .where(and(eq(attempts.key, key), lte(attempts.lastRequest, takenAt)))
        },
      }
    },
    async use(what, window) {
      return (await countInWindow(db, onceKey(what), { max: 1, window })) === undefined
    },
    async release(what) {
      await db.delete(attempts).where(eq(attempts.key, onceKey(what)))
    },
    async remember(attempt) {
      await remember(attempt)
    },
    async succeeded(attempt) {
      const { account, address } = keysOf(attempt)
      await remember(attempt)
      await db.delete(attempts).where(inArray(attempts.key, [account, address]))
    },
    async forget(email) {
      await db.delete(attempts).where(inArray(attempts.key, [keysOf({ email, address: '' }).account]))
    },
  }
}

/**
 * Deletes counts and marks after the longest window of a proof, that of links, and addresses that the owner no longer
 * uses.
 * @returns true if more may be left
 */
export function deleteOldAttempts(
  db: Database,
  { verificationLinkHours }: Pick<AccountLimits, 'verificationLinkHours'>,
): Promise<boolean> {
  const now = Date.now()
  const isOver = sql`last_request < case when key like 'known|%' then ${now - knownDays * dayMs}::bigint
    else ${now - verificationLinkHours * hourMs}::bigint end`
  return deleteOldRows(db, attempts, 'id', isOver)
}
