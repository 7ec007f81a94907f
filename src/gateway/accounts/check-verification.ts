import { and, eq } from 'drizzle-orm'
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
  const { verifyJWT, verifyPassword } = await import('better-auth/crypto')
  const { secret } = await auth.$context
  const payload = await verifyJWT<{ readonly email?: unknown }>(token, secret)
  if (typeof payload?.email !== 'string') return { problem: 'link_unusable' }
  const [account] = await db
    .select({ email: users.email, hash: credentials.password })
    .from(users)
    .innerJoin(credentials, and(eq(credentials.userId, users.id), eq(credentials.providerId, PROVIDER)))
    .where(eq(users.email, payload.email))
  if (account?.hash == null) return { problem: 'link_unusable' }
  const { email, hash } = account
  return (await verifyPassword({ hash, password })) ? { email } : { problem: 'password_wrong' }
}
