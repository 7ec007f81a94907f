import { and, eq } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { credentials, isUser, randomText, users } from '../store/index.js'

/** The account for trying out the service. */
export interface DemoAccount {
  readonly email: string
  /** Known only to the process that created the account. */
  readonly password: string | undefined
}

/** Without characters that look alike, because people copy the password from a terminal. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const CHARACTERS = 16
const ID_CHARACTERS = 24
const PROVIDER = 'credential'

/**
 * Sets a password for the development user if it has none. Only one of several starting processes succeeds.
 * @param email address of an existing user
 */
export async function ensureDemoAccount(db: Database, email: string): Promise<DemoAccount> {
  const [user] = await db
    .select({ id: users.id, credentialId: credentials.id })
    .from(users)
    .leftJoin(credentials, and(eq(credentials.userId, users.id), eq(credentials.providerId, PROVIDER)))
    .where(isUser({ email }))
  if (user === undefined || user.credentialId !== null) return { email, password: undefined }
  const { hashPassword } = await import('better-auth/crypto')
  const password = randomText(ALPHABET, CHARACTERS)
  const created = await db
    .insert(credentials)
    .values({
      id: randomText(ALPHABET, ID_CHARACTERS),
      userId: user.id,
      accountId: user.id,
      providerId: PROVIDER,
      password: await hashPassword(password),
    })
    .onConflictDoNothing({ target: [credentials.userId, credentials.providerId] })
    .returning({ id: credentials.id })
  if (created.length === 0) return { email, password: undefined }
  await db.update(users).set({ emailVerified: true }).where(eq(users.id, user.id))
  return { email, password }
}
