import type { Network } from '../networks/network.js'
import type { AccessRules } from '../store/access-rules.js'
import type { KeyNotes } from './key-notes.js'

/** An API key that was accepted. */
export interface AcceptedKey {
  /** The id of the key, which may be logged. */
  readonly id: string
  readonly userId: string
  readonly network: Network
  /** The key's own limit in requests per UTC day, below its user's limit; null without one. */
  readonly dailyLimit: number | null
  /** The key's own limit in requests per UTC month; null without one. */
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  /** State that other parts keep per key. */
  readonly notes?: KeyNotes | undefined
}
