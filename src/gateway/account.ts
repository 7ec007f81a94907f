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

/** An account as those who run the service see it. */
export interface AccountSummary {
  readonly id: string
  readonly email: string
  /** True once somebody has shown that they read what is sent to the address. */
  readonly emailVerified: boolean
  readonly createdAt: Date
  /** Null where nobody has logged in since that is written down. */
  readonly lastLogInAt: Date | null
  /** When an operator disabled it; null where none did. */
  readonly disabledAt: Date | null
  /** Keys that are not deleted. */
  readonly keys: number
  /** Requests of the UTC day that count against the daily limit; a second behind at most. */
  readonly usedToday: number
}

/** Which accounts are asked for. */
export interface AccountQuery {
  /** A part of the address, or a whole id of an account or of a key; empty for all. */
  readonly search: string
  readonly order: 'newest' | 'most-used'
  /** Accounts before the first that is given. */
  readonly skip: number
  /** Accounts that are given at most. */
  readonly most: number
}

/** A part of a list of accounts. */
export interface AccountList {
  readonly accounts: readonly AccountSummary[]
  /** All that were found. */
  readonly found: number
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
  | 'account_disabled'
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
