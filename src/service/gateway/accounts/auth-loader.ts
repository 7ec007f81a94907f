import { and, eq, sql } from 'drizzle-orm'
import { createFormerUsers, users } from '../store/index.js'
import { loadOnce, onceMade } from '../util/index.js'
import type { AccountsOptions } from './accounts-options.js'
import { deletePending } from './address-changes.js'
import type { Auth, AuthOptions } from './create-auth.js'
import type { Gate } from './gate/gate.js'
import { createLinks } from './links.js'
import type { RecoveryCodes } from './recovery-codes.js'
import { authSecretsOf } from './reencrypt-second-factors.js'
import { deleteLinks } from './token-digests.js'

const loadCreateAuth = loadOnce(() => import('./create-auth.js'))

/** The options of the accounts, and the parts that better-auth's callbacks use. */
interface AuthLoaderOptions extends AccountsOptions {
  readonly gate: Gate
  readonly recoveryCodes: RecoveryCodes
  /** Runs work that a request does not wait for. */
  readonly inBackground: (work: Promise<unknown>) => void
}

/** Creates the function that loads better-auth at its first use. A failed load is tried again. */
export function createAuthLoader(options: AuthLoaderOptions): () => Promise<Auth> {
  const { db, secret, limits, sendMail, showResetLink, securityLog, gate } = options
  const links = createLinks(options)
  const formerUsers = createFormerUsers(db, secret, limits.loweredLimitsDays)
  /** Keeps an unconfirmed account while its latest link may be used. */
  const renewing =
    (sendLink: typeof links.verification): typeof links.verification =>
    async (to, token, from) => {
      const isUnconfirmed = and(eq(users.id, to.id), eq(users.emailVerified, false))
      await db.update(users).set({ updatedAt: sql`now()` }).where(isUnconfirmed)
      await sendLink(to, token, from)
    }
  return onceMade<void, Auth>(async () => {
    const { createAuth } = await loadCreateAuth()
    return createAuth({
      db,
      secrets: authSecretsOf(secret),
      origin: options.origin(),
      trustedOrigins: options.ownOrigins,
      limits,
      issuer: options.issuer,
      recoveryCodes: options.recoveryCodes,
      sendVerification: sendMail && renewing(links.verification),
      sendAlreadyKnown: links.alreadyKnown,
      sendReset: sendMail === undefined && showResetLink === undefined ? undefined : renewing(links.reset),
      // Using a mailed reset link also verifies the address.
      onReset: async ({ id, email }, from) => {
        await gate.forget(email)
        await deleteLinks(db, id)
        await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
        await securityLog.note({ of: { userId: id }, kind: 'password-reset', from })
      },
      async beforeDelete(user) {
        await options.deleteKeys(user.id)
        await deletePending(db, user.id)
        // A new account with the address may get the id of this one on the same day.
        await deleteLinks(db, user.id)
        await formerUsers.note(user)
      },
      former: formerUsers.of,
      async onCreated(user) {
        await formerUsers.taken(user.email)
        if (!(await formerUsers.wasOfAnother(user))) return
        await options.flushCounts()
        await formerUsers.inherit(user)
      },
      inBackground: options.inBackground,
      onError: (message) => options.onError(undefined, message),
    } satisfies AuthOptions)
  })
}
