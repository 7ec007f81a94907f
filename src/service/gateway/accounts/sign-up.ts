import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { isUser, randomText, users, verifications } from '../store/index.js'
import type { AccountRefusal, Accounts, ClientRequest } from './account.js'
import type { AccountsOptions } from './accounts-options.js'
import type { SendAuthRequest } from './auth-requests.js'
import { checkPassword, readVerification } from './check-verification.js'
import type { Gate } from './gate/gate.js'

const COOKIE = 'concordat.sign_up'
const SECRET_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** 165 random bits. */
const SECRET_CHARACTERS = 32
const HOUR_SECONDS = 3_600
const MILLISECONDS = 1_000
/** Prefix of `verifications.identifier`. */
const SIGNED_UP = 'sign-up:'

const linkUnusable: AccountRefusal = { ok: false, problem: 'link_unusable' }

/** Options of {@link createSignUp}: those of the accounts, and the operations that it shares with them. */
interface SignUpOptions extends AccountsOptions {
  readonly gate: Gate
  readonly send: SendAuthRequest
  /** Secrets of better-auth: the current one, then the accepted ones. */
  readonly authSecrets: readonly string[]
}

/**
 * Creates the operations of a sign-up: the form, its mail, and the link in it. The form sets a cookie
 * that belongs to the new account. The link logs in only together with this cookie (decision 119): otherwise somebody who
 * signed up with the address of another person, and knows the password, would share that person's account.
 */
export function createSignUp(
  options: SignUpOptions,
): Pick<Accounts, 'signUp' | 'sendAgain' | 'finishSignUp' | 'verifyEmail'> {
  const { db, limits, gate, send, sendMail, securityLog, origin, authSecrets } = options
  const seconds = limits.verificationLinkHours * HOUR_SECONDS

  /** Binds an account to a browser, and returns the cookie. */
  const bind = async (userId: string): Promise<string> => {
    const secret = randomText(SECRET_ALPHABET, SECRET_CHARACTERS)
    const expiresAt = new Date(Date.now() + seconds * MILLISECONDS)
    await db
      .insert(verifications)
      .values({ id: digestOf(secret), identifier: SIGNED_UP + digestOf(secret), value: userId, expiresAt })
    return cookieOf(secret, seconds, origin())
  }
  /** Ends the binding of a browser to the account with this address, and returns its id; undefined without one. */
  const unbind = async (secret: string, email: string): Promise<string | undefined> => {
    const [unbound] = await db.execute<{ id: string }>(sql`
      delete from ${verifications} as bound using ${users}
      where bound.identifier = ${SIGNED_UP + digestOf(secret)} and bound.expires_at > now()
        and ${users.id} = bound.value and ${isUser({ email })} and not ${users.emailVerified}
      returning ${users.id}`)
    return unbound?.id
  }
  const verify = (from: ClientRequest, token: string, logsIn: boolean) =>
    send(from, `verify-email?token=${encodeURIComponent(token)}`, undefined, logsIn)

  return {
    async signUp(from, email, password) {
      const outcome = await gate.pass('sign-up', { from }, () =>
        send(from, 'sign-up/email', { name: '', email, password }),
      )
      // With mail, a sign-up has the same outcome for a known address: the id in the answer is then that of no account.
      if (sendMail !== undefined && (outcome.ok || outcome.problem === 'address_taken'))
        return {
          ok: true,
          setCookies: [await bind(outcome.ok ? idOf(outcome.body) : '')],
          userId: undefined,
        }
      if (!outcome.ok) return outcome
      await gate.remember({ email }, ['password'], from)
      await securityLog.note({ of: { email }, kind: 'sign-up', from })
      return { ...outcome, userId: idOf(outcome.body) }
    },
    // Without cookies: the address need not be that of a session.
    sendAgain: (from, email) =>
      gate.pass('send-again', { from }, () =>
        send({ ...from, headers: { ...from.headers, cookie: undefined } }, 'send-verification-email', {
          email,
        }),
      ),
    async finishSignUp(from, token) {
      const secret = secretOf(from, origin())
      const link = secret === undefined ? undefined : await readVerification(authSecrets, token)
      if (secret === undefined || link === undefined) return linkUnusable
      const proof = { from, of: () => ({ email: link.email }), once: token }
      const outcome = await gate.pass('verify-address', proof, async () => {
        const userId = await unbind(secret, link.email)
        if (userId === undefined) return linkUnusable
        const verified = await verify(from, link.token, true)
        return verified.ok ? { ...verified, userId } : verified
      })
      if (!outcome.ok) return outcome
      await gate.remember({ email: link.email }, ['password'], from)
      await securityLog.note({ of: { email: link.email }, kind: 'log-in', from })
      const setCookies = [...outcome.setCookies, cookieOf('', 0, origin())]
      return { ok: true, setCookies, userId: outcome.userId }
    },
    async verifyEmail(from, token, password) {
      const link = await readVerification(authSecrets, token)
      const of = () => (link === undefined ? linkUnusable : { email: link.email })
      return gate.pass('verify-address', { from, of, once: token }, async () => {
        const email = link?.email ?? ''
        const checked = await checkPassword(db, isUser({ email }), password)
        if ('problem' in checked) return { ok: false, problem: checked.problem }
        return verify(from, link?.token ?? '', false)
      })
    },
  }
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** The id of the user in better-auth's answer to a sign-up. */
const idOf = (body: unknown): string => (body as { readonly user?: { readonly id?: string } }).user?.id ?? ''

/** With HTTPS, the prefix keeps other hosts of the domain from setting the cookie. */
const nameAt = (origin: string) => (origin.startsWith('https:') ? '__Host-' : '') + COOKIE

const cookieOf = (secret: string, seconds: number, origin: string): string =>
  `${nameAt(origin)}=${secret}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`

/** The secret of the browser's sign-up; undefined without one. */
function secretOf({ headers: { cookie = '' } }: ClientRequest, origin: string): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => name === nameAt(origin))?.[1]
}
