import { and, eq, type SQL } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { credentials, users } from '../store/index.js'
import type { AccountProblem } from './account.js'
import type { Auth } from './create-auth.js'

const PROVIDER = 'credential'

/**
 * Checks a verification link together with the password of the account. A stranger may have signed up with somebody's
 * address; without the password check, the owner of the address would verify the stranger's account.
 * @param token token of the link that was mailed to the address
 * @returns the address to verify, or why verification is refused
 */
export async function checkVerification(
  db: Database,
  auth: Auth,
  token: string,
  password: string,
): Promise<{ readonly email: string } | { readonly problem: AccountProblem }> {
  const { verifyJWT } = await import('better-auth/crypto')
  const { secret } = await auth.context
  const payload = await verifyJWT<{ readonly email?: unknown }>(token, secret)
  if (typeof payload?.email !== 'string') return { problem: 'link_unusable' }
  return checkPassword(db, eq(users.email, payload.email), password)
}

/**
 * Checks the password of an account.
 * @returns the account, or why it is refused; `link_unusable` without an account
 */
export async function checkPassword(
  db: Database,
  condition: SQL,
  password: string,
): Promise<{ readonly id: string; readonly email: string } | { readonly problem: AccountProblem }> {
  const { verifyPassword } = await import('better-auth/crypto')
  const [account] = await db
    .select({ id: users.id, email: users.email, hash: credentials.password })
    .from(users)
    .innerJoin(credentials, and(eq(credentials.userId, users.id), eq(credentials.providerId, PROVIDER)))
    .where(condition)
  if (account?.hash == null) return { problem: 'link_unusable' }
  const { id, email, hash } = account
  return (await verifyPassword({ hash, password })) ? { id, email } : { problem: 'password_wrong' }
}
