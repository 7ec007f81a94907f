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
  readonly requestsToday: number
  readonly end: IrreversibleChange
}

const texts: Readonly<Record<IrreversibleChange, { title: string; says: string; button: string }>> = {
  rotate: {
    title: 'Rotate this key?',
    says: 'The old URL stops working immediately. Clients are refused until they use the new URL.',
    button: 'Rotate key',
  },
  delete: {
    title: 'Delete this key?',
    says: 'This URL stops working immediately and cannot be restored.',
    button: 'Delete key',
  },
}

/** Asks for confirmation and shows the key's recent use. */
export function ConfirmKeyChangePage({ shown, network, requestsToday, end }: ConfirmKeyChangePageProps) {
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
        <Fact name="Requests today">{numberText(requestsToday)}</Fact>
        <Fact name="Last used">
          <Time at={lastUsedAt} otherwise="never" />
        </Fact>
      </dl>
    </Confirmation>
  )
}
