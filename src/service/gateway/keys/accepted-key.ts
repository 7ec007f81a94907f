import type { Network } from '../profiles/index.js'
import type { AccessRules } from '../store/index.js'
import type { PerKeyState } from './per-key-state.js'

/** An enabled API key that a request came with. */
export interface AcceptedKey {
  /** The id of the key, which may be logged. */
  readonly id: string
  readonly userId: string
  readonly network: Network
  /** The key's own limit, in requests per UTC day; null without one. The user's limit applies as well. */
  readonly dailyLimit: number | null
  /** The key's own limit, in requests per UTC month; null without one. */
  readonly monthlyLimit: number | null
  /** The limit that an operator set for the user, in requests per UTC day; null without one. */
  readonly userDailyLimit: number | null
  readonly access: AccessRules
  /** SHA-256 of the text that the request came with, if it is a former one in its grace period. */
  readonly formerDigest?: string | undefined
  /** State of other parts of the service, kept with the key. */
  readonly keyState?: PerKeyState | undefined
}
