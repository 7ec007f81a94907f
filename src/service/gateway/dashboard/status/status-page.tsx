import type { NetworkState, ServiceStatus } from '../../networks/index.js'
import { blockText, NetworkFacts } from '../networks/network-facts.js'
import { AsOf } from '../parts/as-of.js'
import { durationText } from '../parts/format.js'
import { State } from '../parts/state.js'
import { Table } from '../parts/table.js'

/** Titles of the states of nodes. */
export const stateTitles: Readonly<Record<NetworkState['nodes'][number]['state'], string>> = {
  ok: 'in use',
  limited: 'limited',
  failing: 'failing',
  syncing: 'syncing',
  stale: 'its latest block is old',
  behind: 'behind the others',
  ahead: 'ahead of the others',
  'wrong-network': 'wrong network',
  unreachable: 'unreachable',
}

/** The public status page. */
export function StatusPage({ status }: { readonly status: ServiceStatus }) {
  const { networks, isDatabaseAnswering, at } = status
  const isAvailable = isDatabaseAnswering && networks.every(({ readiness }) => readiness !== 'no node')
  const isWhole = isAvailable && networks.every(({ readiness }) => readiness === 'ok')
  const degraded = isAvailable
    ? 'Parts of the service are degraded.'
    : 'Parts of the service are not available.'
  return (
    <>
      <div class="heading">
        <h1>Status</h1>
        <AsOf at={at} />
      </div>
      <div data-reload>
        <p class={`notice ${isWhole ? 'good' : 'bad'}`} data-live="whole">
          {isWhole ? 'All systems are operational.' : degraded}
        </p>
        {networks.map((network) => (
          <NetworkSection network={network} key={network.chainId} />
        ))}
        <section class="card" aria-labelledby="database">
          <h2 id="database">Database</h2>
          <p data-live="database">
            <State isGood={isDatabaseAnswering} good="ok" bad="degraded" />{' '}
            {isDatabaseAnswering
              ? 'The database is available.'
              : 'The database is not available. Accounts and keys cannot be changed. Keys in use keep working for a while.'}
          </p>
        </section>
      </div>
    </>
  )
}

function NetworkSection({ network }: { readonly network: NetworkState }) {
  const { title, chainId, nodes } = network
  const name = `network-${Number(chainId)}`
  return (
    <section class="card" aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      <NetworkFacts name={`${name}-facts`} network={network} />
      <Table
        name={`${name}-nodes`}
        caption={`Nodes of the ${title.toLowerCase()}`}
        columns={['Node', 'State', 'Latest block', 'Latency']}
        words={2}
        rows={nodes.map((node, place) => [
          `Node ${place + 1}`,
          stateTitles[node.state],
          blockText(node.head),
          durationText(node.latencyMs),
        ])}
      />
    </section>
  )
}
