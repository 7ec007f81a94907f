import { createHash } from 'node:crypto'
import { eq, type SQL, sql } from 'drizzle-orm'
import { randomText, users, verifications } from '../store/index.js'
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
 * Creates the operations of a sign-up: the form, its mail, and the link in it. The browser that signed up gets a cookie for
 * the account that the form has created. The link logs in only together with this cookie (decision 119): somebody else
 * may have signed up with the address, and knows the password.
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
  /** Ends the binding of a browser to the account with this address; true if there was one. */
  const unbind = async (secret: string, email: string): Promise<boolean> => {
    const unbound = await db.execute(sql`
      delete from ${verifications} as bound using ${users} as own
      where bound.identifier = ${SIGNED_UP + digestOf(secret)} and bound.expires_at > now()
        and own.id = bound.value and lower(own.email) = lower(${email}) and not own.email_verified
      returning own.id`)
    return unbound.length > 0
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
        return { ok: true, setCookies: [await bind(outcome.ok ? idOf(outcome.body) : '')] }
      if (!outcome.ok) return outcome
      await gate.remember({ email }, ['password'], from)
      await securityLog.note({ of: { email }, kind: 'sign-up', from })
      return outcome
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
        if (!(await unbind(secret, link.email))) return linkUnusable
        return verify(from, link.token, true)
      })
      if (!outcome.ok) return outcome
      const [user] = await db.select({ id: users.id }).from(users).where(hasAddress(link.email))
      await gate.remember({ email: link.email }, ['password'], from)
      await securityLog.note({ of: { email: link.email }, kind: 'log-in', from })
      const setCookies = [...outcome.setCookies, cookieOf('', 0, origin())]
      return { ok: true, setCookies, userId: user?.id ?? '' }
    },
    async verifyEmail(from, token, password) {
      const link = await readVerification(authSecrets, token)
      const of = () => (link === undefined ? linkUnusable : { email: link.email })
      return gate.pass('verify-address', { from, of, once: token }, async () => {
        const email = link?.email ?? ''
        const checked = await checkPassword(db, eq(users.email, email), password)
        if ('problem' in checked) return { ok: false, problem: checked.problem }
        return verify(from, link?.token ?? '', false)
      })
    },
  }
}

const hasAddress = (email: string): SQL => sql`lower(${users.email}) = lower(${email})`

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
