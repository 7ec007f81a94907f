import { methods } from '@concordat/node-access-contract/methods'
import type { ComponentChildren } from 'preact'
import { TextArea } from '../parts/form.js'
import { Setting } from './setting.js'
import { allMethods, entriesOf, type SettingsProps, settingTitles } from './settings-values.js'

const names = Object.values(methods).map(({ name }) => name)

/** The allow lists of a key. */
export function AllowListSettings(props: SettingsProps) {
  const { limits, clientAddress } = props
  return (
    <>
      <p class="muted">
        An empty list allows everything. Calls must match every list that has entries. A list can have up to{' '}
        {limits.allowListEntries} entries.
      </p>
      <List
        {...props}
        list="addresses"
        label="Addresses and networks, one per line"
        example={'203.0.113.7\n10.0.0.0/8\n2001:db8::/32'}
        about={
          <>
            <p>IP addresses or networks in CIDR notation. Other clients are refused with status 403.</p>
            <p>
              Your address is <code>{clientAddress}</code>.
            </p>
          </>
        }
      />
      <List
        {...props}
        list="origins"
        label="Origins, one per line"
        example={'https://app.example.com\nhttp://localhost:3000'}
        about={
          <>
            <p>
              Sites whose pages may send calls. Calls without an origin, such as those of servers, are
              refused.
            </p>
            <p>
              <strong>An origin is not a secret.</strong> Browsers send it truthfully, but other programs can
              send any value. The list only keeps other sites from using your key in browsers.
            </p>
          </>
        }
      />
      <List
        {...props}
        list="contracts"
        label="Contract addresses, one per line"
        example={`0x${'1a'.repeat(20)}`}
        about={
          <p>
            Contracts that calls, gas estimates, log filters and transactions may address, and whose code,
            balance and storage can be read. Log filters must then contain an address.
          </p>
        }
      />
      <Methods {...props} />
    </>
  )
}

interface ListProps extends SettingsProps {
  readonly list: 'addresses' | 'origins' | 'contracts'
  readonly label: string
  readonly example: string
  readonly about: ComponentChildren
}

const fewestLines = 3
const mostLines = 10

function List({ values, problems, list, label, example, about }: ListProps) {
  const lines = values[list].split('\n').length + 1
  return (
    <Setting id={`allow-${list}`} title={settingTitles[list]} about={about}>
      <TextArea
        name={list}
        label={label}
        value={values[list]}
        rows={Math.min(Math.max(lines, fewestLines), mostLines)}
        placeholder={example}
        isCode
        problems={problems}
      />
    </Setting>
  )
}

function Methods({ values, problems }: SettingsProps) {
  const problem = problems?.['methods']
  const allowsAll = values.methods === allMethods
  const chosen = allowsAll ? [] : entriesOf(values.methods)
  const radio = (value: string, isChecked: boolean, text: string) => (
    <label class="option">
      <input type="radio" name="methodChoice" value={value} checked={isChecked} />
      {text}
    </label>
  )
  return (
    <Setting
      id="allow-methods"
      title="Methods"
      about={<p>Other methods are refused as unknown, with code -32601.</p>}
    >
      <fieldset class="wide">
        <legend>Allowed methods</legend>
        {radio(allMethods, allowsAll, 'All methods, including future ones')}
        {radio('chosen', !allowsAll, 'Only these:')}
        <div class="options">
          {names.map((name) => (
            <label class="option" key={name}>
              <input type="checkbox" name={`method-${name}`} value="on" checked={chosen.includes(name)} />
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
    </Setting>
  )
}
