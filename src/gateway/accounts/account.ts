import type { KeySummary } from '../keys/key-summary.js'

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
  | 'password_common'
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

/** A session that a request belongs to. */
export interface FoundSession {
  readonly user: SignedIn
  /** `Set-Cookie` headers for the answer, where the session goes on for longer than the browser knows. */
  readonly setCookies: readonly string[]
}

/** How a session is looked for. */
export interface SessionOptions {
  /** Whether it goes on for longer, being used; true where nothing is said. */
  readonly goesOn: boolean
}

/** Accounts of the dashboard (specification 5): people, their passwords and sessions. */
export interface Accounts {
  /** True where addresses are verified by mail. */
  readonly verifiesByMail: boolean
  /** True where a forgotten password can be set anew. */
  readonly resetsPasswords: boolean
  /** Who sends the cookies; undefined where nobody is logged in with them. */
  session(from: ClientRequest, options?: SessionOptions): Promise<FoundSession | undefined>
  /** True for those whom configuration names, once their address is proved to be theirs. */
  isOperator(user: Pick<SignedIn, 'email' | 'emailVerified'>): boolean
  /** True for an address that configuration names while its owner is not proven. */
  isUnconfirmedOperator(user: Pick<SignedIn, 'email' | 'emailVerified'>): boolean
  signUp(from: ClientRequest, email: string, password: string): Promise<AccountOutcome>
  logIn(from: ClientRequest, email: string, password: string): Promise<AccountOutcome>
  logOut(from: ClientRequest): Promise<AccountOutcome>
  /** Sends a link that sets a new password, where there is such an account; the outcome does not tell. */
  requestReset(from: ClientRequest, email: string): Promise<AccountOutcome>
  resetPassword(from: ClientRequest, token: string, password: string): Promise<AccountOutcome>
  /** Confirms an address for who knows the password of the account: somebody else may have made it. */
  verifyEmail(from: ClientRequest, token: string, password: string): Promise<AccountOutcome>
  /** Ends every other session, too. */
  changePassword(from: ClientRequest, current: string, next: string): Promise<AccountOutcome>
  sessions(userId: string): Promise<readonly AccountSession[]>
  /** Ends a session of the user; undefined stands for every one but that of the request. */
  endSession(from: ClientRequest, user: SignedIn, sessionId: string | undefined): Promise<AccountOutcome>
  /** Deletes the account with everything that is its own; its keys are dead at once. */
  deleteAccount(from: ClientRequest, password: string): Promise<AccountOutcome>
  /** Lets mail under way end. */
  close(): Promise<void>
}

/** What those who run the service see of accounts, and do to them. Each change is logged, with who made it. */
export interface Administration {
  accounts(query: AccountQuery): Promise<AccountList>
  /** Undefined where there is no such account. */
  account(id: string): Promise<AccountSummary | undefined>
  /** Disables an account (its keys are refused, its sessions end, nobody logs in to it) or ends that; false where there is none. */
  setAccountDisabled(operator: SignedIn, id: string, isDisabled: boolean): Promise<boolean>
  /** The same for one key, which its user cannot undo; undefined where there is none. */
  setKeyDisabled(operator: SignedIn, id: string, isDisabled: boolean): Promise<KeySummary | undefined>
}
