import { Form, Input } from '../parts/form.js'
import { DescriptionField, NameField, PurposeFields } from '../parts/key-fields.js'
import { numberText } from '../parts/number-text.js'
import { Setting } from '../parts/setting.js'
import type { SettingsProps } from '../parts/settings-values.js'

/** What a key is called and for, and how much of the day's requests it may use. */
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
      about={<p>How you tell your keys apart. Callers see none of it.</p>}
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
  { name: 'dailyLimit', label: 'Requests a day', hint: 'Empty for no limit of its own.' },
  { name: 'monthlyLimit', label: 'Requests a month', hint: 'Empty for none.' },
] as const

function Limits({ shown, limits, values, problems, notice }: SettingsProps) {
  return (
    <Setting
      id="limits"
      title="Limits of requests"
      about={
        <>
          <p>
            All your keys together may make {numberText(limits.requestsPerUserPerDay)} requests a day. Here
            this key gets less, so that it leaves some for the others.
          </p>
          <p>
            Calls beyond a limit are refused with the code -32005; <code>data.scope</code> says{' '}
            <code>daily</code> or <code>monthly</code>. Days and months are those of UTC.
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
