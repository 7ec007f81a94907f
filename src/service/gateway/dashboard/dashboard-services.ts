import type { Accounts } from '../accounts/index.js'
import type { Administration } from '../administration/index.js'
import type { KeySummary } from '../keys/index.js'
import type { NetworkNodes, ServiceStatus } from '../networks/index.js'
import type { Product } from './product/product.js'
import type { ConsoleMethod } from './setup/console-methods.js'
import type { LoopbackClient } from './setup/loopback-client.js'

/** Accounts, passwords and sessions. */
export type DashboardAccounts = Omit<Accounts, 'close'>

/** Input for a new key (specification 5.2, 4.3). */
export interface NewDashboardKey {
  readonly user: { readonly id: string }
  readonly network: string
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** Changes of a key. Absent members stay as they are. */
export interface DashboardKeyChanges {
  readonly name?: string
  readonly description?: string
  readonly useCase?: string
  readonly nodeService?: string
  /** Requests per UTC day; null removes the limit. */
  readonly dailyLimit?: number | null
  /** Requests per UTC month; null removes the limit. */
  readonly monthlyLimit?: number | null
  /** Null removes a list. */
  readonly access?: { readonly [List in AllowListName]?: readonly string[] | null }
}

/** Names of a key's allow lists. */
export type AllowListName = 'addresses' | 'origins' | 'contracts' | 'methods'

/** Input for the registration of a token's public key. */
export interface NewJwtKey {
  readonly id: string
  /** PEM, or a JWK as text. */
  readonly publicKey: string
  readonly algorithm?: string
  readonly audience?: string
}

/** API keys. Methods reject with OperatorError: `invalid_input`, `key_changed`, `key_unknown`, `key_limit_reached`. */
export interface DashboardKeys {
  list(filter: { readonly userId: string }): Promise<readonly KeySummary[]>
  create(request: NewDashboardKey): Promise<{ readonly key: KeySummary; readonly text: string }>
  /** Decrypts the text of a key. */
  show(id: string): Promise<{ readonly text: string }>
  /** `unchangedSince` is `changedAt` of a summary; if the key has changed since, the change is refused with `key_changed`. */
  set(id: string, changes: DashboardKeyChanges, unchangedSince?: string): Promise<KeySummary>
  addJwtKey(id: string, given: NewJwtKey): Promise<unknown>
  /** Removes a public key. Without public keys, an API key needs no token. */
  removeJwtKey(id: string, jwtKeyId: string): Promise<unknown>
  /** Replaces the text of a key. The old text is accepted for the given hours; 0 for none. */
  rotate(id: string, graceHours: number): Promise<unknown>
  /** Ends the grace period of the old text. */
  endGrace(id: string): Promise<unknown>
  disable(id: string): Promise<unknown>
  enable(id: string): Promise<unknown>
  delete(id: string): Promise<unknown>
}

/** A network that the dashboard shows. */
export interface DashboardNetwork {
  readonly title: string
  /** Name of the chain; undefined if the contract does not state it. */
  readonly chain: string | undefined
  /** Hexadecimal chain id, such as `0x1f`. */
  readonly chainId: string
  /** Base of URLs. A key's URL is the base, a slash and the key's text. */
  readonly baseUrl: () => string
  /** True for the embedded development chain. */
  readonly embedded: boolean
  /** Replaces values in an example of the contract by values that exist on this network. */
  readonly localizeExample: (text: string) => Promise<string>
}

/** The contract's limits that the dashboard shows. */
export interface DashboardLimits {
  readonly requestsPerUserPerDay: number
  readonly quotaWarningPercent: number
  readonly keysPerUser: number
  readonly keyNameLength: number
  readonly keyDescriptionLength: number
  readonly reasonLength: number
  readonly logsPerAnswer: number
  readonly blockSpanWithoutLogLimit: number
  readonly batchItems: number
  readonly allowListEntries: number
  readonly jwtKeysPerKey: number
  readonly rotationGraceHours: number
  readonly failureLogHours: number
  readonly failuresPerKey: number
  readonly failuresPerKeyPerMinute: number
  readonly refusalsPerKey: number
  readonly securityEventsPerAccount: number
  readonly failedLogInEventsPerAccount: number
  readonly securityEventDays: number
  readonly passwordMinimumLength: number
  readonly passwordMaximumLength: number
  readonly resetLinkMinutes: number
}

/** The functions of the service that the dashboard uses. */
export interface DashboardServices extends Omit<Administration, 'keys'> {
  readonly accounts: DashboardAccounts
  readonly keys: DashboardKeys
  /** Status of the service, at most one second old. */
  readonly status: () => Promise<ServiceStatus>
  /** The nodes of each network as this process sees them, with their names: for operators. */
  readonly nodes: () => readonly NetworkNodes[]
  readonly networks: ReadonlyMap<string, DashboardNetwork>
  readonly limits: DashboardLimits
  /** The contract's methods, for the console. */
  readonly methods: readonly ConsoleMethod[]
  /** Sends a call of the console for browsers without scripts. */
  readonly sendCall: LoopbackClient['send']
  readonly product: Product
  /** Names of the contract's pages, by path. */
  readonly pages: Readonly<Record<string, string>>
  /** Path of the contract's reference. */
  readonly referencePath: string
  /** Configured public origin of the dashboard; undefined if it is not configured. */
  readonly publicOrigin: string | undefined
  /** Origins that forms may come from. */
  readonly ownOrigins: () => readonly string[]
  /** True once the service is stopping. */
  readonly isDraining: () => boolean
  /** Secrets of flash messages; the first one signs them, and is the secret of the CSRF tokens. */
  readonly formSecrets: readonly string[]
  /** Logs an internal error. */
  readonly onError: (error: unknown, what: string) => void
}
