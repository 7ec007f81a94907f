import t from 'tap'
import { Metrics } from '../../../../../src/service/gateway/telemetry/index.js'
import { metricsOf } from '../../../../../src/service/gateway/telemetry/metric-samples.js'
import { Histogram } from '../../../../../src/service/gateway/telemetry/metrics.js'
import { durationBounds } from '../../../../../src/service/gateway/usage/index.js'

/** The samples of a metric, as name with labels and value. */
function samples(metrics: Metrics, name: string): readonly (readonly [string, number])[] {
  const metric = metricsOf(metrics).find((each) => each.name === name)
  return [...(metric?.read() ?? [])].map(({ metricName = name, labels, value }) => [
    `${metricName} ${Object.values(labels).join(' ')}`,
    value,
  ])
}

t.test('a duration belongs to the first bucket whose bound it does not exceed', async (t) => {
  const durations = new Histogram(durationBounds)
  for (const bound of durationBounds) durations.add(bound)
  t.same([...durations.classes], [...durationBounds.map(() => 1), 0], 'a bound belongs to its own bucket')
  const longest = durationBounds.at(-1) ?? 0
  durations.add(longest + 1)
  durations.add(0)
  t.equal(durations.classes.at(-1), 1)
  t.equal(durations.classes[0], 2)
})

t.test('buckets of a histogram are cumulative, in seconds', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  for (const milliseconds of [0.1, 3, 30_000])
    metrics.answered('test', 'eth_call', undefined, milliseconds, 0)
  const all = new Map(samples(metrics, 'concordat_request_duration_seconds'))
  const bucket = (le: string) => all.get(`concordat_request_duration_seconds_bucket test eth_call ${le}`)
  t.same(
    [bucket('0.00025'), bucket('0.0025'), bucket('0.005'), bucket('20'), bucket('+Inf')],
    [1, 1, 2, 2, 3],
  )
  t.equal(all.get('concordat_request_duration_seconds_count test eth_call'), 3)
  t.equal(all.get('concordat_request_duration_seconds_sum test eth_call'), 30.0031)
})

t.test('node calls of a request are counted by network and method', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  for (const nodeCalls of [0, 1, 3, 5_000]) metrics.answered('test', 'eth_getLogs', undefined, 1, nodeCalls)
  metrics.answered('main', 'eth_chainId', undefined, 1, 0)
  const all = new Map(samples(metrics, 'concordat_request_node_calls'))
  const of = (end: string) => all.get(`concordat_request_node_calls_${end}`)
  t.same(
    ['0', '1', '2', '5', '2000', '+Inf'].map((le) => of(`bucket test eth_getLogs ${le}`)),
    [1, 2, 2, 3, 3, 4],
  )
  t.same([of('count test eth_getLogs'), of('sum test eth_getLogs')], [4, 5_004])
  t.same([of('count main eth_chainId'), of('sum main eth_chainId')], [1, 0])
})

t.test('outcomes are the contract’s names, and unknown ones share one value', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  metrics.answered('main', 'eth_call', 3, 1, 0)
  metrics.answered('main', undefined, -32601, 1, 0)
  metrics.answered('main', undefined, 12345, 1, 0)
  t.same(samples(metrics, 'concordat_requests_total'), [
    ['concordat_requests_total main eth_call executionReverted', 1],
    ['concordat_requests_total main unknown methodNotFound', 1],
    ['concordat_requests_total main unknown other', 1],
  ])
})

t.test('refusals, cache lookups and node calls are counted', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  metrics.refuse('refusedKey')
  metrics.refuse('refusedKey')
  metrics.refuseQuota('daily')
  const { lookup, call } = metrics.ofNetwork('test')
  lookup('hit')
  call({
    node: 'a',
    method: 'eth_call',
    outcome: 'failed',
    milliseconds: 2,
    batched: 1,
  })
  t.same(samples(metrics, 'concordat_refused_total'), [['concordat_refused_total refusedKey', 2]])
  t.same(samples(metrics, 'concordat_quota_refusals_total'), [['concordat_quota_refusals_total daily', 1]])
  t.same(samples(metrics, 'concordat_cache_lookups_total'), [['concordat_cache_lookups_total test hit', 1]])
  t.same(samples(metrics, 'concordat_node_calls_total'), [['concordat_node_calls_total test a failed', 1]])
})
