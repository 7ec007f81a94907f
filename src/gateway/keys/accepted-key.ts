import type { Network } from '../networks/network.js'
import type { AccessRules } from '../store/access-rules.js'
import type { KeyNotes } from './key-notes.js'

/** A key that was looked up: whom it belongs to and what it opens. */
export interface AcceptedKey {
  readonly id: string
  readonly userId: string
  readonly network: Network
  /** Requests per UTC day that this key may make, beside its user's limit; null where it has no limit of its own. */
  readonly dailyLimit: number | null
  /** The same per UTC month. */
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  /** What other parts hold of it, as long as it is kept. */
  readonly notes?: KeyNotes | undefined
}
