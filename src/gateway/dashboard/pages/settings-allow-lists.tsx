import type { ComponentChildren } from 'preact'
import { methods } from '../../../../generated/methods.js'
import type { AllowListName } from '../dashboard-services.js'
import { Form, TextArea } from '../parts/form.js'
import { Setting } from '../parts/setting.js'
import type { SettingsProps } from '../parts/settings-values.js'

const names = Object.values(methods).map(({ name }) => name)

/** Who may use a key, and for what. */
export function AllowListSettings(props: SettingsProps) {
  const { limits, clientAddress } = props
  return (
    <section aria-labelledby="allow-lists">
      <h2 id="allow-lists">Allow lists</h2>
      <p class="muted">
        A list that is empty allows everything. Where several have entries, a call has to fit each of them. A
        list holds up to {limits.allowListEntries} entries.
      </p>
      <List
        {...props}
        list="addresses"
        title="Client addresses"
        label="Addresses and networks, one on a line"
        example={'203.0.113.7\n10.0.0.0/8\n2001:db8::/32'}
        about={
          <>
            <p>IP addresses, or networks as CIDR. Calls from elsewhere are refused with the status 403.</p>
            <p>
              You come from <code>{clientAddress}</code>.
            </p>
          </>
        }
      />
      <List
        {...props}
        list="origins"
        title="Origins"
        label="Origins, one on a line"
        example={'https://app.example.com\nhttp://localhost:3000'}
        about={
          <>
            <p>Sites whose pages may call. Calls that name no origin, as those of servers, are refused.</p>
            <p>
              <strong>An origin is no secret.</strong> Browsers tell the truth about it, other programs say
              what they like. It keeps other sites from using your key in a browser, and nobody else.
            </p>
          </>
        }
      />
      <List
        {...props}
        list="contracts"
        title="Contract addresses"
        label="Addresses of contracts, one on a line"
        example={`0x${'1a'.repeat(20)}`}
        about={
          <p>
            What calls, estimates, filters of logs and transactions may be about, and whose code, balance and
            storage may be asked for. A filter of logs has to name its address then.
          </p>
        }
      />
      <Methods {...props} />
    </section>
  )
}

interface ListProps extends SettingsProps {
  readonly list: Exclude<AllowListName, 'methods'>
  readonly title: string
  readonly label: string
  readonly example: string
  readonly about: ComponentChildren
}

const fewestLines = 3
const mostLines = 10

function List({ shown, values, problems, notice, list, title, label, example, about }: ListProps) {
  const lines = values[list].split('\n').length + 1
  return (
    <Setting id={`allow-${list}`} title={title} about={about} notice={notice}>
      <Form action={`/keys/${shown.id}/settings/${list}`}>
        <TextArea
          name={list}
          label={label}
          value={values[list]}
          rows={Math.min(Math.max(lines, fewestLines), mostLines)}
          placeholder={example}
          isCode
          problems={problems}
        />
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}

function Methods({ shown, values, problems, notice }: SettingsProps) {
  const problem = problems?.['methods']
  const radio = (value: string, text: string) => (
    <label class="option">
      <input type="radio" name="methodChoice" value={value} checked={values.methodChoice === value} />
      {text}
    </label>
  )
  return (
    <Setting
      id="allow-methods"
      title="Methods"
      about={<p>Others are answered as methods that do not exist, with the code -32601.</p>}
      notice={notice}
    >
      <Form action={`/keys/${shown.id}/settings/methods`} class="wide">
        <fieldset>
          <legend>Methods that may be called</legend>
          {radio('all', 'Every method, also those to come')}
          {radio('chosen', 'Only these:')}
          <div class="options">
            {names.map((name) => (
              <label class="option" key={name}>
                <input
                  type="checkbox"
                  name={`method-${name}`}
                  value="on"
                  checked={values.methods.includes(name)}
                />
                <code>{name}</code>
              </label>
            ))}
          </div>
        </fieldset>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">Save</button>
      </Form>
    </Setting>
  )
}
