import type { KeySummary } from '../../key-summary.js'
import type { Network } from '../../network.js'
import type { DashboardNetwork } from '../dashboard-services.js'
import { Notice } from '../parts/notice.js'
import { numberText } from '../parts/number-text.js'
import { Time } from '../parts/time.js'

interface KeysPageProps {
  readonly keys: readonly KeySummary[]
  readonly requestsToday: ReadonlyMap<string, number>
  readonly networks: Readonly<Record<Network, DashboardNetwork>>
  readonly keysPerUser: number
  readonly notice?: string | undefined
}

/** The keys of an account. */
export function KeysPage({ keys, requestsToday, networks, keysPerUser, notice }: KeysPageProps) {
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
                network={networks[key.network].title}
                requests={requestsToday.get(key.id) ?? 0}
              />
            ))}
          </ul>
          <p class="muted">
            {keys.length} of {keysPerUser} keys
            {keys.length === keysPerUser && '. Delete one to make another.'}
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
}

function KeyCard({ shown, network, requests }: KeyCardProps) {
  const { id, name, description, state, masked, createdAt, lastUsedAt } = shown
  return (
    <li class="card key">
      <h2>
        <a href={`/keys/${id}`}>{name}</a>
        {state === 'enabled' ? (
          <span class="badge good">enabled</span>
        ) : (
          <span class="badge bad">disabled</span>
        )}
      </h2>
      {description !== '' && <p>{description}</p>}
      <dl class="facts">
        <div>
          <dt>Network</dt>
          <dd>{network}</dd>
        </div>
        <div>
          <dt>Key</dt>
          <dd>
            <code>{masked}</code>
          </dd>
        </div>
        <div>
          <dt>Requests today</dt>
          <dd>{numberText(requests)}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>{lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}</dd>
        </div>
      </dl>
    </li>
  )
}

function NoKeys() {
  return (
    <section class="card empty">
      <h2>No keys yet</h2>
      <p>A key takes a name and a network. Its URL works at once.</p>
      <p>
        <a class="button" href="/keys/new">
          Create your first key
        </a>
      </p>
    </section>
  )
}
