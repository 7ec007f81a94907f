import type { KeySummary } from '../../keys/index.js'
import { Form } from '../parts/form.js'
import { Time } from '../parts/time.js'
import { Setting } from './setting.js'

/** The forms that rotate, disable, enable and delete a key. */
export function StateSettings({ shown }: { readonly shown: KeySummary }) {
  const base = `/keys/${shown.id}`
  const isEnabled = shown.state === 'enabled'
  return (
    <section id="ends" aria-label="Rotate, disable, delete">
      <Setting
        id="rotate"
        title="Rotate"
        about={
          <p>
            Gives this key a new URL. Name, settings and usage stay. The old URL stops working immediately, or
            after a grace period.
          </p>
        }
      >
        {shown.graceUntil !== null && (
          <Form action={`${base}/end-grace`}>
            <p>
              The old URL works until <Time at={shown.graceUntil} />.
            </p>
            <button class="quiet" type="submit">
              End it now
            </button>
          </Form>
        )}
        <a class="button quiet" href={`${base}/rotate`}>
          Rotate key…
        </a>
      </Setting>
      <Setting
        id="state"
        title={isEnabled ? 'Disable' : 'Enable'}
        about={
          isEnabled ? (
            <p>Calls are refused until you enable it again. It still counts as one of your keys.</p>
          ) : (
            <p>The URL works again.</p>
          )
        }
      >
        {shown.disabledByOperator ? (
          <p>An operator has disabled this key.</p>
        ) : (
          <Form action={`${base}/${isEnabled ? 'disable' : 'enable'}`}>
            <button class={isEnabled ? 'danger' : ''} type="submit">
              {isEnabled ? 'Disable key' : 'Enable key'}
            </button>
          </Form>
        )}
      </Setting>
      <Setting
        id="delete"
        title="Delete"
        about={
          <p>The URL stops working immediately and cannot be restored. You can create another key then.</p>
        }
      >
        <a class="button danger" href={`${base}/delete`}>
          Delete key…
        </a>
      </Setting>
    </section>
  )
}
