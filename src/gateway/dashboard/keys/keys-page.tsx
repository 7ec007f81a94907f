import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { Fact } from '../parts/fact.js'
import { Form, type FormProblems, Input } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { Notice } from '../parts/notice.js'
import { State } from '../parts/state.js'
import { Time } from '../parts/time.js'
import { networkTitle } from './network-title.js'

interface KeysPageProps {
  readonly keys: readonly KeySummary[]
  readonly requestsToday: ReadonlyMap<string, number>
  readonly networks: DashboardServices['networks']
  readonly limits: DashboardLimits
  readonly notice?: string | undefined
  readonly renaming?: Renaming | undefined
}

/** The key that is being renamed. */
export interface Renaming {
  readonly id: string
  /** The refused name. */
  readonly typed?: string
  readonly problems?: FormProblems
}

/** The keys of an account. */
export function KeysPage({ keys, requestsToday, networks, limits, notice, renaming }: KeysPageProps) {
  const { keysPerUser } = limits
  return (
    <>
      <div class="heading">
        <h1>Keys</h1>
        {keys.length > 0 && keys.length < keysPerUser && (
          <a class="button" href="/keys/new">
            Create a key
          </a>
        )}
      </div>
      {notice && <Notice>{notice}</Notice>}
      {keys.length === 0 ? (
        <NoKeys />
      ) : (
        <>
          <ul class="cards">
            {keys.map((key) => (
              <KeyCard
                key={key.id}
                shown={key}
                network={networkTitle(networks, key.network)}
                requests={requestsToday.get(key.id) ?? 0}
                limits={limits}
                renaming={renaming?.id === key.id ? renaming : undefined}
              />
            ))}
          </ul>
          <p class="muted">
            {keys.length} of {keysPerUser} keys
            {keys.length === keysPerUser && '. Delete one to create another.'}
          </p>
        </>
      )}
    </>
  )
}

interface KeyCardProps {
  readonly shown: KeySummary
  readonly network: string
  readonly requests: number
  readonly limits: DashboardLimits
  readonly renaming: Renaming | undefined
}

function KeyCard({ shown, network, requests, limits, renaming }: KeyCardProps) {
  const { id, name, description, state, masked, createdAt, lastUsedAt } = shown
  return (
    <li class="card key">
      <h2>
        <a href={`/keys/${id}`}>{name}</a>
        <State isGood={state === 'enabled'} good="enabled" bad="disabled" />
      </h2>
      {renaming && (
        <Form action={`/keys/${id}/name`}>
          <Input
            name="name"
            label="New name"
            value={renaming.typed ?? name}
            autocomplete="off"
            required
            autofocus
            maxLength={limits.keyNameLength}
            problems={renaming.problems}
          />
          <div class="actions">
            <button type="submit">Rename</button>
            <a href="/keys">Cancel</a>
          </div>
        </Form>
      )}
      {description !== '' && <p>{description}</p>}
      <dl class="facts">
        <Fact name="Network">{network}</Fact>
        <Fact name="Key">
          <code>{masked}</code>
        </Fact>
        <Fact name="Requests today">{numberText(requests)}</Fact>
        <Fact name="Created">
          <Time at={createdAt} />
        </Fact>
        <Fact name="Last used">
          <Time at={lastUsedAt} otherwise="never" />
        </Fact>
      </dl>
      <div class="actions">
        {renaming === undefined && (
          <a href={`/keys?rename=${id}`} aria-label={`Rename ${name}`}>
            Rename
          </a>
        )}
        <a href={`/keys/${id}/settings`} aria-label={`Settings of ${name}`}>
          Settings
        </a>
      </div>
    </li>
  )
}

function NoKeys() {
  return (
    <section class="card empty">
      <h2>No keys yet</h2>
      <p>A key has a name and a network. Its URL works immediately.</p>
      <p>
        <a class="button" href="/keys/new">
          Create your first key
        </a>
      </p>
    </section>
  )
}
