import { Form, Input, Select, TextArea } from '../parts/form.js'
import { numberText } from '../parts/number-text.js'
import { nodeServiceOptions, useCaseOptions } from '../parts/purposes.js'
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

function Details({ shown, limits, values, problems, notices }: SettingsProps) {
  return (
    <Setting
      id="details"
      title="Name and purpose"
      about={<p>How you tell your keys apart. Callers see none of it.</p>}
      notice={notices?.['details']}
    >
      <Form action={`/keys/${shown.id}/settings/details`}>
        <Input
          name="name"
          label="Name"
          value={values.name}
          autocomplete="off"
          required
          maxLength={limits.keyNameLength}
          problems={problems}
        />
        <TextArea
          name="description"
          label="Description (optional)"
          value={values.description}
          maxLength={limits.keyDescriptionLength}
          problems={problems}
        />
        <Select
          name="useCase"
          label="Use case"
          value={values.useCase}
          options={useCaseOptions(values.useCase)}
          problems={problems}
        />
        <Select
          name="nodeService"
          label="Node service"
          value={values.nodeService}
          options={nodeServiceOptions(values.nodeService)}
          problems={problems}
        />
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}

function Limits({ shown, limits, values, problems, notices }: SettingsProps) {
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
      notice={notices?.['limits']}
    >
      <Form action={`/keys/${shown.id}/settings/limits`}>
        <Input
          name="dailyLimit"
          label="Requests a day"
          hint="Empty for no limit of its own."
          value={values.dailyLimit}
          inputMode="numeric"
          autocomplete="off"
          problems={problems}
        />
        <Input
          name="monthlyLimit"
          label="Requests a month"
          hint="Empty for none."
          value={values.monthlyLimit}
          inputMode="numeric"
          autocomplete="off"
          problems={problems}
        />
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}
