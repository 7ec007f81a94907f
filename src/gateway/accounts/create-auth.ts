import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { newId, randomText } from '../store/new-id.js'
import type { Database } from '../store/open-store.js'
import { attempts, credentials, sessions, users, verifications } from '../store/schema.js'
import type { AccountLimits } from './account-limits.js'
import { isEasyToGuess } from './is-easy-to-guess.js'

/** The header that carries the client's address to the library; nothing that a client sends gets there. */
export const ADDRESS_HEADER = 'x-concordat-client-address'
/** Never reached over HTTP: requests to it are made by us. */
export const AUTH_PATH = '/auth'

const secondsPer = { minute: 60, hour: 3_600, day: 86_400 } as const
/** Attempts of everything that has no bound of its own, by one client address in a minute. */
const OTHER_ATTEMPTS = 120
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const ID_CHARACTERS = 24

/** Somebody that a link is sent to. */
export interface Addressee {
  readonly id: string
  readonly email: string
}

/** What the library of accounts is set to. */
export interface AuthOptions {
  readonly db: Database
  /** Signs the cookies of sessions and the links that verify addresses. */
  readonly secret: string
  /** Where people reach the dashboard, such as `https://rpc.example.net`. */
  readonly origin: string
  /** Origins that forms may come from, beside `origin`. */
  readonly trustedOrigins: () => readonly string[]
  readonly limits: AccountLimits
  /** Sends the link that verifies an address; undefined where there is no mail, and addresses are taken as they are. */
  readonly sendVerification: ((to: Addressee, token: string) => Promise<void>) | undefined
  /** Called when somebody signs up with the address of an account. The answer is the same as for a new address. */
  readonly sendAlreadyKnown: (to: Addressee) => Promise<void>
  /** Sends the link that sets a new password; undefined where there is no way to. */
  readonly sendReset: ((to: Addressee, token: string) => Promise<void>) | undefined
  readonly onReset: (user: Addressee) => Promise<void>
  /** Ends what belongs to an account that is about to be deleted. */
  readonly beforeDelete: (user: Addressee) => Promise<void>
  /** The id that the account of an address had before it was deleted today; undefined where there was none. */
  readonly formerId: (email: string) => Promise<string | undefined>
  /** Takes work that nobody waits for, such as mail: who waited for it could tell known addresses from unknown ones. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly onError: (message: string) => void
}

/** The library of accounts, set up; loading it takes a moment and some 30 MB, so it is loaded when it is needed. */
export function createAuth(options: AuthOptions) {
  const { db, secret, origin, limits, sendVerification, sendReset } = options
  return betterAuth({
    appName: 'Concordat',
    baseURL: origin,
    basePath: AUTH_PATH,
    // Both, so that no variable of the environment can name another.
    secret,
    secrets: [{ version: 1, value: secret }],
    telemetry: { enabled: false },
    trustedOrigins: () => [...options.trustedOrigins()],
    database: drizzleAdapter(db, {
      provider: 'pg',
      schema: {
        user: users,
        session: sessions,
        account: credentials,
        verification: verifications,
        rateLimit: attempts,
      },
    }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordMinimumLength,
      maxPasswordLength: limits.passwordMaximumLength,
      requireEmailVerification: sendVerification !== undefined,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: limits.resetLinkMinutes * secondsPer.minute,
      onExistingUserSignUp: ({ user }) => options.sendAlreadyKnown(user),
      onPasswordReset: ({ user }) => options.onReset(user),
      ...(sendReset && { sendResetPassword: ({ user, token }) => sendReset(user, token) }),
    },
    emailVerification: {
      expiresIn: limits.verificationLinkHours * secondsPer.hour,
      sendOnSignUp: sendVerification !== undefined,
      sendOnSignIn: sendVerification !== undefined,
      // Who opens the link may not be who chose the password: they log in with it.
      autoSignInAfterVerification: false,
      ...(sendVerification && { sendVerificationEmail: ({ user, token }) => sendVerification(user, token) }),
    },
    user: {
      additionalFields: {
        origin: { type: 'string', input: false, defaultValue: 'dashboard' },
        disabledAt: { type: 'date', input: false, required: false },
      },
      deleteUser: { enabled: true, beforeDelete: (user) => options.beforeDelete(user) },
    },
    databaseHooks: {
      user: {
        create: {
          async before(user) {
            const id = await options.formerId(user.email)
            return { data: id === undefined ? user : { ...user, id } }
          },
        },
      },
      session: {
        create: {
          before: ({ userId }) => refuseDisabled(db, userId),
          after: async ({ userId }) => {
            await db.update(users).set({ lastLogInAt: sql`now()` }).where(eq(users.id, userId))
          },
        },
      },
    },
    session: {
      expiresIn: limits.sessionDays * secondsPer.day,
      updateAge: secondsPer.day,
      // Asked of the database each time, so that a session that is ended is ended everywhere.
      cookieCache: { enabled: false },
    },
    // Runs after the library has counted the attempt: the check costs up to 40 ms of processor time.
    hooks: { before: createAuthMiddleware(async (context) => refuseEasyPassword(context, limits)) },
    rateLimit: { enabled: true, storage: 'database', ...rules(limits) },
    advanced: {
      cookiePrefix: 'concordat',
      useSecureCookies: origin.startsWith('https:'),
      // Named, because NODE_ENV would else turn it off.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: {
        // It asks for pictures of people and for tokens of other sites, of which there are none.
        validateSchema: false,
        generateId: ({ model }) => (model === 'user' ? newId('usr') : randomText(ID_ALPHABET, ID_CHARACTERS)),
      },
      backgroundTasks: { handler: options.inBackground },
    },
    logger: {
      level: 'error',
      // What else it has to say may hold addresses and statements.
      log: (_level, message) => options.onError(message),
    },
    onAPIError: { throw: true },
  })
}

/** The field that holds a new password, by the path of the request. */
const newPasswordFields: Readonly<Record<string, string>> = {
  '/sign-up/email': 'password',
  '/reset-password': 'newPassword',
  '/change-password': 'newPassword',
}

/** Passwords of the wrong length are left to the library, which says so. */
function refuseEasyPassword({ path, body }: { path?: string; body?: unknown }, limits: AccountLimits): void {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>
  const password = fields[newPasswordFields[path ?? ''] ?? '']
  const email = typeof fields['email'] === 'string' ? fields['email'] : ''
  if (typeof password !== 'string' || password.length < limits.passwordMinimumLength) return
  if (isEasyToGuess(password, email, limits.passwordMinimumScore))
    throw new APIError('BAD_REQUEST', { code: 'PASSWORD_COMMON', message: 'The password is easy to guess' })
}

/** No session begins for an account that an operator has disabled; who asks has shown the password. */
async function refuseDisabled(db: Database, userId: string): Promise<void> {
  const disabled = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNotNull(users.disabledAt)))
  if (disabled.length > 0)
    throw new APIError('FORBIDDEN', { code: 'ACCOUNT_DISABLED', message: 'The account is disabled' })
}

/** Attempts that one client address has; counted in the database, for all replicas together. */
function rules(limits: AccountLimits) {
  const perMinute = (max: number) => ({ window: secondsPer.minute, max })
  const perHour = (max: number) => ({ window: secondsPer.hour, max })
  const passwords = perMinute(limits.logInAttemptsPerAddressPerMinute)
  return {
    ...perMinute(OTHER_ATTEMPTS),
    customRules: {
      '/sign-in/email': passwords,
      '/sign-up/email': perHour(limits.signUpsPerAddressPerHour),
      '/request-password-reset': perHour(limits.mailsPerAddressPerHour),
      '/reset-password': passwords,
      '/change-password': passwords,
      '/delete-user': passwords,
      '/verify-email': passwords,
    },
  }
}

/** The library, set up. */
export type Auth = ReturnType<typeof createAuth>
