import { and, desc, eq, gt, ne, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { sessions } from '../store/index.js'
import type { Accounts, ClientRequest, FoundSession, SessionOptions, SignedIn } from './account.js'
import type { AccountsOptions } from './accounts-options.js'
import { createAddressChanges } from './address-changes.js'
import { createAuthLoader } from './auth-loader.js'
import { createAuthRequests } from './auth-requests.js'
import { createCookieSignatures, type SignedCookies } from './cookie-signatures.js'
import type { Auth } from './create-auth.js'
import { createGate, type Gate } from './gate/gate.js'
import { createRecoveryCodes } from './recovery-codes.js'
import { authSecretsOf } from './reencrypt-second-factors.js'
import { createSecondFactor } from './second-factor.js'
import { createSignUp } from './sign-up.js'
import { createTokenDigests, deleteLinks, findUserOfToken } from './token-digests.js'

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
  const gate = createGate(options)
  const digestStoredTokens = createTokenDigests(db)
  const loaded = createAuthLoader({ ...options, gate, recoveryCodes, inBackground })
  const authSecrets = authSecretsOf(secret).map(({ value }) => value)
  const signCookies = createCookieSignatures(authSecrets)
  const send = createAuthRequests(loaded, options.origin, signCookies)
  const session: Accounts['session'] = (from, options) =>
    findSession(loaded, signCookies, gate, limits.sessionDays, from, options)

  return {
    verifiesByMail: sendMail !== undefined,
    resetsPasswords: sendMail !== undefined || showResetLink !== undefined,
    session,
    isOperator: ({ email, emailVerified }) => emailVerified && isListed(email),
    isUnconfirmedOperator: ({ email, emailVerified }) => !emailVerified && isListed(email),
    ...createSignUp({ ...options, gate, send, authSecrets }),
    async logIn(from, email, password) {
      const outcome = await gate.pass('log-in', { from, of: () => ({ email }) }, () =>
        send(from, 'sign-in/email', { email, password }),
      )
      if (!outcome.ok) return outcome
      await digestStoredTokens()
      const { setCookies, body } = outcome
      const needsCode = Object.hasOwn(body as object, 'twoFactorRedirect')
      if (!needsCode) await securityLog.note({ of: { email }, kind: 'log-in', from })
      return { ok: true, setCookies, needsCode }
    },
    logOut: (from) => send(from, 'sign-out', {}),
    requestReset: (from, email) =>
      gate.pass('request-reset', { from }, () => send(from, 'request-password-reset', { email })),
    resetPassword: (from, token, newPassword) =>
      gate.pass('reset-password', { from, of: () => findUserOfToken(db, `reset-password:${token}`) }, () =>
        send(from, 'reset-password', { token, newPassword }),
      ),
    async changePassword(from, user, currentPassword, newPassword) {
      const outcome = await gate.pass('change-password', { from, of: () => user }, () =>
        send(from, 'change-password', { currentPassword, newPassword, revokeOtherSessions: true }),
      )
      if (!outcome.ok) return outcome
      await deleteLinks(db, user.userId)
      await securityLog.note({ of: user, kind: 'password-changed', from })
      return outcome
    },
    ...createAddressChanges({ ...options, gate, inBackground, session }),
    sessions: (userId) => listSessions(db, userId),
    async endSession(from, user, sessionId) {
      if (await endSession(db, user, sessionId))
        await securityLog.note({ of: user, kind: 'sessions-ended', from })
      return { ok: true, setCookies: [] }
    },
    ...createSecondFactor({
      db,
      loaded,
      send,
      gate,
      recoveryCodes,
      securityLog,
    }),
    deleteAccount: (from, user, password) =>
      gate.pass('delete-account', { from, of: () => user }, () => send(from, 'delete-user', { password })),
    async close() {
      await Promise.all(background)
    },
  }
}

/** Ends one session of a user, or all but the current session. Returns false if there was no such session. */
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
  gate: Gate,
  sessionDays: number,
  from: ClientRequest,
  { extendSession }: SessionOptions = { extendSession: true },
): Promise<FoundSession | undefined> {
  const { cookie } = from.headers
  if (!cookie?.includes('concordat.session_token=')) return undefined
  const auth = await loaded()
  const { header, renewed } = signCookies(cookie)
  const { found, setCookies } = await auth.session(header, !extendSession)
  if (found === null) return undefined
  const { user, session } = found
  // The session may have started while the account was being disabled.
  if (user.disabledAt) return undefined
  const { id: userId, email, emailVerified, dailyLimit = null, keyLimit = null, limitsReason = null } = user
  const limits = { dailyLimit, keyLimit }
  // Extending a session, at most once a day, proves as much as a log-in.
  if (setCookies.length > 0)
    await gate.remember({ userId, email }, user.twoFactorEnabled ? ['password', 'code'] : ['password'], from)
  const again = renewed
    .filter(([name]) => name.endsWith('concordat.session_token') && setCookies.length === 0)
    .map(([name, value]) => sessionCookie(name, value, sessionDays))
  return {
    user: { userId, email, emailVerified, sessionId: session.id, limits, limitsReason },
    setCookies: [...setCookies, ...again],
  }
}

/** Formats a session cookie with the attributes that better-auth sets. */
const sessionCookie = (name: string, value: string, days: number) =>
  `${name}=${value}; Max-Age=${days * DAY_SECONDS}; Path=/; HttpOnly; SameSite=Lax${name.startsWith('__Secure-') ? '; Secure' : ''}`

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
