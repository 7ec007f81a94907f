import type { KeySummary } from '../../keys/index.js'
import { Confirmation } from '../parts/confirmation.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/format.js'
import { Time } from '../parts/time.js'

/** Changes of a key that cannot be undone. */
export type IrreversibleChange = 'rotate' | 'delete'

interface ConfirmKeyChangePageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly chargedToday: number
  readonly end: IrreversibleChange
  /** Grace periods of a rotation to choose from, in hours. */
  readonly graceHours: readonly number[]
}

/** Returns the grace periods of a rotation to choose from: none, one hour, and the longest. */
export const graceChoices = (longest: number): readonly number[] => [
  ...new Set([0, Math.min(1, longest), longest]),
]

const texts: Readonly<Record<IrreversibleChange, { title: string; says: string; button: string }>> = {
  rotate: {
    title: 'Rotate this key?',
    says: 'Name, settings and usage stay. Clients that use the old URL are refused once it has stopped working.',
    button: 'Rotate key',
  },
  delete: {
    title: 'Delete this key?',
    says: 'This URL stops working immediately and cannot be restored.',
    button: 'Delete key',
  },
}

const graceText = (hours: number): string =>
  hours === 0
    ? 'stops working immediately'
    : `works for ${hours === 1 ? 'another hour' : `another ${hours} hours`}, too; both count as one key`

/** Asks for confirmation and shows the key's recent use. */
export function ConfirmKeyChangePage(props: ConfirmKeyChangePageProps) {
  const { shown, network, chargedToday, end, graceHours } = props
  const { title, says, button } = texts[end]
  const { id, name, masked, lastUsedAt } = shown
  const settings = `/keys/${id}/settings`
  return (
    <Confirmation
      title={title}
      text={says}
      action={`/keys/${id}/${end}`}
      button={button}
      isDanger
      fields={
        end === 'rotate' && (
          <fieldset>
            <legend>The old URL</legend>
            {graceHours.map((hours) => (
              <label class="option" key={hours}>
                <input type="radio" name="grace" value={hours} checked={hours === 0} />
                {graceText(hours)}
              </label>
            ))}
          </fieldset>
        )
      }
      back={settings}
      crumbs={
        <>
          <a href="/keys">Keys</a> / <a href={settings}>{name}</a>
        </>
      }
    >
      <dl class="facts card">
        <Fact name="Name">{name}</Fact>
        <Fact name="Network">{network}</Fact>
        <Fact name="Key">
          <code>{masked}</code>
        </Fact>
        <Fact name="Charged today">{numberText(chargedToday)}</Fact>
        <Fact name="Last used">
          <Time at={lastUsedAt} otherwise="never" />
        </Fact>
      </dl>
    </Confirmation>
  )
}
