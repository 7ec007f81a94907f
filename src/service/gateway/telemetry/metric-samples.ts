import type { Histogram, Metrics } from './metrics.js'

/** One value with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** The name if it differs from the metric's: a histogram's `_bucket`, `_sum` and `_count`. */
  readonly metricName?: string
}

/** A metric that is computed on each scrape. */
export interface ReadMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  read(): Iterable<Sample>
}

const MILLISECONDS = 1_000

/**
 * Returns the metrics of {@link Metrics} for Prometheus. No label contains a key, an address, or other input
 * of callers.
 */
export function metricsOf(metrics: Metrics): readonly ReadMetric[] {
  return [
    {
      name: 'concordat_requests_total',
      help: 'Answered JSON-RPC requests, each item of a batch counted. The outcome is ok or the name of the error in the contract.',
      type: 'counter',
      read: () => outcomes(metrics.requests, 'method'),
    },
    {
      name: 'concordat_request_duration_seconds',
      help: 'Time from the complete body of a request to its answer.',
      type: 'histogram',
      read: () => durations(metrics.requests, 'method', 'concordat_request_duration_seconds'),
    },
    {
      name: 'concordat_request_node_calls',
      help: 'Calls to nodes for one JSON-RPC request, by its method. Repeated attempts count, cache hits and joined calls do not.',
      type: 'histogram',
      read: () => nodeCalls(metrics.requests, 'concordat_request_node_calls'),
    },
    {
      name: 'concordat_refused_total',
      help: 'HTTP requests refused before their body was read, by the name of the failure in the contract.',
      type: 'counter',
      read: () => counts(metrics.refused, 'failure'),
    },
    {
      name: 'concordat_quota_refusals_total',
      help: 'JSON-RPC requests refused because a request limit is spent.',
      type: 'counter',
      read: () => counts(metrics.quotaRefusals, 'scope'),
    },
    {
      name: 'concordat_node_calls_total',
      help: 'Calls to nodes. The outcome is result, error (of the node) or failed (no usable answer).',
      type: 'counter',
      read: () => outcomes(metrics.nodeCalls, 'node'),
    },
    {
      name: 'concordat_node_call_duration_seconds',
      help: 'Time from a request to a node to its answer.',
      type: 'histogram',
      read: () => durations(metrics.nodeCalls, 'node', 'concordat_node_call_duration_seconds'),
    },
    {
      name: 'concordat_cache_lookups_total',
      help: 'Cache lookups: hit, miss, or joined to an identical call in flight.',
      type: 'counter',
      read: () => lookups(metrics.cacheLookups),
    },
    {
      name: 'concordat_dropped_members_total',
      help: "Members of configured nodes' results that the contract does not list. Answers do not contain them.",
      type: 'counter',
      read: () => droppedMembers(metrics.droppedMembers),
    },
  ]
}

function* lookups(values: Metrics['cacheLookups']): Iterable<Sample> {
  for (const [network, outcomes] of Object.entries(values))
    for (const [outcome, value] of Object.entries(outcomes))
      if (value > 0) yield { labels: { network, outcome }, value }
}

/** Counts whose name is a network's and another, with a space between. */
function* droppedMembers(networks: Metrics['droppedMembers']): Iterable<Sample> {
  for (const [network, members] of networks)
    for (const { name, value } of members.values()) yield { labels: { network, member: name }, value }
}

function* counts(values: ReadonlyMap<string, number>, label: string): Iterable<Sample> {
  for (const [name, value] of values) yield { labels: { [label]: name }, value }
}

type Tallies = Metrics['requests']

function* outcomes({ byNetwork }: Tallies, label: string): Iterable<Sample> {
  for (const [network, names] of byNetwork)
    for (const [name, tally] of names)
      for (const [outcome, value] of tally.outcomes)
        yield { labels: { network, [label]: name, outcome }, value }
}

function* durations({ byNetwork }: Tallies, label: string, metric: string): Iterable<Sample> {
  for (const [network, names] of byNetwork)
    for (const [name, { durations }] of names)
      yield* histogram(durations, { network, [label]: name }, metric, MILLISECONDS)
}

function* nodeCalls({ byNetwork }: Tallies, metric: string): Iterable<Sample> {
  for (const [network, methods] of byNetwork)
    for (const [method, { nodeCalls }] of methods) yield* histogram(nodeCalls, { network, method }, metric)
}

/**
 * Returns the samples of a histogram. Each bucket includes all lower ones (Prometheus exposition format).
 * @param divisor converts the values to the unit of the metric
 */
function* histogram(
  { bounds, classes, sum }: Histogram,
  labels: Sample['labels'],
  metric: string,
  divisor = 1,
): Iterable<Sample> {
  let value = 0
  for (const [at, within] of classes.entries()) {
    value += within
    const bound = bounds[at]
    const le = bound === undefined ? '+Inf' : bound / divisor
    yield { metricName: `${metric}_bucket`, labels: { ...labels, le }, value }
  }
  yield { metricName: `${metric}_sum`, labels, value: sum / divisor }
  yield { metricName: `${metric}_count`, labels, value }
}
