import type { NetworkState, ServiceStatus } from '../../service-status.js'
import { AsOf } from '../parts/as-of.js'
import { durationText } from '../parts/measures.js'
import { numberText } from '../parts/number-text.js'
import { Table } from '../parts/table.js'

const stateTitles: Readonly<Record<NetworkState['nodes'][number]['state'], string>> = {
  healthy: 'in use',
  lagging: 'behind the others, not asked',
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

function NetworkSection({
  network: { title, chainId, head, isAnswering, nodes },
}: {
  readonly network: NetworkState
}) {
  const name = `network-${Number(chainId)}`
  return (
    <section aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      <dl class="facts" data-live={`${name}-facts`}>
        <div>
          <dt>Calls</dt>
          <dd>
            <State isGood={isAnswering} good="answered" bad="no node answers" />
          </dd>
        </div>
        <div>
          <dt>Chain id</dt>
          <dd>
            {Number(chainId)} (<code>{chainId}</code>)
          </dd>
        </div>
        <div>
          <dt>Latest block</dt>
          <dd>{blockText(head)}</dd>
        </div>
      </dl>
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

const blockText = (head: bigint | undefined) =>
  head === undefined ? 'not known yet' : numberText(Number(head))

function State({
  isGood,
  good,
  bad,
}: {
  readonly isGood: boolean
  readonly good: string
  readonly bad: string
}) {
  return <span class={`badge ${isGood ? 'good' : 'bad'}`}>{isGood ? good : bad}</span>
}
