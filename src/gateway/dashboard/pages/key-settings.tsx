import { KeyPage } from '../parts/key-page.js'
import type { SettingsProps } from '../parts/settings-values.js'
import { AllowListSettings } from './settings-allow-lists.js'
import { GeneralSettings } from './settings-general.js'
import { StateSettings } from './settings-state.js'
import { TokenSettings } from './settings-tokens.js'

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
