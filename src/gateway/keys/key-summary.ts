import type { AccessRules } from '../store/access-rules.js'

/** Who named a user's address first: an operator, the user, or the service itself for development. */
export type UserOrigin = 'cli' | 'dashboard' | 'embedded'

/** A key as it may be listed; its text is not among it. */
export interface KeySummary {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly origin: UserOrigin
  /** The stored name. The contract may no longer have this network. */
  readonly network: string
  readonly name: string
  readonly description: string
  /** What its user says it is for; empty where nothing was said. */
  readonly useCase: string
  /** Which service its user says it is for. */
  readonly nodeService: string
  /** Whether it opens anything, as far as the key itself goes. */
  readonly state: 'enabled' | 'disabled'
  /** True where an operator has disabled it, which its user cannot undo. */
  readonly disabledByOperator: boolean
  /** First and last characters of the text. */
  readonly masked: string
  /** Requests per UTC day; null where the key has no limit beside its user's. */
  readonly dailyLimit: number | null
  /** Requests per UTC month. */
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  readonly createdAt: Date
  /** To the minute; null for a key that was never used. */
  readonly lastUsedAt: Date | null
}
