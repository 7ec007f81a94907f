/** A request of a browser, as far as accounts look at it. */
export interface ClientRequest {
  readonly headers: {
    readonly cookie?: string | undefined
    readonly origin?: string | undefined
    readonly host?: string | undefined
    readonly referer?: string | undefined
    readonly 'user-agent'?: string | undefined
    readonly [name: string]: unknown
  }
  /** The client's address, found behind trusted proxies only. */
  readonly address: string
}

/** Somebody who is logged in. */
export interface SignedIn {
  readonly userId: string
  readonly email: string
  /** True once somebody has shown that they read what is sent to the address. */
  readonly emailVerified: boolean
  readonly sessionId: string
}

/** A place where an account is logged in. */
export interface AccountSession {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly address: string | null
  readonly userAgent: string | null
}

/** Why something was not done. */
export type AccountProblem =
  | 'address_taken'
  | 'address_unusable'
  | 'address_unverified'
  | 'foreign_origin'
  | 'link_unusable'
  | 'not_logged_in'
  | 'password_too_long'
  | 'password_too_short'
  | 'password_wrong'
  | 'too_many_attempts'

/** Something was not done. */
export interface AccountRefusal {
  readonly ok: false
  readonly problem: AccountProblem
  /** For `too_many_attempts`. */
  readonly retryAfterSeconds?: number
}

/** What became of a change; `setCookies` are `Set-Cookie` headers for the answer. */
export type AccountOutcome = { readonly ok: true; readonly setCookies: readonly string[] } | AccountRefusal
