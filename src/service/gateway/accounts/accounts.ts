import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { sessions } from '../store/index.js'
import type {
  AccountRefusal,
  Accounts,
  ClientRequest,
  FoundSession,
  SessionOptions,
  SignedIn,
} from './account.js'
import type { AccountsOptions } from './accounts-options.js'
import { createAddressChanges } from './address-changes.js'
import { type Attempt, createAttemptCount } from './attempt-count.js'
import { attemptRules } from './attempt-rules.js'
import { createAuthLoader } from './auth-loader.js'
import { createAuthRequests } from './auth-requests.js'
import { checkVerification } from './check-verification.js'
import { createClientAttempts } from './client-attempts.js'
import { createCookieSignatures, type SignedCookies } from './cookie-signatures.js'
import type { Auth } from './create-auth.js'
import { recordAccountEvents } from './record-account-events.js'
import { createRecoveryCodes } from './recovery-codes.js'
import { authSecretsOf } from './reencrypt-second-factors.js'
import { createSecondFactor } from './second-factor.js'
import { digestStoredTokens } from './token-digests.js'

const DAY_SECONDS = 86_400

/**
 * Creates the accounts. Changes go through better-auth's request handler, so that its check of origins applies. Methods
 * reject with errors of the database.
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const { db, secret, limits, sendMail, showResetLink, securityLog } = options
  const recoveryCodes = createRecoveryCodes(limits.recoveryCodes)
  const background = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>) => {
    const settled = work
      .catch((error: unknown) => options.onError(error, 'a mail could not be sent'))
      .finally(() => background.delete(settled))
    background.add(settled)
  }
  const isListed = (email: string) => options.operators().includes(email.toLowerCase())
  const accountAttempts = createAttemptCount(db, secret.derive('names of accounts in the count of attempts'))
  const loaded = createAuthLoader({ ...options, accountAttempts, recoveryCodes, inBackground })
  const clientAttempts = createClientAttempts(
    db,
    secret.derive('names of clients in the count of attempts'),
    limits.ipv6SiteTimes,
  )
  const ruleOf = attemptRules(limits)
  const authSecrets = authSecretsOf(secret).map(({ value }) => value)
  const signCookies = createCookieSignatures(authSecrets)
  const send = createAuthRequests(loaded, options.origin, clientAttempts, ruleOf, signCookies)
  const count = (from: ClientRequest, action: string) =>
    clientAttempts.count(from.address, action, ruleOf(action))
  const session: Accounts['session'] = (from, options) =>
    findSession(loaded, signCookies, limits.sessionDays, from, options)
  /** Runs a password check unless the account has too many failed attempts, and counts a wrong password. */
  const limitAttempts = async <Outcome extends { readonly ok: true }>(
    attempt: Attempt,
    work: () => Promise<Outcome | AccountRefusal>,
  ): Promise<Outcome | AccountRefusal> => {
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
    session,
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
      if (!outcome.ok) return outcome
      await accountAttempts.succeeded(attempt)
      await deleteExpired(db)
      const { setCookies, body } = outcome
      return { ok: true, setCookies, needsCode: Object.hasOwn(body as object, 'twoFactorRedirect') }
    },
    logOut: (from) => send(from, 'sign-out', {}),
    requestReset: (from, email) => send(from, 'request-password-reset', { email }),
    resetPassword: (from, token, newPassword) => send(from, 'reset-password', { token, newPassword }),
    verifyEmail: (from, token, password) =>
      limitAttempts({ email: `link ${token}`, address: from.address }, async () => {
        const checked = await checkVerification(db, authSecrets, token, password)
        if ('problem' in checked) return { ok: false, problem: checked.problem }
        return send(from, `verify-email?token=${encodeURIComponent(checked.token)}`, undefined)
      }),
    changePassword: (from, _user, currentPassword, newPassword) =>
      send(from, 'change-password', { currentPassword, newPassword, revokeOtherSessions: true }),
    ...createAddressChanges({ ...options, count, limitAttempts, inBackground, session }),
    sessions: (userId) => listSessions(db, userId),
    async endSession(from, user, sessionId) {
      if (await endSession(db, user, sessionId))
        await securityLog.note({ of: user, kind: 'sessions-ended', from })
      return { ok: true, setCookies: [] }
    },
    ...createSecondFactor({
      db,
      limits,
      loaded,
      send,
      attempts: accountAttempts,
      recoveryCodes,
      securityLog,
    }),
    deleteAccount: (from, password) => send(from, 'delete-user', { password }),
    async close() {
      await Promise.all(background)
    },
  }
  return recordAccountEvents(accounts, securityLog)
}

/** Ends a session of a user, or all others; false if the user has no such session. */
async function endSession(db: Database, { userId, sessionId: own }: SignedIn, sessionId: string | undefined) {
  const isMeant = sessionId === undefined ? ne(sessions.id, own) : eq(sessions.id, sessionId)
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), isMeant))
    .returning({ id: sessions.id })
  return ended.length > 0
}

/** Finds the session of a request. */
async function findSession(
  loaded: () => Promise<Auth>,
  signCookies: (header: string) => SignedCookies,
  sessionDays: number,
  { headers: { cookie } }: ClientRequest,
  { extendSession }: SessionOptions = { extendSession: true },
): Promise<FoundSession | undefined> {
  if (!cookie?.includes('concordat.session_token=')) return undefined
  const auth = await loaded()
  const { header, renewed } = signCookies(cookie)
  const { found, setCookies } = await auth.session(header, !extendSession)
  if (found === null) return undefined
  const { user, session } = found
  // The session may have started while the account was being disabled.
  if (user.disabledAt) return undefined
  const { id: userId, email, emailVerified, dailyLimit = null, keyLimit = null } = user
  const limits = { dailyLimit, keyLimit }
  const again = renewed
    .filter(([name]) => name.endsWith('concordat.session_token') && setCookies.length === 0)
    .map(([name, value]) => sessionCookie(name, value, sessionDays))
  return {
    user: { userId, email, emailVerified, sessionId: session.id, limits },
    setCookies: [...setCookies, ...again],
  }
}

/** Formats a session cookie with the attributes that better-auth sets. */
const sessionCookie = (name: string, value: string, days: number) =>
  `${name}=${value}; Max-Age=${days * DAY_SECONDS}; Path=/; HttpOnly; SameSite=Lax${name.startsWith('__Secure-') ? '; Secure' : ''}`

/** Deletes expired sessions and links. It runs at each log-in, so few are deleted at a time. */
async function deleteExpired(db: Database): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.execute(sql`delete from verifications where expires_at < now()`)
  await digestStoredTokens(db)
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
