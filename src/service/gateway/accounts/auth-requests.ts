import type { AccountProblem, AccountRefusal, ClientRequest } from './account.js'
import type { SignedCookies } from './cookie-signatures.js'
import type { Auth } from './create-auth.js'

/** The outcome of a request to better-auth; `body` is the answer's. */
export type AuthOutcome =
  | { readonly ok: true; readonly setCookies: readonly string[]; readonly body: unknown }
  | AccountRefusal

/**
 * Sends a request to better-auth's handler; POST with a body, otherwise GET.
 * @param logsIn true if the link of a sign-up starts a session
 */
export type SendAuthRequest = (
  from: ClientRequest,
  path: string,
  body: object | undefined,
  logsIn?: boolean,
) => Promise<AuthOutcome>

/** Our problem for each error code of better-auth. Other codes are internal errors. */
const problems: Readonly<Record<string, AccountProblem>> = {
  ACCOUNT_DISABLED: 'account_disabled',
  FAILED_TO_CREATE_USER: 'address_taken',
  USER_ALREADY_EXISTS: 'address_taken',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'address_taken',
  INVALID_EMAIL: 'address_unusable',
  VALIDATION_ERROR: 'address_unusable',
  EMAIL_NOT_VERIFIED: 'address_unverified',
  // Two requests with recovery codes at the same time: one of them is refused.
  CONFLICT: 'code_wrong',
  INVALID_BACKUP_CODE: 'code_wrong',
  INVALID_CODE: 'code_wrong',
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: 'foreign_origin',
  INVALID_ORIGIN: 'foreign_origin',
  MISSING_OR_NULL_ORIGIN: 'foreign_origin',
  INVALID_TOKEN: 'link_unusable',
  TOKEN_EXPIRED: 'link_unusable',
  USER_NOT_FOUND: 'link_unusable',
  BACKUP_CODES_NOT_ENABLED: 'log_in_expired',
  INVALID_TWO_FACTOR_COOKIE: 'log_in_expired',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'log_in_expired',
  UNAUTHORIZED: 'not_logged_in',
  PASSWORD_COMMON: 'password_common',
  PASSWORD_TOO_LONG: 'password_too_long',
  PASSWORD_TOO_SHORT: 'password_too_short',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'password_wrong',
  INVALID_EMAIL_OR_PASSWORD: 'password_wrong',
  INVALID_PASSWORD: 'password_wrong',
  TOTP_ALREADY_ENABLED: 'second_factor_changed',
  TOTP_NOT_ENABLED: 'second_factor_changed',
  TWO_FACTOR_NOT_ENABLED: 'second_factor_changed',
}

const BAD_REQUEST = 400
/** Headers of the browser that better-auth checks. */
const forwardedHeaders = [
  'cookie',
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

/**
 * Creates a function that sends requests to better-auth's handler, so that its check of origins applies. Attempts must
 * pass the gate before. The function rejects on internal errors, such as an error of the database.
 * @param load loads better-auth
 * @param origin public origin of the dashboard
 * @param signCookies replaces signatures of accepted secrets
 */
export function createAuthRequests(
  load: () => Promise<Auth>,
  origin: () => string,
  signCookies: (header: string) => SignedCookies,
): SendAuthRequest {
  return async (from, path, body, logsIn = false) => {
    const auth = await load()
    const { ADDRESS_HEADER, AUTH_PATH } = await import('./create-auth.js')
    const headers = new Headers({ 'content-type': 'application/json', [ADDRESS_HEADER]: from.address })
    for (const name of forwardedHeaders) {
      const value = from.headers[name]
      if (typeof value === 'string') headers.set(name, name === 'cookie' ? signCookies(value).header : value)
    }
    const request = new Request(`${origin()}${AUTH_PATH}/${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return outcomeOf(await (logsIn ? auth.handlerThatLogsIn(request) : auth.handler(request)))
  }
}

async function outcomeOf(response: Response): Promise<AuthOutcome> {
  if (response.status >= BAD_REQUEST) return refusalOf(response)
  return {
    ok: true,
    setCookies: response.headers.getSetCookie(),
    body: await response.json().catch(() => null),
  }
}

/** An error of better-auth that is not a mistake of the user. */
class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  constructor(status: number, code: unknown) {
    super(`better-auth answered ${status} ${String(code)}`)
  }
}

/** @throws UnexpectedAnswer for a code that is not in `problems` */
async function refusalOf(response: Response): Promise<AccountRefusal> {
  const { code = response.statusText.toUpperCase(), reason } = (await response.json().catch(() => ({}))) as {
    code?: unknown
    reason?: unknown
  }
  const problem = typeof code === 'string' && Object.hasOwn(problems, code) ? problems[code] : undefined
  if (problem === undefined) throw new UnexpectedAnswer(response.status, code)
  return { ok: false, problem, ...(typeof reason === 'string' && { reason }) }
}
