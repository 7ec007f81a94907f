import type { KeySummary } from '../keys/index.js'

/** The parts of a browser's request that accounts need. */
export interface ClientRequest {
  readonly headers: {
    readonly cookie?: string | undefined
    readonly origin?: string | undefined
    readonly host?: string | undefined
    readonly referer?: string | undefined
    readonly 'user-agent'?: string | undefined
    readonly [name: string]: unknown
  }
  /** Client address, as the trusted proxies report it. */
  readonly address: string
}

/** The user of a session. */
export interface SignedIn {
  readonly userId: string
  readonly email: string
  /** True once a link that was mailed to the address has been used. */
  readonly emailVerified: boolean
  readonly sessionId: string
  readonly limits: UserLimits
  /** Why an operator lowered the limits; null without a reason. */
  readonly limitsReason: string | null
}

/** Limits of one user that an operator set; null means the contract's limit. */
export interface UserLimits {
  /** Requests per UTC day. */
  readonly dailyLimit: number | null
  /** Keys. */
  readonly keyLimit: number | null
}

/** An account as operators see it. */
export interface AccountSummary {
  readonly id: string
  readonly email: string
  /** True once a link that was mailed to the address has been used. */
  readonly emailVerified: boolean
  readonly createdAt: Date
  /** Null without a recorded log-in. */
  readonly lastLogInAt: Date | null
  readonly limits: UserLimits
  /** Why an operator lowered the limits, as the user reads it; null without a reason. */
  readonly limitsReason: string | null
  /** True if a log-in asks for a code. */
  readonly hasSecondFactor: boolean
  /** When an operator disabled the account; null if it is enabled. */
  readonly disabledAt: Date | null
  /** Why, as the user reads it; null without a reason. */
  readonly disabledReason: string | null
  /** Number of keys, without deleted ones. */
  readonly keys: number
  /** Requests of the current UTC day that count against the daily limit; at most a second old. */
  readonly usedToday: number
  /** Calls that were sent to nodes for the account on the current UTC day; at most ten seconds old. */
  readonly nodeCallsToday: number
  /** Requests of the last hour, including those that the rules of keys refused; at most ten seconds old. */
  readonly receivedLastHour: number
}

/** A search for accounts. */
export interface AccountQuery {
  /** Part of the address, or the complete id of an account or key; empty for all accounts. */
  readonly search: string
  readonly order: 'newest' | 'most-used' | 'most-last-hour' | 'most-node-calls'
  /** Number of accounts to skip. */
  readonly skip: number
  /** Maximum number of accounts to return. */
  readonly most: number
}

/** A page of found accounts. */
export interface AccountList {
  readonly accounts: readonly AccountSummary[]
  /** Number of all found accounts. */
  readonly found: number
}

/** A session of an account, for lists. */
export interface AccountSession {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly address: string | null
  readonly userAgent: string | null
}

/** Reasons why an operation on accounts is refused. */
export type AccountProblem =
  | 'account_disabled'
  | 'address_taken'
  | 'address_used_today'
  | 'address_unusable'
  | 'address_unverified'
  | 'code_wrong'
  | 'foreign_origin'
  | 'link_unusable'
  | 'log_in_expired'
  | 'not_logged_in'
  | 'password_common'
  | 'password_too_long'
  | 'password_too_short'
  | 'password_wrong'
  | 'second_factor_changed'
  | 'too_many_attempts'

/** The outcome of a refused operation. */
export interface AccountRefusal {
  readonly ok: false
  readonly problem: AccountProblem
  /** For `too_many_attempts`. */
  readonly retryAfterSeconds?: number
  /** For `account_disabled`: the reason that the operator gave. */
  readonly reason?: string
}

/** The outcome of an operation; `setCookies` are `Set-Cookie` headers for the response. */
export type AccountOutcome = { readonly ok: true; readonly setCookies: readonly string[] } | AccountRefusal

/** The outcome of a sign-up form, or of the link in its mail. */
export type SignUpOutcome =
  | {
      readonly ok: true
      readonly setCookies: readonly string[]
      /** The new account whose session starts; undefined if its mail comes first. */
      readonly userId: string | undefined
    }
  | AccountRefusal

/** The outcome of a log-in with a password. */
export type LogInOutcome =
  | {
      readonly ok: true
      readonly setCookies: readonly string[]
      /** True if the account has a second factor: the session begins with `enterCode`. */
      readonly needsCode: boolean
    }
  | AccountRefusal

/** The second factor of an account. */
export interface SecondFactor {
  readonly isOn: boolean
  readonly recoveryCodesLeft: number
}

/** The outcome of an operation with new recovery codes, which are shown once. */
export type RecoveryCodesOutcome =
  | { readonly ok: true; readonly setCookies: readonly string[]; readonly recoveryCodes: readonly string[] }
  | AccountRefusal

/** The second factor of accounts. */
export interface SecondFactorAccounts {
  /**
   * Completes a log-in with a code of the user's app, or with a recovery code, which works once. The cookies of the
   * log-in identify the user.
   */
  enterCode(from: ClientRequest, code: string): Promise<AccountOutcome>
  secondFactor(userId: string): Promise<SecondFactor>
  /** Creates the secret for an app, as an `otpauth:` URI. Log-ins ask for codes once `turnOnSecondFactor` has a right one. */
  prepareSecondFactor(
    from: ClientRequest,
    user: SignedIn,
    password: string,
  ): Promise<{ readonly ok: true; readonly uri: string } | AccountRefusal>
  /** Turns the second factor on and ends all other sessions. Refused if it is on. */
  turnOnSecondFactor(from: ClientRequest, user: SignedIn, code: string): Promise<RecoveryCodesOutcome>
  /** Replaces all recovery codes. */
  renewRecoveryCodes(from: ClientRequest, user: SignedIn, password: string): Promise<RecoveryCodesOutcome>
  /** Turns the second factor off and ends all other sessions. */
  turnOffSecondFactor(from: ClientRequest, user: SignedIn, password: string): Promise<AccountOutcome>
}

/** The session of a request. */
export interface FoundSession {
  readonly user: SignedIn
  /** `Set-Cookie` headers for the response if the session was extended. */
  readonly setCookies: readonly string[]
}

/** Options of a session lookup. */
export interface SessionOptions {
  /** Whether this use extends the session; true by default. */
  readonly extendSession: boolean
}

/** Accounts of the dashboard (specification 5): sign-up, passwords and sessions. */
export interface Accounts extends SecondFactorAccounts {
  /** True if addresses are verified by mail. */
  readonly verifiesByMail: boolean
  /** True if forgotten passwords can be reset. */
  readonly resetsPasswords: boolean
  /** Finds the session of a request's cookies; undefined without a valid session. */
  session(from: ClientRequest, options?: SessionOptions): Promise<FoundSession | undefined>
  /** True if the configuration names the address as an operator's and the address is verified. */
  isOperator(user: Pick<SignedIn, 'email' | 'emailVerified'>): boolean
  /** True if the configuration names the address as an operator's but the address is not verified. */
  isUnconfirmedOperator(user: Pick<SignedIn, 'email' | 'emailVerified'>): boolean
  /**
   * Creates an account. With mail, the outcome is the same for a known address, and the link in the mail follows. Without
   * mail, a session starts immediately.
   */
  signUp(from: ClientRequest, email: string, password: string): Promise<SignUpOutcome>
  /** Sends the link of a sign-up again. The outcome is the same for unknown and confirmed addresses. */
  sendAgain(from: ClientRequest, email: string): Promise<AccountOutcome>
  /**
   * Verifies an address by its link and starts a session, in the browser that signed up. Refused as `link_unusable` in
   * every other one, where `verifyEmail` asks for the password.
   */
  finishSignUp(from: ClientRequest, token: string): Promise<SignUpOutcome>
  logIn(from: ClientRequest, email: string, password: string): Promise<LogInOutcome>
  logOut(from: ClientRequest): Promise<AccountOutcome>
  /** Sends a reset link if the account exists. The outcome is the same for unknown addresses. */
  requestReset(from: ClientRequest, email: string): Promise<AccountOutcome>
  resetPassword(from: ClientRequest, token: string, password: string): Promise<AccountOutcome>
  /** Verifies an address. The password is required because a stranger may have signed up with the address. */
  verifyEmail(from: ClientRequest, token: string, password: string): Promise<AccountOutcome>
  /** Changes the password and ends all other sessions. */
  changePassword(from: ClientRequest, user: SignedIn, current: string, next: string): Promise<AccountOutcome>
  /**
   * Changes the address. With mail, it changes once the link that the new address receives is used; the outcome is then
   * the same for every address. Without mail, it changes immediately. All other sessions end.
   */
  changeAddress(from: ClientRequest, user: SignedIn, password: string, email: string): Promise<AccountOutcome>
  /** Changes the address by the link. The password is required, because a mistyped address belongs to somebody else. */
  confirmAddress(from: ClientRequest, token: string, password: string): Promise<AccountOutcome>
  sessions(userId: string): Promise<readonly AccountSession[]>
  /** Ends a session of the user; with undefined, every session except that of the request. */
  endSession(from: ClientRequest, user: SignedIn, sessionId: string | undefined): Promise<AccountOutcome>
  /** Deletes the account with its keys and sessions. The keys stop working immediately. */
  deleteAccount(from: ClientRequest, user: SignedIn, password: string): Promise<AccountOutcome>
  /** Waits for mails that are being sent. */
  close(): Promise<void>
}

/** Operations of operators on accounts. Changes are logged with the operator's id. */
export interface AccountAdministration {
  accounts(query: AccountQuery): Promise<AccountList>
  /** Undefined for an unknown account. */
  account(id: string): Promise<AccountSummary | undefined>
  /**
   * Disables or enables an account. A disabled account has no sessions, and its keys are refused. The user is told by
   * mail.
   * @param reason for the user; may be empty
   * @returns false for an unknown account
   * @throws OperatorError `invalid_input` for a reason that is too long or cannot be printed
   */
  setAccountDisabled(operator: SignedIn, id: string, isDisabled: boolean, reason: string): Promise<boolean>
  /** Lowers the limits of an account, or restores them. Otherwise like `setAccountDisabled`. */
  setLimits(operator: SignedIn, id: string, limits: UserLimits, reason: string): Promise<boolean>
  /** Turns off the second factor of an account; false for an account without one. */
  resetSecondFactor(operator: SignedIn, id: string): Promise<boolean>
  /** Disables or enables a key, which its user cannot undo; undefined for an unknown key. */
  setKeyDisabled(operator: SignedIn, id: string, isDisabled: boolean): Promise<KeySummary | undefined>
}

/** The contract's bounds for accounts. */
export interface AccountLimits {
  /** Characters. */
  readonly passwordMinimumLength: number
  /** Characters. */
  readonly passwordMaximumLength: number
  /** Lowest zxcvbn score, 0 to 4, of a new password. */
  readonly passwordMinimumScore: number
  readonly sessionDays: number
  readonly resetLinkMinutes: number
  readonly verificationLinkHours: number
  /** Days after the latest link for which an account with an unconfirmed address is kept. */
  readonly unconfirmedAccountDays: number
  /** Factor between the limits of an IPv6 /48 and of a client address. */
  readonly ipv6SiteTimes: number
  /** Per client address (for IPv6 per /64). */
  readonly logInAttemptsPerAddressPerMinute: number
  readonly signUpsPerAddressPerHour: number
  readonly mailsPerAddressPerHour: number
  /** Mails to one recipient that strangers can cause. Mails caused by the recipient are counted separately. */
  readonly mailsPerRecipientPerHour: number
  /** Wrong passwords per account, from all client addresses except those that the owner uses. */
  readonly logInAttemptsPerAccountPerHour: number
  /** Wrong codes per account, counted in the same way. */
  readonly codeAttemptsPerAccountPerHour: number
  readonly codeMinutes: number
  readonly recoveryCodes: number
  /** Days for which lowered limits of an address are kept. */
  readonly loweredLimitsDays: number
}
