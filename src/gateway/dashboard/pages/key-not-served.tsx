import type { KeySummary } from '../../keys/key-summary.js'
import { KeyPage } from '../parts/key-page.js'

interface KeyNotServedPageProps {
  readonly shown: KeySummary
  readonly network: string
  /** The path of the tab. */
  readonly tab: string
}

/** A tab about calls, of a key whose network this process does not serve. */
export function KeyNotServedPage({ shown, network, tab }: KeyNotServedPageProps) {
  return (
    <KeyPage shown={shown} network={network} tab={tab}>
      <p class="notice bad">
        This service does not serve the network of this key: calls with the key are refused here.
      </p>
    </KeyPage>
  )
}
