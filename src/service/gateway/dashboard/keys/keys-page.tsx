import type { KeyActivity } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { failuresPath } from '../failures/failure-links.js'
import { networkTitle } from '../one-key/network-title.js'
import { CopyUrlButton } from '../parts/code-block.js'
import { Form, type FormProblems, Input } from '../parts/form.js'
import { loweredNote, numberText, shareText } from '../parts/format.js'
import { Notice } from '../parts/notice.js'
import { outcomes } from '../parts/outcomes.js'
import { Sparkline } from '../parts/sparkline.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Badge } from '../parts/state.js'
import { Time } from '../parts/time.js'

interface KeysPageProps {
  readonly keys: readonly KeySummary[]
  readonly activity: ReadonlyMap<string, KeyActivity>
  readonly networks: DashboardServices['networks']
  readonly limits: DashboardLimits
  /** True if an operator lowered the number of keys. */
  readonly isLowered: boolean
  /** The reason that the operator gave; null if there is none. */
  readonly limitsReason: string | null
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

const columns = ['Name', 'Network', 'Last 24 hours', 'Error rate', 'Charged today', 'Last used', 'Actions']

/** The keys of an account. */
export function KeysPage({
  keys,
  activity,
  networks,
  limits,
  isLowered,
  limitsReason,
  notice,
  renaming,
}: KeysPageProps) {
  const { keysPerUser } = limits
  const renamed = keys.find(({ id }) => id === renaming?.id)
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
      {isLowered && <p class="notice">{loweredNote('number of keys', limitsReason)}</p>}
      {renaming !== undefined && renamed !== undefined && (
        <Rename shown={renamed} renaming={renaming} limits={limits} />
      )}
      {keys.length === 0 ? (
        <NoKeys />
      ) : (
        <>
          <StackedTable
            caption="Keys, with the calls of the last 24 hours"
            columns={columns}
            words={2}
            rows={keys.map((key) => rowOf(key, activity.get(key.id), networks, limits))}
          />
          <p class="muted">
            {keys.length} of {keysPerUser} keys
            {keys.length >= keysPerUser && '. Delete one to create another.'}
          </p>
        </>
      )}
    </>
  )
}

const idle: KeyActivity = { chargedToday: 0, hours: [] }

/** The cells of a key. */
function rowOf(
  { id, name, description, state, masked, network, dailyLimit, lastUsedAt }: KeySummary,
  { chargedToday, hours }: KeyActivity = idle,
  networks: DashboardServices['networks'],
  { requestsPerUserPerDay }: DashboardLimits,
) {
  const calls = hours.reduce((sum, hour) => sum + outcomes.reduce((all, each) => all + hour[each], 0), 0)
  const failed = calls - hours.reduce((sum, { result }) => sum + result, 0)
  const limit = Math.min(dailyLimit ?? requestsPerUserPerDay, requestsPerUserPerDay)
  return [
    <>
      <a href={`/keys/${id}`}>{name}</a>
      {state === 'disabled' && <Badge tone="bad">disabled</Badge>}
      <span class="masked">
        <code>{masked}</code>
        {networks.has(network) && <CopyUrlButton of={id} name={name} />}
      </span>
      {description !== '' && <span class="muted">{description}</span>}
    </>,
    <span class="whole" key="network">
      {networkTitle(networks, network)}
    </span>,
    calls === 0 ? (
      'no calls'
    ) : (
      <Sparkline steps={hours} label="Calls by hour in the last 24 hours" key="spark" />
    ),
    failed === 0 ? (
      shareText(failed, calls)
    ) : (
      <a href={failuresPath(id, { isRefused: false })} key="failed">
        {shareText(failed, calls)}
      </a>
    ),
    <span class="share" key="share">
      {numberText(chargedToday)}
      <meter
        aria-label={`Charged requests of ${name} today`}
        min={0}
        max={limit}
        value={Math.min(chargedToday, limit)}
      />
      <span class="muted">
        {shareText(chargedToday, limit)} of {numberText(limit)}
      </span>
    </span>,
    <Time at={lastUsedAt} otherwise="never" key="used" />,
    <span class="actions" key="actions">
      <a href={`/keys?rename=${id}`} aria-label={`Rename ${name}`}>
        Rename
      </a>
      <a href={`/keys/${id}/settings`} aria-label={`Settings of ${name}`}>
        Settings
      </a>
    </span>,
  ]
}

interface RenameProps {
  readonly shown: KeySummary
  readonly renaming: Renaming
  readonly limits: DashboardLimits
}

function Rename({ shown: { id, name }, renaming, limits }: RenameProps) {
  return (
    <section class="card" aria-labelledby="rename">
      <h2 id="rename">Rename {name}</h2>
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
    </section>
  )
}

function NoKeys() {
  return (
    <section class="empty">
      <h2>No keys yet</h2>
      <p>Create a key for a network, copy its URL, and send a first call from its page or from a terminal.</p>
      <p>
        <a class="button" href="/keys/new">
          Create your first key
        </a>
      </p>
    </section>
  )
}
