import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import type { SecurityLog } from '../security-log/index.js'
import { type Database, sessions, twoFactors, users, verifications } from '../store/index.js'
import type {
  AccountLimits,
  AccountProblem,
  AccountRefusal,
  ClientRequest,
  SecondFactorAccounts,
} from './account.js'
import type { AttemptCount } from './attempt-count.js'
import type { SendAuthRequest } from './auth-requests.js'
import type { Auth } from './create-auth.js'
import type { RecoveryCodes } from './recovery-codes.js'
import { storedForms } from './token-digests.js'

const timeCode = /^\d{6}$/
/** Seconds for which a code of an app may be accepted: its own 30, and those before and after (RFC 6238, 5.2). */
const CODE_SECONDS = 90

/** The parts of the accounts that the second factor needs. */
export interface SecondFactorOptions {
  readonly db: Database
  readonly limits: AccountLimits
  readonly loaded: () => Promise<Auth>
  readonly send: SendAuthRequest
  readonly attempts: AttemptCount
  readonly recoveryCodes: RecoveryCodes
  readonly securityLog: Pick<SecurityLog, 'note'>
}

/** Creates the second factor of accounts: codes of an app (TOTP, RFC 6238), and recovery codes. */
export function createSecondFactor(options: SecondFactorOptions): SecondFactorAccounts {
  const { db, limits, loaded, send, attempts, recoveryCodes, securityLog } = options
  /** Returns the user who has entered the right password, and whose code is awaited. */
  const awaitedUser = async ({ headers: { cookie = '' } }: ClientRequest) => {
    const [{ parseCookies }, auth] = await Promise.all([import('better-auth/cookies'), loaded()])
    const { createAuthCookie } = await auth.context
    // better-auth checks the signature behind the point.
    const [identifier = ''] = (parseCookies(cookie).get(createAuthCookie('two_factor').name) ?? '').split('.')
    const [found] = await db
      .select({ userId: verifications.value })
      .from(verifications)
      .where(
        and(
          inArray(verifications.identifier, storedForms(identifier)),
          gt(verifications.expiresAt, sql`now()`),
        ),
      )
    return found?.userId
  }
  /** Ends the sessions of a user except the new one of these `Set-Cookie` headers. */
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
      const userId = await awaitedUser(from)
      if (userId === undefined) return refused('log_in_expired')
      const code = typed.replace(/[\s-]/g, '')
      const isTimeCode = timeCode.test(code)
      const attempt = { email: `second factor of ${userId}`, address: from.address }
      const before = async (): Promise<AccountRefusal | undefined> => {
        const retryAfterSeconds = await attempts.take(attempt, limits.codeAttemptsPerAccountPerHour)
        if (retryAfterSeconds !== undefined)
          return { ok: false, problem: 'too_many_attempts', retryAfterSeconds }
        if (isTimeCode && !(await attempts.use([userId, code], CODE_SECONDS))) return refused('code_wrong')
        return undefined
      }
      const outcome = isTimeCode
        ? await send(from, 'two-factor/verify-totp', { code }, before)
        : await send(from, 'two-factor/verify-backup-code', { code: recoveryCodes.digestOf(code) }, before)
      const event = { of: { userId }, from } as const
      if (outcome.ok) {
        await attempts.succeeded(attempt)
        const detail = isTimeCode ? '' : 'with a recovery code'
        await securityLog.note({ ...event, kind: 'log-in', detail })
      } else if (outcome.problem === 'code_wrong') {
        await securityLog.note({ ...event, kind: 'log-in-failed', detail: 'right password, wrong code' })
      }
      return outcome
    },
    async secondFactor(userId) {
      const [row] = await db
        .select({ isOn: users.twoFactorEnabled, codes: twoFactors.backupCodes })
        .from(users)
        .leftJoin(twoFactors, eq(twoFactors.userId, users.id))
        .where(eq(users.id, userId))
      if (!row?.isOn) return { isOn: false, recoveryCodesLeft: 0 }
      return { isOn: true, recoveryCodesLeft: (JSON.parse(row.codes ?? '[]') as string[]).length }
    },
    async prepareSecondFactor(from, password) {
      const outcome = await send(from, 'two-factor/enable', { password })
      if (!outcome.ok) return outcome
      return { ok: true, uri: String((outcome.body as { totpURI?: unknown }).totpURI) }
    },
    async turnOnSecondFactor(from, { userId }, code) {
      const digits = code.replace(/\s/g, '')
      const outcome = await send(from, 'two-factor/verify-totp', { code: digits })
      if (!outcome.ok) return outcome
      // Other sessions began with the password alone, which somebody else may know.
      await endOtherSessions(userId, outcome.setCookies)
      await attempts.use([userId, digits], CODE_SECONDS)
      const codes = await storeNewCodes(userId)
      await securityLog.note({ of: { userId }, kind: 'second-factor-on', from })
      return { ok: true, setCookies: outcome.setCookies, recoveryCodes: codes }
    },
    async renewRecoveryCodes(from, { userId }, password) {
      const outcome = await send(from, 'two-factor/generate-backup-codes', { password })
      if (!outcome.ok) return outcome
      await securityLog.note({ of: { userId }, kind: 'recovery-codes-renewed', from })
      const { backupCodes } = outcome.body as { readonly backupCodes: readonly string[] }
      return { ok: true, setCookies: outcome.setCookies, recoveryCodes: backupCodes }
    },
    async turnOffSecondFactor(from, { userId }, password) {
      const outcome = await send(from, 'two-factor/disable', { password })
      if (outcome.ok) await securityLog.note({ of: { userId }, kind: 'second-factor-off', from })
      return outcome
    },
  }
}

const refused = (problem: AccountProblem): AccountRefusal => ({ ok: false, problem })

/**
 * Turns off the second factor of an account, for operators.
 * @returns false if it is not on
 */
export async function resetSecondFactor(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.execute<{ reset: number }>(sql`
    with removed as (delete from ${twoFactors} where user_id = ${userId}),
    changed as (
      update ${users} set two_factor_enabled = false where id = ${userId} and two_factor_enabled returning id
    )
    select count(*)::integer as reset from changed`)
  return row?.reset === 1
}
