import type { KeySummary } from '../../key-summary.js'
import type { DashboardLimits } from '../dashboard-services.js'
import type { FormProblems } from '../parts/form.js'
import { KeyPage } from '../parts/key-page.js'
import type { SettingsValues } from '../parts/settings-values.js'
import { AllowListSettings } from './settings-allow-lists.js'
import { GeneralSettings } from './settings-general.js'
import { StateSettings } from './settings-state.js'
import { TokenSettings } from './settings-tokens.js'

/** What every part of a key's settings is made of. */
export interface SettingsProps {
  readonly shown: KeySummary
  readonly limits: DashboardLimits
  /** What the forms hold. */
  readonly values: SettingsValues
  readonly problems?: FormProblems | undefined
  /** What was just done, by the part of the page that it is said in. */
  readonly notices?: Readonly<Record<string, string>>
  /** Where whoever looks at the page comes from. */
  readonly clientAddress: string
}

interface KeySettingsPageProps extends SettingsProps {
  readonly network: string
}

/** What can be changed of a key. */
export function KeySettingsPage({ network, ...props }: KeySettingsPageProps) {
  return (
    <KeyPage shown={props.shown} network={network} tab="/settings">
      <GeneralSettings {...props} />
      <AllowListSettings {...props} />
      <TokenSettings {...props} />
      <StateSettings {...props} />
    </KeyPage>
  )
}
