import type { KeySummary } from '../../key-summary.js'

/** Everything that the forms of a key's settings hold, as it is typed. */
export interface SettingsValues {
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
  /** Empty for none. */
  readonly dailyLimit: string
  readonly monthlyLimit: string
  /** Entries of a list stand in lines. */
  readonly addresses: string
  readonly origins: string
  readonly contracts: string
  /** `chosen` where only those of `methods` may be called. */
  readonly methodChoice: string
  readonly methods: readonly string[]
  readonly jwtId: string
  readonly jwtPublicKey: string
  /** Empty for what the kind of the key says. */
  readonly jwtAlgorithm: string
  readonly jwtAudience: string
}

/** The forms as they are before anything is typed. */
export function settingsOf(key: KeySummary): SettingsValues {
  const { name, description, useCase, nodeService, dailyLimit, monthlyLimit, access } = key
  const lines = (entries: readonly string[] | undefined) => (entries ?? []).join('\n')
  return {
    name,
    description,
    useCase,
    nodeService,
    dailyLimit: String(dailyLimit ?? ''),
    monthlyLimit: String(monthlyLimit ?? ''),
    addresses: lines(access.addresses),
    origins: lines(access.origins),
    contracts: lines(access.contracts),
    methodChoice: access.methods === undefined ? 'all' : 'chosen',
    methods: access.methods ?? [],
    jwtId: '',
    jwtPublicKey: '',
    jwtAlgorithm: '',
    jwtAudience: '',
  }
}
