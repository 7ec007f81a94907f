import type { KeySummary } from '../../keys/key-summary.js'
import { Confirmation } from '../parts/confirmation.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/number-text.js'
import { Time } from '../parts/time.js'

/** What cannot be undone. */
export type KeyEnd = 'rotate' | 'delete'

interface ConfirmKeyChangePageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly requestsToday: number
  readonly end: KeyEnd
}

const texts: Readonly<Record<KeyEnd, { title: string; says: string; button: string }>> = {
  rotate: {
    title: 'Rotate this key?',
    says: 'Its URL is dead at once, and whatever uses it is refused until it has the new one.',
    button: 'Rotate the key',
  },
  delete: {
    title: 'Delete this key?',
    says: 'Its URL is dead at once, and whatever uses it is refused. Nobody can bring it back.',
    button: 'Delete the key',
  },
}

/** Asks once more, and shows what is at stake. */
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
