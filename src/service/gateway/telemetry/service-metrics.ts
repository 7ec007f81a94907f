import { type NodeStatus, nodeStates } from '../nodes/index.js'
import type { Served } from '../profiles/index.js'
import type { PoolState } from '../store/index.js'
import { metricsOf, type ReadMetric, type Sample } from './metric-samples.js'
import type { Metrics } from './metrics.js'

/** Sources of the metrics. */
export interface MetricSources {
  readonly metrics: Metrics
  /** The head and the nodes of each served network. */
  readonly networks: Served<{ head(): bigint | undefined; status(): readonly NodeStatus[] }>
  /** The number of open client connections, and of connections refused over the limit. */
  readonly connections: () => { readonly open: number; readonly turnedAway: number }
  /** The number of queued requests. */
  readonly queued: () => number
  /**
   * The number of users with a quota lease in this process, and of the remaining requests of these leases.
   */
  readonly leases: () => { readonly users: number; readonly requests: number }
  /** The connections to the database server; undefined for the embedded database. */
  readonly pool: (() => PoolState) | undefined
  /** Versions of the program, the contract and Node.js, as labels. */
  readonly build: Readonly<Record<string, string>>
}

/** All metrics of the service. */
export function serviceMetrics(sources: MetricSources): readonly ReadMetric[] {
  const { connections, queued, leases, build } = sources
  const single = (value: number): readonly Sample[] => [{ labels: {}, value }]
  return [
    ...metricsOf(sources.metrics),
    ...nodeMetrics(sources),
    ...poolMetrics(sources),
    {
      name: 'concordat_build_info',
      help: 'Always 1; the labels are the versions of the program, the contract and Node.js.',
      type: 'gauge',
      read: () => [{ labels: build, value: 1 }],
    },
    {
      name: 'concordat_connections',
      help: 'Open connections of callers.',
      type: 'gauge',
      read: () => single(connections().open),
    },
    {
      name: 'concordat_connections_turned_away_total',
      help: 'Connections closed immediately because the maximum number was open.',
      type: 'counter',
      read: () => single(connections().turnedAway),
    },
    {
      name: 'concordat_queued_requests',
      help: 'Queued requests, whose users already have the maximum number of concurrent requests.',
      type: 'gauge',
      read: () => single(queued()),
    },
    {
      name: 'concordat_leases',
      help: 'Users for whom this process has a lease.',
      type: 'gauge',
      read: () => single(leases().users),
    },
    {
      name: 'concordat_leased_requests',
      help: 'Remaining requests in the leases of this process.',
      type: 'gauge',
      read: () => single(leases().requests),
    },
  ]
}

function poolMetrics({ pool }: MetricSources): readonly ReadMetric[] {
  if (pool === undefined) return []
  return [
    {
      name: 'concordat_database_connections',
      help: 'Connections to the database server, busy or idle.',
      type: 'gauge',
      read() {
        const { busy, idle } = pool()
        return Object.entries({ busy, idle }).map(([state, value]) => ({ labels: { state }, value }))
      },
    },
    {
      name: 'concordat_database_waiting',
      help: 'Statements that wait for a connection to the database server.',
      type: 'gauge',
      read: () => [{ labels: {}, value: pool().waiting }],
    },
  ]
}

function nodeMetrics({ networks, metrics }: MetricSources): readonly ReadMetric[] {
  function* each(
    values: (node: NodeStatus, network: string, head: bigint | undefined) => Iterable<Sample>,
  ): Iterable<Sample> {
    for (const [network, { head, status }] of Object.entries(networks))
      for (const node of status()) yield* values(node, network, head())
  }
  return [
    {
      name: 'concordat_head_block',
      help: 'Number of the most recent block that the service uses.',
      type: 'gauge',
      *read() {
        for (const [network, { head }] of Object.entries(networks)) {
          const number = head()
          if (number !== undefined) yield { labels: { network }, value: Number(number) }
        }
      },
    },
    {
      name: 'concordat_node_state',
      help: 'State of a node: 1 for its current state, 0 for the others.',
      type: 'gauge',
      read: () =>
        each(({ name, state }, network) =>
          nodeStates.map((one) => ({
            labels: { network, node: name, state: one },
            value: one === state ? 1 : 0,
          })),
        ),
    },
    {
      name: 'concordat_contract_violations_total',
      help: 'Forwarded answers of a node that lack members required by the contract.',
      type: 'counter',
      // From 0 on: the alert needs the increase of the first one.
      read: () =>
        each(({ name }, network) => [
          {
            labels: { network, node: name },
            value: metrics.contractViolations.get(`${network} ${name}`) ?? 0,
          },
        ]),
    },
    {
      name: 'concordat_node_lag_blocks',
      help: 'Number of blocks by which a node lags behind the head of its network.',
      type: 'gauge',
      read: () =>
        each(({ name, head }, network, newest) => {
          if (head === undefined || newest === undefined) return []
          return [{ labels: { network, node: name }, value: Math.max(0, Number(newest - head)) }]
        }),
    },
    {
      name: 'concordat_node_calls_in_flight',
      help: 'Calls in flight to a node.',
      type: 'gauge',
      read: () =>
        each(({ name, inFlight }, network) => [{ labels: { network, node: name }, value: inFlight }]),
    },
  ]
}
