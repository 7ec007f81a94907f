import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { type Database, isSharedWithOlderVersion, sessions, verifications } from '../store/index.js'

/** Marks a stored digest, to tell it from a token that a version without digests stored. */
const MARK = 'sha256:'
const HOUR_MS = 3_600_000

/** Returns what is stored of a token: its SHA-256. Tokens are random, so the digest needs no salt. */
export const digestOfToken = (token: string): string =>
  MARK + createHash('sha256').update(token).digest('hex')

/**
 * Returns what may be stored of a token that a client presents: its digest, or the token itself, as the version before
 * stores it. A stored digest is never a token.
 */
export const storedForms = (token: string): readonly string[] =>
  token.startsWith(MARK) ? [digestOfToken(token)] : [digestOfToken(token), token]

/**
 * Creates a function that replaces tokens of sessions that are stored in clear by their digests, unless a process may need
 * them. It looks at most once an hour.
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

/** Deletes the reset links of a user, and log-ins that wait for a code: the password that they follow has changed. */
export async function deleteLinks(db: Database, userId: string): Promise<void> {
  await db.delete(verifications).where(eq(verifications.value, userId))
}
