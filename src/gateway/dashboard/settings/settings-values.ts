import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import type { KeyDetails } from '../keys/key-fields.js'
import type { FormProblems } from '../parts/form.js'

/** Values of all forms of a key's settings, as entered. */
export interface SettingsValues extends KeyDetails {
  /** Requests per UTC day; empty for no limit. */
  readonly dailyLimit: string
  /** Requests per UTC month; empty for no limit. */
  readonly monthlyLimit: string
  /** One entry per line, as in the other lists. */
  readonly addresses: string
  readonly origins: string
  readonly contracts: string
  /** `chosen` restricts the key to `methods`; `all` allows every method. */
  readonly methodChoice: string
  readonly methods: readonly string[]
  readonly jwtId: string
  readonly jwtPublicKey: string
  /** Empty for the algorithm of the key's type. */
  readonly jwtAlgorithm: string
  readonly jwtAudience: string
}

/** Confirmation of a changed setting. */
export interface SettingNotice {
  /** Fragment id of the setting. */
  readonly part: string
  readonly text: string
}

/** Properties of every section of the settings page. */
export interface SettingsProps {
  readonly shown: KeySummary
  readonly limits: DashboardLimits
  readonly values: SettingsValues
  readonly problems?: FormProblems | undefined
  readonly notice: SettingNotice | undefined
  /** IP address of the user. */
  readonly clientAddress: string
}

/** Returns the form values of a key. */
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
