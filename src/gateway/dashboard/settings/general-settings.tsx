import { DescriptionField, NameField, PurposeFields } from '../keys/key-fields.js'
import { Form, Input } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { Setting } from './setting.js'
import type { SettingsProps } from './settings-values.js'

/** Name, purpose and limits of a key. */
export function GeneralSettings(props: SettingsProps) {
  return (
    <section aria-labelledby="general">
      <h2 id="general">General</h2>
      <Details {...props} />
      <Limits {...props} />
    </section>
  )
}

function Details({ shown, limits, values, problems, notice }: SettingsProps) {
  return (
    <Setting
      id="details"
      title="Name and purpose"
      about={<p>For your own reference. Callers cannot see these texts.</p>}
      notice={notice}
    >
      <Form action={`/keys/${shown.id}/settings/details`}>
        <NameField values={values} limits={limits} problems={problems} />
        <DescriptionField values={values} limits={limits} problems={problems} />
        <PurposeFields values={values} problems={problems} />
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}

const limitFields = [
  { name: 'dailyLimit', label: 'Requests per day', hint: 'Empty for no limit.' },
  { name: 'monthlyLimit', label: 'Requests per month', hint: 'Empty for no limit.' },
] as const

function Limits({ shown, limits, values, problems, notice }: SettingsProps) {
  return (
    <Setting
      id="limits"
      title="Request limits"
      about={
        <>
          <p>
            All your keys share {numberText(limits.requestsPerUserPerDay)} requests per day. A limit for this
            key leaves requests for your other keys.
          </p>
          <p>
            Calls above a limit are refused with code -32005; <code>data.scope</code> is <code>daily</code> or{' '}
            <code>monthly</code>. Days and months are in UTC.
          </p>
        </>
      }
      notice={notice}
    >
      <Form action={`/keys/${shown.id}/settings/limits`}>
        {limitFields.map(({ name, label, hint }) => (
          <Input
            key={name}
            name={name}
            label={label}
            hint={hint}
            value={values[name]}
            inputMode="numeric"
            autocomplete="off"
            problems={problems}
          />
        ))}
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}
