import type { Accounts, Administration } from '../accounts/account.js'
import type { KeySummary } from '../keys/key-summary.js'
import type { ServiceStatus } from '../networks/service-status.js'
import type { AccountUsage, KeyMetrics, MetricRange } from '../usage/usage-report.js'
import type { ConsoleMethod } from './console-methods.js'
import type { OwnCalls } from './own-calls.js'

/** People, their passwords and sessions. */
export type DashboardAccounts = Omit<Accounts, 'close'>

/** What a new key takes (specification 5.2, 4.3). */
export interface NewDashboardKey {
  readonly user: { readonly id: string }
  readonly network: string
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** What may be changed of a key; a member that is absent stays. */
export interface DashboardKeyChanges {
  readonly name?: string
  readonly description?: string
  readonly useCase?: string
  readonly nodeService?: string
  /** Requests; null for none. */
  readonly dailyLimit?: number | null
  readonly monthlyLimit?: number | null
  /** A list that is null is lifted. */
  readonly access?: { readonly [List in AllowListName]?: readonly string[] | null }
}

/** A key's lists of what it may be used from and for. */
export type AllowListName = 'addresses' | 'origins' | 'contracts' | 'methods'

/** A public key that tokens are to be signed with. */
export interface NewJwtKey {
  readonly id: string
  /** PEM, or a JWK as text. */
  readonly publicKey: string
  readonly algorithm?: string
  readonly audience?: string
}

/** API keys. Methods reject with OperatorError: `invalid_input`, `key_unknown`, `key_limit_reached`. */
export interface DashboardKeys {
  list(filter: { readonly userId: string }): Promise<readonly KeySummary[]>
  create(request: NewDashboardKey): Promise<{ readonly key: KeySummary; readonly text: string }>
  /** The text of a key, to be shown again. */
  show(id: string): Promise<{ readonly text: string }>
  set(id: string, changes: DashboardKeyChanges): Promise<KeySummary>
  addJwtKey(id: string, given: NewJwtKey): Promise<void>
  /** Takes one away; with the last one no token is asked for any more. */
  removeJwtKey(id: string, jwtKeyId: string): Promise<void>
  /** Gives a key a new text; the old one stops working at once. */
  rotate(id: string): Promise<unknown>
  disable(id: string): Promise<unknown>
  enable(id: string): Promise<unknown>
  delete(id: string): Promise<unknown>
}

/** A network as people are shown it. */
export interface DashboardNetwork {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** What URLs begin with: a key's URL is this, a slash and its text. */
  readonly baseUrl: () => string
  /** True when the chain is a development chain of this process. */
  readonly embedded: boolean
  /** Puts values that exist on the network in place of those of the contract's examples. */
  readonly localizeExample: (text: string) => Promise<string>
}

/** The contract's bounds that people are told. */
export interface DashboardLimits {
  readonly requestsPerUserPerDay: number
  readonly keysPerUser: number
  readonly keyNameLength: number
  readonly keyDescriptionLength: number
  readonly logsPerAnswer: number
  readonly blockSpanWithoutLogLimit: number
  readonly batchItems: number
  readonly allowListEntries: number
  readonly jwtKeysPerKey: number
  readonly passwordMinimumLength: number
  readonly passwordMaximumLength: number
  readonly resetLinkMinutes: number
}

/** What the dashboard shows and changes: plain functions, so that it knows no other part of the service. */
export interface DashboardServices {
  readonly accounts: DashboardAccounts
  readonly keys: DashboardKeys
  readonly administration: Administration
  /** Requests of today (UTC) by key id; keys without any are left out. */
  readonly requestsToday: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly keyMetrics: (keyId: string, range: MetricRange) => Promise<KeyMetrics>
  /** What an account has used on the last days, today included. */
  readonly accountUsage: (userId: string, days: number) => Promise<AccountUsage>
  /** How the service does; what is told is a second old at most. */
  readonly status: () => Promise<ServiceStatus>
  readonly networks: ReadonlyMap<string, DashboardNetwork>
  readonly limits: DashboardLimits
  /** The contract's methods, for the console. */
  readonly methods: readonly ConsoleMethod[]
  /** Sends a call as anybody's, for those whose browser runs no scripts. */
  readonly sendCall: OwnCalls['send']
  /** The contract's title. */
  readonly title: string
  /** Path of the contract's reference. */
  readonly referencePath: string
  /** Where people reach the dashboard as configuration says; undefined where it says nothing. */
  readonly publicOrigin: string | undefined
  /** Origins that forms may come from. */
  readonly ownOrigins: () => readonly string[]
  /** True once the service is stopping. */
  readonly isDraining: () => boolean
  /** Binds forms to sessions. */
  readonly csrfSecret: string
  /** Is told what went wrong while a page was made. */
  readonly onError: (error: unknown, what: string) => void
}
