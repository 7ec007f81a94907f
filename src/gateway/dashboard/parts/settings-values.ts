import type { KeySummary } from '../../keys/key-summary.js'
import type { DashboardLimits } from '../dashboard-services.js'
import type { FormProblems } from './form.js'
import type { KeyDetails } from './key-fields.js'

/** Everything that the forms of a key's settings hold, as it is typed. */
export interface SettingsValues extends KeyDetails {
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

/** Something of a key that was just set. */
export interface SettingNotice {
  /** The part of the page, as links lead to it. */
  readonly part: string
  readonly text: string
}

/** What every part of a key's settings is made of. */
export interface SettingsProps {
  readonly shown: KeySummary
  readonly limits: DashboardLimits
  /** What the forms hold. */
  readonly values: SettingsValues
  readonly problems?: FormProblems | undefined
  /** What was just done, and the part of the page that it is said in. */
  readonly notice: SettingNotice | undefined
  /** Where whoever looks at the page comes from. */
  readonly clientAddress: string
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
