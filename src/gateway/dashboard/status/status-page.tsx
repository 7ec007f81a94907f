import type { NetworkState, ServiceStatus } from '../../networks/index.js'
import { blockText, NetworkFacts } from '../networks/network-facts.js'
import { AsOf } from '../parts/as-of.js'
import { durationText } from '../parts/format.js'
import { State } from '../parts/state.js'
import { Table } from '../parts/table.js'

const stateTitles: Readonly<Record<NetworkState['nodes'][number]['state'], string>> = {
  healthy: 'in use',
  lagging: 'lagging, not in use',
  ahead: 'ahead of the others, not in use',
  open: 'failing, not in use',
  'wrong-chain': 'wrong network, not in use',
  unknown: 'unknown',
}

/** The public status page. */
export function StatusPage({ status }: { readonly status: ServiceStatus }) {
  const { networks, isDatabaseAnswering, at } = status
  const isWhole = isDatabaseAnswering && networks.every(({ isAnswering }) => isAnswering)
  return (
    <>
      <div class="heading">
        <h1>Status</h1>
        <AsOf at={at} />
      </div>
      <div data-reload>
        <p class={`notice ${isWhole ? 'good' : 'bad'}`} data-live="whole">
          {isWhole ? 'All systems are operational.' : 'Parts of the service are not available.'}
        </p>
        {networks.map((network) => (
          <NetworkSection network={network} key={network.chainId} />
        ))}
        <section aria-labelledby="database">
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
    <section aria-labelledby={name}>
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
