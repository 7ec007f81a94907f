import { Form } from '../parts/form.js'
import { Setting } from './setting.js'
import type { SettingsProps } from './settings-values.js'

/** The forms that rotate, disable, enable and delete a key. */
export function StateSettings({ shown, notice }: SettingsProps) {
  const base = `/keys/${shown.id}`
  const isEnabled = shown.state === 'enabled'
  return (
    <section aria-labelledby="ends">
      <h2 id="ends">Rotate, disable, delete</h2>
      <Setting
        id="rotate"
        title="Rotate"
        about={
          <p>
            Gives this key a new URL. Name, settings and usage stay. The old URL stops working immediately.
          </p>
        }
        notice={notice}
      >
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
        notice={notice}
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
        notice={notice}
      >
        <a class="button danger" href={`${base}/delete`}>
          Delete key…
        </a>
      </Setting>
    </section>
  )
}
