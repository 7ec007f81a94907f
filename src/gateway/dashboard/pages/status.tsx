import type { NetworkState, ServiceStatus } from '../../networks/service-status.js'
import { AsOf } from '../parts/as-of.js'
import { durationText } from '../parts/measures.js'
import { blockText, NetworkFacts } from '../parts/network-facts.js'
import { State } from '../parts/state.js'
import { Table } from '../parts/table.js'

const stateTitles: Readonly<Record<NetworkState['nodes'][number]['state'], string>> = {
  healthy: 'in use',
  lagging: 'behind the others, not asked',
  ahead: 'ahead of the others, not asked',
  open: 'failing, not asked',
  'wrong-chain': 'of another network, not asked',
  unknown: 'not known yet',
}

/** How the service does, for everybody. */
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
          {isWhole ? 'Everything works.' : 'A part of the service does not work at the moment.'}
        </p>
        {networks.map((network) => (
          <NetworkSection network={network} key={network.chainId} />
        ))}
        <section aria-labelledby="database">
          <h2 id="database">Database</h2>
          <p data-live="database">
            <State isGood={isDatabaseAnswering} good="ok" bad="degraded" />{' '}
            {isDatabaseAnswering
              ? 'Accounts, keys and counts are read and written.'
              : 'Accounts and keys cannot be changed. Keys in use go on working for a while.'}
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
