import type { BetterAuthOptions } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Database, FormerUser } from '../store/index.js'
import { credentials, newId, randomText, sessions, twoFactors, users, verifications } from '../store/index.js'
import type { AccountLimits } from './account.js'
import { digestTokens } from './digest-tokens.js'
import { isEasyToGuess } from './is-easy-to-guess.js'
import type { RecoveryCodes } from './recovery-codes.js'
import type { AuthSecret } from './reencrypt-second-factors.js'

/** Header that passes the client's address to better-auth. Headers of clients with this name are not forwarded. */
export const ADDRESS_HEADER = 'x-concordat-client-address'
/** Path of better-auth's handler. It is not served over HTTP; this service creates the requests. */
export const AUTH_PATH = '/auth'

const secondsPer = { minute: 60, hour: 3_600, day: 86_400 } as const
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const ID_CHARACTERS = 24

/** The recipient of a link. */
export interface Addressee {
  readonly id: string
  readonly email: string
}

/** The client of a request to better-auth. */
interface AuthClient {
  readonly address: string
  readonly headers: { readonly 'user-agent': string | undefined }
}

/** Sends a link. `from` is the client that caused it. */
type SendLink = (to: Addressee, token: string, from: AuthClient) => Promise<void>

/** Options of {@link createAuth}. */
export interface AuthOptions {
  readonly db: Database
  /** The first one signs session cookies and verification links, and encrypts second factors; all decrypt them. */
  readonly secrets: readonly AuthSecret[]
  /** Public origin of the dashboard, such as `https://rpc.example.net`. */
  readonly origin: string
  /** Further origins that forms may come from. */
  readonly trustedOrigins: () => readonly string[]
  readonly limits: AccountLimits
  /** Name of the service in authenticator apps. */
  readonly issuer: string
  readonly recoveryCodes: RecoveryCodes
  /** Sends a verification link; undefined without mail, and addresses are then not verified. */
  readonly sendVerification: SendLink | undefined
  /** Called at a sign-up with a known address. The response is the same as for a new address. */
  readonly sendAlreadyKnown: (to: Addressee, from: AuthClient) => Promise<void>
  /** Sends a reset link; undefined if passwords cannot be reset. */
  readonly sendReset: SendLink | undefined
  readonly onReset: (user: Addressee, from: AuthClient) => Promise<void>
  /** Deletes what belongs to an account before the account is deleted. */
  readonly beforeDelete: (user: Addressee) => Promise<void>
  readonly onCreated: (user: Addressee) => Promise<void>
  /** Returns what a new account takes over from an earlier one with its address. */
  readonly former: (email: string) => Promise<FormerUser>
  /** Runs work in the background, such as sending mail, whose duration would reveal whether an address is known. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly onError: (message: string) => void
}

/** The functions of better-auth that the accounts use. */
export interface Auth {
  /** Answers a request, after the check of its origin. */
  readonly handler: (request: Request) => Promise<Response>
  /** Answers the request of a verification link, which starts a session. */
  readonly handlerThatLogsIn: (request: Request) => Promise<Response>
  /** Reads the session of cookies: that needs no origin check and no rate limit. */
  readonly session: (
    cookie: string,
    disableRefresh: boolean,
  ) => Promise<{ readonly found: AuthSession | null; readonly setCookies: readonly string[] }>
  readonly context: Promise<{
    /** Signs the links for verification. */
    readonly secret: string
    /** Returns the name of a cookie, with its prefix. */
    readonly createAuthCookie: (name: string) => { readonly name: string }
  }>
}

/** A session with its user. */
interface AuthSession {
  readonly session: { readonly id: string }
  readonly user: {
    readonly id: string
    readonly email: string
    readonly emailVerified: boolean
    readonly twoFactorEnabled?: boolean | null | undefined
    readonly disabledAt?: Date | null | undefined
    readonly dailyLimit?: number | null | undefined
    readonly keyLimit?: number | null | undefined
    readonly limitsReason?: string | null | undefined
  }
}

/** Configures better-auth. This module is loaded on first use, because the library takes about 30 MB. */
export function createAuth(options: AuthOptions): Auth {
  const { handler, api, $context } = configure(options)
  let loggingIn: ReturnType<typeof configure> | undefined
  return {
    handler,
    handlerThatLogsIn(request) {
      loggingIn ??= configure(options, true)
      return loggingIn.handler(request)
    },
    context: $context,
    async session(cookie, disableRefresh) {
      const request = { headers: new Headers({ cookie }), query: { disableRefresh } }
      const { response, headers } = await api.getSession({ ...request, returnHeaders: true })
      return { found: response, setCookies: headers.getSetCookie() }
    },
  }
}

/** @param logsIn true if a verification link starts a session */
function configure(options: AuthOptions, logsIn = false) {
  const { db, secrets, origin, limits, sendVerification, sendReset } = options
  const openTables = drizzleAdapter(db, {
    provider: 'pg',
    schema: {
      user: users,
      session: sessions,
      account: credentials,
      verification: verifications,
      twoFactor: twoFactors,
    },
  })
  return betterAuth({
    appName: 'Concordat',
    baseURL: origin,
    basePath: AUTH_PATH,
    // Both are set, so that environment variables cannot replace the secret.
    secret: secrets[0]?.value ?? '',
    secrets: [...secrets],
    telemetry: { enabled: false },
    trustedOrigins: () => [...options.trustedOrigins()],
    database: (given: BetterAuthOptions) => digestTokens(openTables(given), db),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordMinimumLength,
      maxPasswordLength: limits.passwordMaximumLength,
      requireEmailVerification: sendVerification !== undefined,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: limits.resetLinkMinutes * secondsPer.minute,
      onExistingUserSignUp: ({ user }, request) => options.sendAlreadyKnown(user, clientOf(request)),
      onPasswordReset: ({ user }, request) => options.onReset(user, clientOf(request)),
      ...(sendReset && {
        sendResetPassword: ({ user, token }, request) => sendReset(user, token, clientOf(request)),
      }),
    },
    emailVerification: {
      expiresIn: limits.verificationLinkHours * secondsPer.hour,
      sendOnSignUp: sendVerification !== undefined,
      sendOnSignIn: sendVerification !== undefined,
      // The person who opens the link may not know the password. It starts a session only in the browser of the sign-up.
      autoSignInAfterVerification: logsIn,
      ...(sendVerification && {
        sendVerificationEmail: ({ user, token }, request) => sendVerification(user, token, clientOf(request)),
      }),
    },
    user: {
      additionalFields: {
        origin: { type: 'string', input: false, defaultValue: 'dashboard' },
        disabledAt: { type: 'date', input: false, required: false },
        dailyLimit: { type: 'number', input: false, required: false },
        keyLimit: { type: 'number', input: false, required: false },
        limitsReason: { type: 'string', input: false, required: false },
      },
      deleteUser: { enabled: true, beforeDelete: (user) => options.beforeDelete(user) },
    },
    databaseHooks: {
      user: {
        create: {
          async before(user) {
            const { id, ...lowered } = await options.former(user.email)
            return { data: { ...user, ...lowered, ...(id !== undefined && { id }) } }
          },
          after: (user) => options.onCreated(user),
        },
      },
      session: {
        create: {
          before: ({ userId }, context) => refuseDisabled(db, isLoggedIn(userId, context?.path)),
          after: async ({ userId }, context) => {
            await db.update(users).set({ lastLogInAt: sql`now()` }).where(isLoggedIn(userId, context?.path))
          },
        },
      },
    },
    session: {
      expiresIn: limits.sessionDays * secondsPer.day,
      updateAge: secondsPer.day,
      // Each request reads the session from the database, so that an ended session ends on every replica.
      cookieCache: { enabled: false },
    },
    plugins: [secondFactorPlugin(options)],
    // Attempts are counted before, because the check takes up to 40 ms of processor time.
    hooks: { before: createAuthMiddleware(async (context) => refuseEasyPassword(context, limits)) },
    // The gate limits attempts instead: the library restarts its window at each attempt.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: 'concordat',
      useSecureCookies: origin.startsWith('https:'),
      // Explicit, because some values of NODE_ENV would turn the checks off.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: {
        // The library's own schema has columns for avatars and social log-in, which this service does not have.
        validateSchema: false,
        generateId: ({ model }) => (model === 'user' ? newId('usr') : randomText(ID_ALPHABET, ID_CHARACTERS)),
      },
      backgroundTasks: { handler: options.inBackground },
    },
    logger: {
      level: 'error',
      // The other arguments may contain e-mail addresses and SQL.
      log: (_level, message) => options.onError(message),
    },
    onAPIError: { throw: true },
  })
}

/** TOTP codes and recovery codes. The gate limits attempts instead of the library, which would lock owners out. */
const secondFactorPlugin = ({ issuer, limits, recoveryCodes }: AuthOptions) =>
  twoFactor({
    issuer,
    twoFactorCookieMaxAge: limits.codeMinutes * secondsPer.minute,
    accountLockout: { enabled: false },
    backupCodeOptions: {
      customBackupCodesGenerate: recoveryCodes.generate,
      // The library compares its input with the stored codes. Its input is the digest of the typed code.
      storeBackupCodes: {
        encrypt: async (codes) => JSON.stringify(recoveryCodes.digestAll(JSON.parse(codes))),
        decrypt: async (stored) => stored,
      },
    },
  })

const clientOf = (request: Request | undefined): AuthClient => ({
  address: request?.headers.get(ADDRESS_HEADER) ?? '',
  headers: { 'user-agent': request?.headers.get('user-agent') ?? undefined },
})

/** Name of the body field with the new password, by request path. */
const newPasswordFields: Readonly<Record<string, string>> = {
  '/sign-up/email': 'password',
  '/reset-password': 'newPassword',
  '/change-password': 'newPassword',
}

/** Refuses passwords that are easy to guess. better-auth itself refuses those of the wrong length. */
function refuseEasyPassword({ path, body }: { path?: string; body?: unknown }, limits: AccountLimits): void {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>
  const password = fields[newPasswordFields[path ?? ''] ?? '']
  const email = typeof fields['email'] === 'string' ? fields['email'] : ''
  if (typeof password !== 'string' || password.length < limits.passwordMinimumLength) return
  if (isEasyToGuess(password, email, limits.passwordMinimumScore))
    throw new APIError('BAD_REQUEST', { code: 'PASSWORD_COMMON', message: 'The password is easy to guess' })
}

/**
 * Returns the condition that finds a user whose log-in is complete. With a second factor, it is not complete after the
 * password: that session is replaced when the code is entered.
 * @param path path of the request that created the session
 */
const isLoggedIn = (userId: string, path: string | undefined): SQL | undefined =>
  and(eq(users.id, userId), path === '/sign-in/email' ? eq(users.twoFactorEnabled, false) : undefined)

/** Refuses a session for a disabled account. Only its owner learns the reason: the log-in is complete. */
async function refuseDisabled(db: Database, loggedIn: SQL | undefined): Promise<void> {
  const [disabled] = await db
    .select({ reason: users.disabledReason })
    .from(users)
    .where(and(loggedIn, isNotNull(users.disabledAt)))
  if (disabled === undefined) return
  const body = { code: 'ACCOUNT_DISABLED', message: 'The account is disabled', ...disabled }
  throw new APIError('FORBIDDEN', body)
}
