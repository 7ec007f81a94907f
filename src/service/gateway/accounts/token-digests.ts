import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { type Database, isSharedWithOlderVersion, sessions, users, verifications } from '../store/index.js'

/** Prefix of stored digests. Tokens that were stored by versions without digests lack it. */
const MARK = 'sha256:'
const HOUR_MS = 3_600_000

/** Returns the stored form of a token: its SHA-256 digest. Tokens are random, so the digest needs no salt. */
export const digestOfToken = (token: string): string =>
  MARK + createHash('sha256').update(token).digest('hex')

/**
 * Returns the forms in which a client's token may be stored: its digest, or the token itself, as the previous version
 * stores it. A stored digest is never accepted as a token.
 */
export const storedForms = (token: string): readonly string[] =>
  token.startsWith(MARK) ? [digestOfToken(token)] : [digestOfToken(token), token]

/**
 * Finds the account of a token that better-auth has stored; undefined for an unknown or expired one.
 * @param identifier the token, with the prefix that better-auth gives it
 */
export async function findUserOfToken(
  db: Database,
  identifier: string,
): Promise<{ readonly userId: string; readonly email: string } | undefined> {
  const [user] = await db
    .select({ userId: users.id, email: users.email })
    .from(verifications)
    .innerJoin(users, eq(users.id, verifications.value))
    .where(
      and(
        inArray(verifications.identifier, storedForms(identifier)),
        gt(verifications.expiresAt, sql`now()`),
      ),
    )
  return user
}

/**
 * Creates a function that replaces session tokens stored in plain text by their digests, unless a process of an older
 * version may need them. It runs at most once an hour.
 */
export function createTokenDigests(db: Database): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() < lookedAt + HOUR_MS) return
    lookedAt = performance.now()
    if (await isSharedWithOlderVersion(db)) return
    await db.execute(sql`
      update ${sessions} set token = ${MARK} || encode(sha256(convert_to(token, 'UTF8')), 'hex')
      where not starts_with(token, ${MARK})`)
  }
}

/**
 * Deletes the password reset links of a user, the link between the account and the browser that signed up, and log-ins
 * that wait for a second factor. Call it after a password change and before deleting the account.
 */
export async function deleteLinks(db: Database, userId: string): Promise<void> {
  await db.delete(verifications).where(eq(verifications.value, userId))
}
