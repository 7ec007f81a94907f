import { and, eq } from 'drizzle-orm'
import type { Database } from '../store/open-store.js'
import { loadOptional } from '../store/optional-dependency.js'
import { credentials, users } from '../store/schema.js'
import type { AccountProblem } from './account.js'
import type { Auth } from './create-auth.js'

const PROVIDER = 'credential'

/**
 * Checks that who confirms an address knows the password that the account was made with. Somebody else may have signed
 * up with the address: confirmed without a look, the account would be theirs, with what the address stands for.
 * @param token of the link that was sent to the address
 * @returns whose address the link confirms, or why it is not to be confirmed
 */
export async function checkVerification(
  db: Database,
  auth: Auth,
  token: string,
  password: string,
): Promise<{ readonly email: string } | { readonly problem: AccountProblem }> {
  const { verifyJWT, verifyPassword } = await loadOptional(() => import('better-auth/crypto'))
  const { secret } = await auth.$context
  const said = await verifyJWT<{ readonly email?: unknown }>(token, secret)
  if (typeof said?.email !== 'string') return { problem: 'link_unusable' }
  const [account] = await db
    .select({ email: users.email, hash: credentials.password })
    .from(users)
    .innerJoin(credentials, and(eq(credentials.userId, users.id), eq(credentials.providerId, PROVIDER)))
    .where(eq(users.email, said.email))
  if (account?.hash == null) return { problem: 'link_unusable' }
  const { email, hash } = account
  return (await verifyPassword({ hash, password })) ? { email } : { problem: 'password_wrong' }
}
