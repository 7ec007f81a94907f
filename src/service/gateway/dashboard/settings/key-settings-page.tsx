import type { KeySummary } from '../../keys/index.js'
import { KeyPage } from '../one-key/key-page.js'
import { Form, FormProblem } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { AllowListSettings } from './allow-list-settings.js'
import { GeneralSettings } from './general-settings.js'
import { type SettingsProps, type SettingsValues, versionOf } from './settings-values.js'
import { StateSettings } from './state-settings.js'

interface KeySettingsPageProps extends SettingsProps {
  readonly shown: KeySummary
  readonly network: string
  /** The values that the key has now; `values` may differ after a refusal. */
  readonly present: SettingsValues
  readonly notice: string | undefined
}

const sections = [
  ['details', 'Name and purpose'],
  ['limits', 'Request limits'],
  ['allow-addresses', 'Client addresses'],
  ['allow-origins', 'Origins'],
  ['allow-contracts', 'Contract addresses'],
  ['allow-methods', 'Methods'],
  ['ends', 'Rotate, disable, delete'],
] as const

/** The settings of a key: one form with a menu of its sections, and the actions that take effect by themselves. */
export function KeySettingsPage({ shown, network, present, notice, ...props }: KeySettingsPageProps) {
  return (
    <KeyPage shown={shown} network={network} tab="/settings">
      {notice && <Notice>{notice}</Notice>}
      <FormProblem problems={props.problems} />
      <div class="sections">
        <nav aria-label="Sections of the settings">
          <ul>
            {sections.map(([id, title]) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <Form action={`/keys/${shown.id}/settings`} class="settings">
            <input type="hidden" name="version" value={versionOf(present)} />
            <GeneralSettings {...props} />
            <AllowListSettings {...props} />
            <div class="save">
              <button type="submit">Save changes</button>
              <p class="muted" data-unsaved hidden>
                Not saved yet.
              </p>
            </div>
          </Form>
          <StateSettings shown={shown} />
        </div>
      </div>
    </KeyPage>
  )
}
