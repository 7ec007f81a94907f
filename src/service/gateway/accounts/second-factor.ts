import { and, eq, ne, sql } from 'drizzle-orm'
import type { SecurityLog } from '../security-log/index.js'
import { type Database, sessions, twoFactors, users, violates } from '../store/index.js'
import { loadOnce } from '../util/index.js'
import type {
  AccountProblem,
  AccountRefusal,
  ClientRequest,
  SecondFactor,
  SecondFactorAccounts,
} from './account.js'
import type { SendAuthRequest } from './auth-requests.js'
import type { Auth } from './create-auth.js'
import type { Gate } from './gate/gate.js'
import type { RecoveryCodes } from './recovery-codes.js'
import { findUserOfToken } from './token-digests.js'

const loadCookies = loadOnce(() => import('better-auth/cookies'))

const timeCode = /^\d{6}$/
/** Options of {@link createSecondFactor}. */
export interface SecondFactorOptions {
  readonly db: Database
  readonly loaded: () => Promise<Auth>
  readonly send: SendAuthRequest
  readonly gate: Gate
  readonly recoveryCodes: RecoveryCodes
  readonly securityLog: Pick<SecurityLog, 'note'>
}

/** Creates the second factor of accounts: codes of an app (TOTP, RFC 6238), and recovery codes. */
export function createSecondFactor(options: SecondFactorOptions): SecondFactorAccounts {
  const { db, loaded, send, gate, recoveryCodes, securityLog } = options
  /**
   * Finds the log-in that waits for a code. The request to better-auth has only the cookie of this log-in. With a
   * session cookie, better-auth would check the code of the session's user; of two log-in cookies, it reads the other
   * one.
   */
  const awaited = async (from: ClientRequest) => {
    const [{ parseCookies }, auth] = await Promise.all([loadCookies(), loaded()])
    const { name } = (await auth.context).createAuthCookie('two_factor')
    const value = parseCookies(from.headers.cookie ?? '').get(name) ?? ''
    // better-auth checks the signature after the dot.
    const [identifier = ''] = value.split('.')
    const user = await findUserOfToken(db, identifier)
    const cookie = `${name}=${encodeURIComponent(value)}`
    return user && { user, request: { ...from, headers: { ...from.headers, cookie } } }
  }
  /** Ends the sessions of a user except the session that these `Set-Cookie` headers start. */
  const endOtherSessions = async (userId: string, setCookies: readonly string[]) => {
    const cookie = setCookies.map((line) => line.split(';')[0]).join('; ')
    const { found } = await (await loaded()).session(cookie, true)
    await db
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), ne(sessions.id, found?.session.id ?? '')))
  }
  const storeNewCodes = async (userId: string) => {
    const codes = recoveryCodes.generate()
    const backupCodes = JSON.stringify(recoveryCodes.digestAll(codes))
    await db.update(twoFactors).set({ backupCodes }).where(eq(twoFactors.userId, userId))
    return codes
  }

  return {
    async enterCode(from, typed) {
      const code = typed.replace(/[\s-]/g, '')
      const isTimeCode = timeCode.test(code)
      const waiting = await awaited(from)
      const of = () => waiting?.user ?? refused('log_in_expired')
      const request = waiting?.request ?? from
      const outcome = await gate.pass('log-in-code', { from, of, ...(isTimeCode && { once: code }) }, () =>
        isTimeCode
          ? send(request, 'two-factor/verify-totp', { code })
          : send(request, 'two-factor/verify-backup-code', { code: recoveryCodes.digestOf(code) }),
      )
      if (!outcome.ok) return outcome
      const detail = isTimeCode ? '' : 'with a recovery code'
      const { userId = '' } = waiting?.user ?? {}
      await securityLog.note({ of: { userId }, from, kind: 'log-in', detail })
      return outcome
    },
    secondFactor: (userId) => readSecondFactor(db, userId),
    async prepareSecondFactor(from, user, password) {
      const setUp = () => send(from, 'two-factor/enable', { password })
      const outcome = await gate.pass('set-up-second-factor', { from, of: () => user }, () =>
        // A concurrent request has stored the first secret of this account. The second attempt replaces it.
        setUp().catch((error: unknown) => {
          if (violates(error, 'two_factors_user')) return setUp()
          throw error
        }),
      )
      if (!outcome.ok) return outcome
      return { ok: true, uri: String((outcome.body as { totpURI?: unknown }).totpURI) }
    },
    async turnOnSecondFactor(from, user, typed) {
      const code = typed.replace(/\s/g, '')
      const { userId } = user
      const isOff = async () =>
        (await readSecondFactor(db, userId)).isOn ? refused('second_factor_changed') : user
      const outcome = await gate.pass('confirm-second-factor', { from, of: isOff, once: code }, () =>
        send(from, 'two-factor/verify-totp', { code }),
      )
      if (!outcome.ok) return outcome
      // Other sessions were started with the password alone, which someone else may know.
      await endOtherSessions(userId, outcome.setCookies)
      const codes = await storeNewCodes(userId)
      await securityLog.note({ of: { userId }, kind: 'second-factor-on', from })
      return { ok: true, setCookies: outcome.setCookies, recoveryCodes: codes }
    },
    async renewRecoveryCodes(from, user, password) {
      const outcome = await gate.pass('renew-recovery-codes', { from, of: () => user }, () =>
        send(from, 'two-factor/generate-backup-codes', { password }),
      )
      if (!outcome.ok) return outcome
      await securityLog.note({ of: user, kind: 'recovery-codes-renewed', from })
      const { backupCodes } = outcome.body as { readonly backupCodes: readonly string[] }
      return { ok: true, setCookies: outcome.setCookies, recoveryCodes: backupCodes }
    },
    async turnOffSecondFactor(from, user, password) {
      const outcome = await gate.pass('turn-off-second-factor', { from, of: () => user }, () =>
        send(from, 'two-factor/disable', { password }),
      )
      if (!outcome.ok) return outcome
      // Someone else may use one of these sessions, and would need no code from now on.
      await endOtherSessions(user.userId, outcome.setCookies)
      await securityLog.note({ of: user, kind: 'second-factor-off', from })
      return outcome
    },
  }
}

async function readSecondFactor(db: Database, userId: string): Promise<SecondFactor> {
  const [row] = await db
    .select({ isOn: users.twoFactorEnabled, codes: twoFactors.backupCodes })
    .from(users)
    .leftJoin(twoFactors, eq(twoFactors.userId, users.id))
    .where(eq(users.id, userId))
  if (!row?.isOn) return { isOn: false, recoveryCodesLeft: 0 }
  return { isOn: true, recoveryCodesLeft: (JSON.parse(row.codes ?? '[]') as string[]).length }
}

const refused = (problem: AccountProblem): AccountRefusal => ({ ok: false, problem })

/**
 * Turns off the second factor of an account and ends its sessions, for operators.
 * @returns false if it is not on
 */
export async function resetSecondFactor(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.execute<{ reset: number }>(sql`
    with removed as (delete from ${twoFactors} where user_id = ${userId}),
    changed as (
      update ${users} set two_factor_enabled = false where id = ${userId} and two_factor_enabled returning id
    ),
    ended as (delete from ${sessions} where user_id in (select id from changed))
    select count(*)::integer as reset from changed`)
  return row?.reset === 1
}
