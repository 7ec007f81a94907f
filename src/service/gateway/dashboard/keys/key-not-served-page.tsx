import type { KeySummary } from '../../keys/index.js'
import { KeyPage } from '../one-key/key-page.js'

interface KeyNotServedPageProps {
  readonly shown: KeySummary
  readonly network: string
  /** Path of the tab. */
  readonly tab: string
}

/** Replaces the tabs about calls if this process does not serve the key's network. */
export function KeyNotServedPage({ shown, network, tab }: KeyNotServedPageProps) {
  return (
    <KeyPage shown={shown} network={network} tab={tab}>
      <p class="notice bad">
        This service does not serve the network of this key. Calls with the key are refused here.
      </p>
    </KeyPage>
  )
}
