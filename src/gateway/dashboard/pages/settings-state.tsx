import { Form } from '../parts/form.js'
import { Setting } from '../parts/setting.js'
import type { SettingsProps } from '../parts/settings-values.js'

/** What ends a key, for a while or for good. */
export function StateSettings({ shown, notice }: SettingsProps) {
  const base = `/keys/${shown.id}`
  const isEnabled = shown.state === 'enabled'
  return (
    <section aria-labelledby="ends">
      <h2 id="ends">Rotate, disable, delete</h2>
      <Setting
        id="rotate"
        title="Rotate"
        about={<p>A new URL for this key, with its name, settings and usage. The old one is dead at once.</p>}
        notice={notice}
      >
        <a class="button quiet" href={`${base}/rotate`}>
          Rotate the key…
        </a>
      </Setting>
      <Setting
        id="state"
        title={isEnabled ? 'Disable' : 'Enable'}
        about={
          isEnabled ? (
            <p>Calls are refused until you enable it again. It still counts as one of your keys.</p>
          ) : (
            <p>Its URL works again, as before.</p>
          )
        }
        notice={notice}
      >
        {shown.disabledByOperator ? (
          <p>Disabled by whoever runs the service.</p>
        ) : (
          <Form action={`${base}/${isEnabled ? 'disable' : 'enable'}`}>
            <button class={isEnabled ? 'danger' : ''} type="submit">
              {isEnabled ? 'Disable the key' : 'Enable the key'}
            </button>
          </Form>
        )}
      </Setting>
      <Setting
        id="delete"
        title="Delete"
        about={
          <p>For good: its URL is dead at once, and nobody brings it back. You can make another key then.</p>
        }
        notice={notice}
      >
        <a class="button danger" href={`${base}/delete`}>
          Delete the key…
        </a>
      </Setting>
    </section>
  )
}
