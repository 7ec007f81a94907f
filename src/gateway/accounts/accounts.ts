import { and, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { SecurityLog } from '../security-log/index.js'
import type { Database, Secret } from '../store/index.js'
import { createFormerUsers, sessions, users } from '../store/index.js'
import type {
  AccountLimits,
  AccountOutcome,
  Accounts,
  ClientRequest,
  FoundSession,
  SessionOptions,
} from './account.js'
import { type Attempt, createAttemptCount } from './attempt-count.js'
import { attemptRules } from './attempt-rules.js'
import { createAuthRequests } from './auth-requests.js'
import { checkVerification } from './check-verification.js'
import { createClientAttempts } from './client-attempts.js'
import type { Addressee, Auth, AuthOptions } from './create-auth.js'
import { recordAccountEvents } from './record-account-events.js'

/** Sends one mail; rejects if the mail server refuses it. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>

/** Options of {@link createAccounts}. */
export interface AccountsOptions {
  readonly db: Database
  readonly secret: Secret
  readonly limits: AccountLimits
  /** Public origin of the dashboard. */
  readonly origin: () => string
  /** Origins that forms may come from. */
  readonly ownOrigins: () => readonly string[]
  /** Undefined without a mail server; addresses are then not verified. */
  readonly sendMail: SendMail | undefined
  /** Shows reset links to the operator if there is no mail server; undefined turns that off. */
  readonly showResetLink: ((email: string, link: string) => void) | undefined
  /** E-mail addresses of the operators, in lower case. A function, because a reload changes them. */
  readonly operators: () => readonly string[]
  /** Deletes every key of a user. */
  readonly deleteKeys: (userId: string) => Promise<void>
  readonly securityLog: Pick<SecurityLog, 'note'>
  readonly onError: (error: unknown, what: string) => void
}

/**
 * Creates the accounts. Changes go through better-auth's request handler, so that its check of origins applies. Methods
 * reject with errors of the database.
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
    const { createAuth } = await import('./create-auth.js')
    return createAuth({
      db,
      secret: secret.derive('sessions and links of accounts'),
      origin: options.origin(),
      trustedOrigins: options.ownOrigins,
      limits,
      sendVerification: sendMail && links.verification,
      sendAlreadyKnown: links.alreadyKnown,
      sendReset: sendMail === undefined && showResetLink === undefined ? undefined : links.reset,
      // Using a mailed reset link also verifies the address.
      onReset: async ({ id, email }, from) => {
        await accountAttempts.forget(email)
        await options.securityLog.note({ of: { userId: id }, kind: 'password-reset', from })
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
  const clientAttempts = createClientAttempts(
    db,
    secret.derive('names of clients in the count of attempts'),
    limits.ipv6SiteTimes,
  )
  const send = createAuthRequests(loaded, options.origin, clientAttempts, attemptRules(limits))
  /** Runs a password check unless the account has too many failed attempts, and counts a wrong password. */
  const limitAttempts = async (
    attempt: Attempt,
    work: () => Promise<AccountOutcome>,
  ): Promise<AccountOutcome> => {
    const retryAfterSeconds = await accountAttempts.wait(attempt, limits.logInAttemptsPerAccountPerHour)
    if (retryAfterSeconds !== undefined) return { ok: false, problem: 'too_many_attempts', retryAfterSeconds }
    const outcome = await work()
    // Attempts that the limit per address refused are not counted.
    if (!outcome.ok && outcome.problem === 'password_wrong') await accountAttempts.failed(attempt)
    return outcome
  }

  const accounts: Accounts = {
    verifiesByMail: sendMail !== undefined,
    resetsPasswords: sendMail !== undefined || showResetLink !== undefined,
    session: (from, options) => findSession(loaded, from, options),
    isOperator: ({ email, emailVerified }) => emailVerified && isListed(email),
    isUnconfirmedOperator: ({ email, emailVerified }) => !emailVerified && isListed(email),
    async signUp(from, email, password) {
      const outcome = await send(from, 'sign-up/email', { name: '', email, password })
      // Without mail, a sign-up starts a session. With mail, it proves nothing about the client.
      if (outcome.ok && sendMail === undefined)
        await accountAttempts.succeeded({ email, address: from.address })
      return outcome
    },
    async logIn(from, email, password) {
      const attempt = { email, address: from.address }
      const outcome = await limitAttempts(attempt, () => send(from, 'sign-in/email', { email, password }))
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
      limitAttempts({ email: `link ${token}`, address: from.address }, async () => {
        const checked = await checkVerification(db, await loaded(), token, password)
        if ('problem' in checked) return { ok: false, problem: checked.problem }
        return send(from, `verify-email?token=${encodeURIComponent(token)}`, undefined)
      }),
    changePassword: (from, _user, currentPassword, newPassword) =>
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
  return recordAccountEvents(accounts, options.securityLog)
}

/** Reads a session through the API of better-auth: reading needs no origin check and no rate limit. */
async function findSession(
  loaded: () => Promise<Auth>,
  { headers: { cookie } }: ClientRequest,
  { extendSession }: SessionOptions = { extendSession: true },
): Promise<FoundSession | undefined> {
  if (!cookie?.includes('concordat.session_token=')) return undefined
  const auth = await loaded()
  const { response, headers } = await auth.api.getSession({
    headers: new Headers({ cookie }),
    query: { disableRefresh: !extendSession },
    returnHeaders: true,
  })
  if (response === null) return undefined
  const { user, session } = response
  // The session may have started while the account was being disabled.
  if (user.disabledAt) return undefined
  const { id: userId, email, emailVerified } = user
  return { user: { userId, email, emailVerified, sessionId: session.id }, setCookies: headers.getSetCookie() }
}

/** Creates the functions that send links by mail. Without mail, reset links are shown to the operator. */
function createLinks({ origin, sendMail, showResetLink, limits }: AccountsOptions) {
  const footer = 'If you did not request this, you can ignore this mail.'
  return {
    verification: async ({ email }: Addressee, token: string) =>
      sendMail?.(
        email,
        'Confirm your e-mail address',
        `Someone signed up for the node access service at ${origin()} with this e-mail address.\n\n` +
          `Confirm the address within ${limits.verificationLinkHours} hours:\n${origin()}/verify?token=${token}\n\n${footer}`,
      ),
    alreadyKnown: async ({ email }: Addressee) =>
      sendMail?.(
        email,
        'You already have an account',
        `Someone tried to sign up for the node access service at ${origin()} with this e-mail address. ` +
          'You already have an account with this address.\n\n' +
          `Log in: ${origin()}/login\nReset your password: ${origin()}/forgot\n\n${footer}`,
      ),
    async reset({ email }: Addressee, token: string) {
      const link = `${origin()}/reset?token=${token}`
      if (sendMail === undefined) return showResetLink?.(email, link)
      return sendMail(
        email,
        'Reset your password',
        `Set a new password for ${origin()} within ${limits.resetLinkMinutes} minutes:\n${link}\n\n${footer}`,
      )
    },
  }
}

/** Deletes expired sessions and links. It runs at each log-in, so few are deleted at a time. */
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
