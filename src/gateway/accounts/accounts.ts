import { and, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { createFormerUsers } from '../store/former-users.js'
import type { Database } from '../store/open-store.js'
import { loadOptional } from '../store/optional-dependency.js'
import { sessions, users } from '../store/schema.js'
import type { Secret } from '../store/secret.js'
import type { AccountOutcome, Accounts, ClientRequest, FoundSession, SessionOptions } from './account.js'
import type { AccountLimits } from './account-limits.js'
import { type Attempt, createAttemptCount } from './attempt-count.js'
import { createAuthRequests } from './auth-requests.js'
import { checkVerification } from './check-verification.js'
import type { Addressee, Auth, AuthOptions } from './create-auth.js'

/** Sends one mail; fails when the server does not take it. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>

/** What accounts are made with. */
export interface AccountsOptions {
  readonly db: Database
  readonly secret: Secret
  readonly limits: AccountLimits
  /** Where people reach the dashboard. */
  readonly origin: () => string
  /** Origins that forms may come from. */
  readonly ownOrigins: () => readonly string[]
  /** Undefined where there is no mail: addresses are then taken as they are. */
  readonly sendMail: SendMail | undefined
  /** Takes the link that sets a new password where there is no mail; undefined where nobody may read it. */
  readonly showResetLink: ((email: string, link: string) => void) | undefined
  /** E-mail addresses, in lower case, of those who run the service; asked for each time, because a reload changes them. */
  readonly operators: () => readonly string[]
  /** Deletes every key of a user. */
  readonly deleteKeys: (userId: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/**
 * Creates the accounts. What changes something goes through the library's own handler, so that its checks of origins
 * and attempts apply. Methods reject with what the database threw, and with OperatorError `dependency_missing`.
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const { db, secret, limits, sendMail, showResetLink } = options
  const background = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>) => {
    const settled = work
      .catch((error: unknown) => options.onError(error, 'a mail could not be sent'))
      .finally(() => background.delete(settled))
    background.add(settled)
  }
  const isListed = (email: string) => options.operators().includes(email.toLowerCase())
  const links = createLinks(options)
  const accountAttempts = createAttemptCount(db, secret.derive('names of accounts in the count of attempts'))
  let auth: Promise<Auth> | undefined
  const load = async (): Promise<Auth> => {
    const { createAuth } = await loadOptional(() => import('./create-auth.js'))
    return createAuth({
      db,
      secret: secret.derive('sessions and links of accounts'),
      origin: options.origin(),
      trustedOrigins: options.ownOrigins,
      limits,
      sendVerification: sendMail && links.verification,
      sendAlreadyKnown: links.alreadyKnown,
      sendReset: sendMail === undefined && showResetLink === undefined ? undefined : links.reset,
      // Whoever sets a password by a link has read what was sent to the address.
      onReset: async ({ id, email }) => {
        await accountAttempts.forget(email)
        await db.update(users).set({ emailVerified: true }).where(eq(users.id, id))
      },
      async beforeDelete(user) {
        await options.deleteKeys(user.id)
        await formerUsers.note(user)
      },
      formerId: formerUsers.idOf,
      inBackground,
      onError: (message) => options.onError(undefined, message),
    } satisfies AuthOptions)
  }
  const loaded = () => {
    auth ??= load().catch((error: unknown) => {
      auth = undefined
      throw error
    })
    return auth
  }
  const formerUsers = createFormerUsers(db, secret)
  const send = createAuthRequests(loaded, options.origin)
  /** Lets a password be tried where not too many were, and counts it where it was wrong. */
  const attempted = async (
    attempt: Attempt,
    work: () => Promise<AccountOutcome>,
  ): Promise<AccountOutcome> => {
    const retryAfterSeconds = await accountAttempts.wait(attempt, limits.logInAttemptsPerAccountPerHour)
    if (retryAfterSeconds !== undefined) return { ok: false, problem: 'too_many_attempts', retryAfterSeconds }
    const outcome = await work()
    // Those that the bound of an address has refused are not counted.
    if (!outcome.ok && outcome.problem === 'password_wrong') await accountAttempts.failed(attempt)
    return outcome
  }

  return {
    verifiesByMail: sendMail !== undefined,
    resetsPasswords: sendMail !== undefined || showResetLink !== undefined,
    session: (from, options) => findSession(loaded, from, options),
    isOperator: ({ email, emailVerified }) => emailVerified && isListed(email),
    isUnconfirmedOperator: ({ email, emailVerified }) => !emailVerified && isListed(email),
    async signUp(from, email, password) {
      const outcome = await send(from, 'sign-up/email', { name: '', email, password })
      // Without mail a sign-up is a log-in; with mail it shows nothing of who asks.
      if (outcome.ok && sendMail === undefined)
        await accountAttempts.succeeded({ email, address: from.address })
      return outcome
    },
    async logIn(from, email, password) {
      const attempt = { email, address: from.address }
      const outcome = await attempted(attempt, () => send(from, 'sign-in/email', { email, password }))
      if (outcome.ok) {
        await accountAttempts.succeeded(attempt)
        await deleteExpired(db)
      }
      return outcome
    },
    logOut: (from) => send(from, 'sign-out', {}),
    requestReset: (from, email) => send(from, 'request-password-reset', { email }),
    resetPassword: (from, token, newPassword) => send(from, 'reset-password', { token, newPassword }),
    verifyEmail: (from, token, password) =>
      attempted({ email: `link ${token}`, address: from.address }, async () => {
        const checked = await checkVerification(db, await loaded(), token, password)
        if ('problem' in checked) return { ok: false, problem: checked.problem }
        return send(from, `verify-email?token=${encodeURIComponent(token)}`, undefined)
      }),
    changePassword: (from, currentPassword, newPassword) =>
      send(from, 'change-password', { currentPassword, newPassword, revokeOtherSessions: true }),
    sessions: (userId) => listSessions(db, userId),
    async endSession(from, { userId }, sessionId) {
      if (sessionId === undefined) return send(from, 'revoke-other-sessions', {})
      const [session] = await db
        .select({ token: sessions.token })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), eq(sessions.id, sessionId)))
      return session === undefined
        ? { ok: true, setCookies: [] }
        : send(from, 'revoke-session', { token: session.token })
    },
    deleteAccount: (from, password) => send(from, 'delete-user', { password }),
    async close() {
      await Promise.all(background)
    },
  }
}

/** Reads a session without the handler: reading needs no check of an origin, and is no attempt. */
async function findSession(
  loaded: () => Promise<Auth>,
  { headers: { cookie } }: ClientRequest,
  { goesOn }: SessionOptions = { goesOn: true },
): Promise<FoundSession | undefined> {
  if (!cookie?.includes('concordat.session_token=')) return undefined
  const auth = await loaded()
  const { response, headers } = await auth.api.getSession({
    headers: new Headers({ cookie }),
    query: { disableRefresh: !goesOn },
    returnHeaders: true,
  })
  if (response === null) return undefined
  const { user, session } = response
  // A session that began while the account was being disabled is worth nothing either.
  if (user.disabledAt) return undefined
  const { id: userId, email, emailVerified } = user
  return { user: { userId, email, emailVerified, sessionId: session.id }, setCookies: headers.getSetCookie() }
}

/** What is sent, and to whom: by mail, or to where links are shown when there is none. */
function createLinks({ origin, sendMail, showResetLink, limits }: AccountsOptions) {
  const foot = 'If you did not ask for this, you need not do anything.'
  return {
    verification: async ({ email }: Addressee, token: string) =>
      sendMail?.(
        email,
        'Confirm your address',
        `Someone has signed up for the node access service at ${origin()} with this address.\n\n` +
          `Confirm that it is yours within ${limits.verificationLinkHours} hours:\n${origin()}/verify?token=${token}\n\n${foot}`,
      ),
    alreadyKnown: async ({ email }: Addressee) =>
      sendMail?.(
        email,
        'You have an account already',
        `Someone has signed up for the node access service at ${origin()} with this address, which has an account.\n\n` +
          `Log in: ${origin()}/login\nSet a new password: ${origin()}/forgot\n\n${foot}`,
      ),
    async reset({ email }: Addressee, token: string) {
      const link = `${origin()}/reset?token=${token}`
      if (sendMail === undefined) return showResetLink?.(email, link)
      return sendMail(
        email,
        'Set a new password',
        `Set a new password for ${origin()} within ${limits.resetLinkMinutes} minutes:\n${link}\n\n${foot}`,
      )
    },
  }
}

/** Sessions and links that are over; few at a time, with each log-in. */
async function deleteExpired(db: Database): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.execute(sql`delete from verifications where expires_at < now()`)
}

/** Lists the sessions of a user that have not expired, the newest first. */
function listSessions(db: AccountsOptions['db'], userId: string) {
  return db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
      address: sessions.ipAddress,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.createdAt))
}
