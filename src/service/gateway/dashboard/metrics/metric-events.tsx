import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { render } from 'preact-render-to-string'
import { type KeyMetrics, type MetricRange, metricRanges } from '../../administration/index.js'
import { DashboardError, toDashboardError } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import type { Routes } from '../routes.js'
import { findUser, readVisit } from '../visit.js'
import { coalesceReads } from './coalesce-reads.js'
import { KeyMetricsPage } from './key-metrics-page.js'

const tickMs = 1_000
/** Seconds between updates. Long ranges change slowly and cost the database more. */
const refreshSeconds: Readonly<Record<MetricRange, number>> = { hour: 2, day: 5, week: 15, month: 30 }
/** Concurrent event streams of one account. */
const streamsPerUser = 8
const tooMany = 429
const unauthorized = 401
const internalError = 500
const unavailable = 503

/**
 * Adds the stream of server-sent events for live metrics. The event `content` carries the new page content; `at`
 * carries the time if nothing has changed. The stream ends with the session, the key or the service.
 */
export function addMetricEvents(
  { scope }: Routes,
  services: DashboardServices,
  rangeOf: (asked: string) => MetricRange,
): void {
  // All open pages of a key share one query.
  const sharedMetrics = (range: MetricRange) =>
    coalesceReads((keyId) => services.keyMetrics(keyId, range), (refreshSeconds[range] - 0.5) * tickMs)
  const shared = Object.fromEntries(
    Object.keys(metricRanges).map((range) => [range, sharedMetrics(range as MetricRange)]),
  ) as Record<MetricRange, ReturnType<typeof sharedMetrics>>
  const open = new Map<string, number>()
  const count = (userId: string, more: 1 | -1) => {
    const streams = (open.get(userId) ?? 0) + more
    if (streams === 0) open.delete(userId)
    else open.set(userId, streams)
  }

  scope.get('/keys/:id/metrics/events', { exposeHeadRoute: false }, async (request, reply) => {
    const user = await findUser(services.accounts, request, reply)
    if (user === undefined) throw new DashboardError(unauthorized, 'Log in to see this page.')
    const { params, query, from } = readVisit(request, user)
    await ownKey(services.keys, { params, user })
    const { userId } = user
    if ((open.get(userId) ?? 0) >= streamsPerUser)
      throw new DashboardError(tooMany, 'Too many live pages are open. Close one of them.')
    const range = rangeOf(query('range'))
    const ended = new AbortController()
    const stream = Readable.from(
      liveMetrics(
        services,
        async () => {
          // The response headers are already sent, so an extended session could not set its cookie.
          const current = await services.accounts.session(from, { extendSession: false })
          return (
            current && (await readSnapshot(services, { params, user: current.user }, range, shared[range]))
          )
        },
        refreshSeconds[range],
        ended.signal,
      ),
    )
    count(userId, 1)
    stream.once('close', () => {
      ended.abort()
      count(userId, -1)
    })
    reply.headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Without this header, nginx would buffer the events.
      'x-accel-buffering': 'no',
    })
    return reply.send(stream)
  })
}

/** The content of the page at one time. `counted` changes if and only if the metrics change. */
interface Snapshot {
  readonly at: Date
  readonly html: string
  readonly counted: string
}

async function readSnapshot(
  { keys, networks }: DashboardServices,
  own: Parameters<typeof ownKey>[1],
  range: MetricRange,
  readMetrics: (keyId: string) => Promise<KeyMetrics>,
): Promise<Snapshot> {
  const key = await ownKey(keys, own)
  const metrics = await readMetrics(key.id)
  const { at, ...counted } = metrics
  const network = networkTitle(networks, key.network)
  const html = render(<KeyMetricsPage shown={key} network={network} range={range} metrics={metrics} />)
  return { at, html, counted: JSON.stringify(counted) }
}

/** Generates events until the session ends or the key is deleted. */
async function* liveMetrics(
  { isDraining, onError }: DashboardServices,
  take: () => Promise<Snapshot | undefined>,
  every: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let shown = ''
  for (let tick = 0; !isDraining() && !signal.aborted; tick += 1) {
    try {
      const taken = tick % every === 0 ? await take() : 'later'
      if (taken === undefined) return
      if (taken !== 'later') {
        yield taken.counted === shown
          ? `event: at\ndata: ${taken.at.toISOString()}\n\n`
          : `event: content\ndata: ${taken.html.replaceAll('\n', '\ndata: ')}\n\n`
        shown = taken.counted
      }
    } catch (error) {
      const { status } = toDashboardError(error)
      // While the database is unavailable, the page keeps its last content.
      if (status !== unavailable) {
        if (status >= internalError) onError(error, 'live metrics could not be read')
        return
      }
    }
    await setTimeout(tickMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
