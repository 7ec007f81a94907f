import { KeyPage } from '../keys/key-page.js'
import { AllowListSettings } from './allow-list-settings.js'
import { GeneralSettings } from './general-settings.js'
import type { SettingsProps } from './settings-values.js'
import { StateSettings } from './state-settings.js'
import { TokenSettings } from './token-settings.js'

interface KeySettingsPageProps extends SettingsProps {
  readonly network: string
}

/** The settings of a key. */
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
