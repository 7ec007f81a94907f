/** What happened to an account. */
export type SecurityEventKind =
  | 'account-disabled'
  | 'account-enabled'
  | 'address-changed'
  | 'key-changed'
  | 'key-created'
  | 'key-deleted'
  | 'key-disabled'
  | 'key-enabled'
  | 'key-rotated'
  | 'limits-changed'
  | 'log-in'
  | 'log-in-failed'
  | 'password-changed'
  | 'password-reset'
  | 'proof-failed'
  | 'recovery-codes-renewed'
  | 'second-factor-off'
  | 'second-factor-on'
  | 'second-factor-reset'
  | 'sessions-ended'
  | 'sign-up'

/** Who caused an event: the user, an operator in the dashboard, or a command on the service's machine. */
export type SecurityActor = 'user' | 'operator' | 'command-line'

/** A security event of an account, as it is read. */
export interface SecurityEvent {
  readonly id: string
  readonly at: Date
  readonly kind: SecurityEventKind
  readonly actor: SecurityActor
  /** Client address; null unless a browser of the user sent the request. */
  readonly address: string | null
  readonly userAgent: string | null
  /** Such as the name of the key; may be empty. */
  readonly detail: string
}

/** A security event to be noted. */
export interface NewSecurityEvent {
  /** The account. Events of unknown addresses are dropped. */
  readonly of: { readonly userId: string } | { readonly email: string }
  readonly kind: SecurityEventKind
  /** The user by default. */
  readonly actor?: SecurityActor
  /** The client's request. */
  readonly from?: {
    readonly address: string
    readonly headers: { readonly 'user-agent'?: string | undefined }
  }
  readonly detail?: string
}

/** The contract's bounds of the log. */
export interface SecurityLogLimits {
  readonly securityEventsPerAccount: number
  readonly failedLogInEventsPerAccount: number
  readonly securityEventDays: number
}
