import { and, eq, type SQL } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { credentials, users } from '../store/index.js'
import { loadOnce } from '../util/index.js'
import type { AccountProblem } from './account.js'

const loadCrypto = loadOnce(() => import('better-auth/crypto'))

const PROVIDER = 'credential'
const MILLISECONDS = 1_000

/** The content of a verification link. */
type LinkPayload = Record<string, unknown> & {
  readonly email?: unknown
  /** End of validity, in seconds since 1970. */
  readonly exp: number
}

/**
 * Reads the token of a verification link. Check the password as well: the account may belong to a stranger who signed
 * up with the address, and the owner of the address would verify it.
 * @param secrets secrets of better-auth: the current secret, then the other accepted secrets
 * @param token token of the link that was mailed to the address
 * @returns the address, and the token signed with the current secret; undefined for an unusable link
 */
export async function readVerification(
  secrets: readonly string[],
  token: string,
): Promise<{ readonly email: string; readonly token: string } | undefined> {
  const { signJWT, verifyJWT } = await loadCrypto()
  const [current = ''] = secrets
  for (const secret of secrets) {
    const payload = await verifyJWT<LinkPayload>(token, secret)
    if (typeof payload?.email !== 'string') continue
    const { email } = payload
    if (secret === current) return { email, token }
    // better-auth verifies only signatures of the current secret. The new one expires at the same time.
    return {
      email,
      token: await signJWT(payload, current, payload.exp - Math.floor(Date.now() / MILLISECONDS)),
    }
  }
  return undefined
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
  const { verifyPassword } = await loadCrypto()
  const [account] = await db
    .select({ id: users.id, email: users.email, hash: credentials.password })
    .from(users)
    .innerJoin(credentials, and(eq(credentials.userId, users.id), eq(credentials.providerId, PROVIDER)))
    .where(condition)
  if (account?.hash == null) return { problem: 'link_unusable' }
  const { id, email, hash } = account
  return (await verifyPassword({ hash, password })) ? { id, email } : { problem: 'password_wrong' }
}
