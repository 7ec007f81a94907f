import type { AccessRules } from '../store/index.js'

/** Where a user was created: by an operator's command, on the dashboard, or by the embedded development setup. */
export type UserOrigin = 'cli' | 'dashboard' | 'embedded'

/** The last rotation of a key, and the use of its former text since then. */
export interface LastRotation {
  readonly at: Date
  /** The end of the grace period; in the past if it is over, and null without one or if the user has ended it. */
  readonly until: Date | null
  /** Answered requests with the former text. */
  readonly requests: number
  /** Null without a request. */
  readonly lastUsedAt: Date | null
  /** Client address of the last request; null without one, and after the grace period. */
  readonly lastClient: string | null
}

/** A key without its text, for lists. */
export interface KeySummary {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly origin: UserOrigin
  /** The stored name. The contract may no longer have this network. */
  readonly network: string
  readonly name: string
  readonly description: string
  /** Use case, as the user describes it; may be empty. */
  readonly useCase: string
  /** Service that the key is for, as the user describes it; may be empty. */
  readonly nodeService: string
  /** State of the key itself. The account of the user may be disabled as well. */
  readonly state: 'enabled' | 'disabled'
  /** True if an operator disabled the key, which the user cannot undo. */
  readonly disabledByOperator: boolean
  /** True if an operator disabled the account, whose keys are all refused. */
  readonly accountDisabled: boolean
  /** First and last characters of the text. */
  readonly masked: string
  /** Requests per UTC day; null without a limit of the key itself. */
  readonly dailyLimit: number | null
  /** Requests per UTC month; null without a limit of the key itself. */
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  readonly createdAt: Date
  /** Rounded to the minute; null for an unused key. */
  readonly lastUsedAt: Date | null
  /** End of the grace period in which the former text is accepted, too; null without one. */
  readonly graceUntil: Date | null
  /** Null for a key that was never rotated. */
  readonly lastRotation: LastRotation | null
  /** Differs after each change of the key or its public keys; a use does not change it. */
  readonly changedAt: string
}
