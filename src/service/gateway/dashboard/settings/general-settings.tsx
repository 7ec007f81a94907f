import { DescriptionField, NameField, PurposeFields } from '../keys/key-fields.js'
import { Input } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { Setting } from './setting.js'
import { type SettingsProps, settingTitles } from './settings-values.js'

/** Name, purpose and limits of a key. */
export function GeneralSettings({ limits, values, problems }: SettingsProps) {
  return (
    <>
      <Setting
        id="details"
        title="Name and purpose"
        about={<p>For your own reference. Callers cannot see these texts.</p>}
      >
        <NameField values={values} limits={limits} problems={problems} />
        <DescriptionField values={values} limits={limits} problems={problems} />
        <PurposeFields values={values} problems={problems} />
      </Setting>
      <Setting
        id="limits"
        title="Request limits"
        about={
          <>
            <p>
              All your keys share {numberText(limits.requestsPerUserPerDay)} requests per day. A limit for
              this key leaves requests for your other keys.
            </p>
            <p>
              Calls above a limit are refused with code -32005; <code>data.scope</code> is <code>daily</code>{' '}
              or <code>monthly</code>. Days and months are in UTC.
            </p>
          </>
        }
      >
        {(['dailyLimit', 'monthlyLimit'] as const).map((name) => (
          <Input
            key={name}
            name={name}
            label={settingTitles[name]}
            hint="Empty for no limit."
            value={values[name]}
            inputMode="numeric"
            autocomplete="off"
            problems={problems}
          />
        ))}
      </Setting>
    </>
  )
}
