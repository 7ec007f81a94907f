import { type KeyMetrics, type MetricRange, metricRanges, type Tally } from '../../administration/index.js'
import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import { addDownload, csv } from '../own-download.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { KeyMetricsPage, rangeTitles } from './key-metrics-page.js'
import { addMetricEvents } from './metric-events.js'

/** Returns the asked period if there is one, otherwise the last hour. */
export const rangeOf = (asked: string): MetricRange =>
  Object.hasOwn(metricRanges, asked) ? (asked as MetricRange) : 'hour'

const tallyColumns = [
  'received',
  'results',
  'caller_errors',
  'limit_refusals',
  'service_failures',
  'p50_ms',
  'p95_ms',
  'slowest_ms',
  'node_calls',
  'charged',
]
const tallyCells = ({ requests, charged, outcomes: of, p50, p95, slowest, nodeCalls }: Tally) => [
  requests,
  of.result,
  of.caller,
  of.limit,
  of.service,
  millisecondsText(p50),
  millisecondsText(p95),
  requests === 0 ? '' : millisecondsText(slowest),
  nodeCalls,
  charged,
]
const millisecondsText = (milliseconds: number | null) => milliseconds?.toFixed(3) ?? ''

/** Adds the tab with a key's metrics, its event stream and its downloads. */
export function addMetricsRoutes(routes: Routes, services: DashboardServices): void {
  const { keys, networks, keyMetrics } = services
  routes.own.get('/keys/:id/metrics', async (visit: OwnVisit) => {
    const key = await ownKey(keys, visit)
    const range = rangeOf(visit.query('range'))
    const metrics = await keyMetrics(key.id, range)
    const network = networkTitle(networks, key.network)
    return page(
      `${key.name}: metrics, ${rangeTitles[range].toLowerCase()}`,
      <KeyMetricsPage shown={key} network={network} range={range} metrics={metrics} />,
      { scripts: ['uplot.js', 'live.js'] },
    )
  })
  addMetricEvents(routes, services, rangeOf)
  const addCsv = (name: string, rowsOf: (metrics: KeyMetrics) => Parameters<typeof csv>[1]) =>
    addDownload(routes, services, `/keys/:id/metrics/${name}.csv`, async (visit) => {
      const key = await ownKey(keys, visit)
      const range = rangeOf(visit.query('range'))
      return csv(`${name}-${range}.csv`, rowsOf(await keyMetrics(key.id, range)))
    })
  addCsv('steps', ({ steps }) => [
    ['from', ...tallyColumns],
    ...steps.map((step) => [step.startsAt.toISOString(), ...tallyCells(step)]),
  ])
  addCsv('methods', ({ methods }) => [
    ['method', ...tallyColumns],
    ...methods.map((each) => [each.method, ...tallyCells(each)]),
  ])
}
