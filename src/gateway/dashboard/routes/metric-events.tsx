import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { render } from 'preact-render-to-string'
import { type KeyMetrics, type MetricRange, metricRanges } from '../../usage/usage-report.js'
import { DashboardError, toldOf } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../network-title.js'
import { ownKey } from '../own-key.js'
import { KeyMetricsPage } from '../pages/key-metrics.js'
import type { Routes } from '../routes.js'
import { shareReads } from '../share-reads.js'
import { readVisit, whoAsks } from '../visit.js'

const tickMs = 1_000
/** Seconds between two looks: longer for periods in which a second shows less, and which cost the database more. */
const lookEvery: Readonly<Record<MetricRange, number>> = { hour: 2, day: 5, week: 15, month: 30 }
/** Pages of one account that are kept live at once. */
const streamsPerUser = 8
const tooMany = 429
const unauthorized = 401
const internalError = 500
const unavailable = 503

/**
 * Adds the stream of server-sent events that keeps a key's metrics live: each holds the page's content anew where
 * something was counted, or tells that nothing was. It ends with the session, the key, and the service.
 */
export function addMetricEvents(
  { scope }: Routes,
  services: DashboardServices,
  rangeOf: (asked: string) => MetricRange,
): void {
  /** However many pages of a key are open, the database is asked once for all of them. */
  const sharedMetrics = (range: MetricRange) =>
    shareReads((keyId) => services.keyMetrics(keyId, range), (lookEvery[range] - 0.5) * tickMs)
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
    const user = await whoAsks(services.accounts, request, reply)
    if (user === undefined) throw new DashboardError(unauthorized, 'You are not logged in.')
    const { params, query, from } = readVisit(request, user)
    await ownKey(services.keys, { params, user })
    const { userId } = user
    if ((open.get(userId) ?? 0) >= streamsPerUser)
      throw new DashboardError(tooMany, 'Too many of your pages are live already.')
    const range = rangeOf(query('range'))
    const ended = new AbortController()
    const stream = Readable.from(
      liveMetrics(
        services,
        async () => {
          // Its headers are sent: a session that went on for longer could not be told to the browser.
          const current = await services.accounts.session(from, { extendSession: false })
          return current && (await look(services, { params, user: current.user }, range, shared[range]))
        },
        lookEvery[range],
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
      // nginx would keep events back.
      'x-accel-buffering': 'no',
    })
    return reply.send(stream)
  })
}

/** What a page shows: its content, and what tells whether that is other than before. */
interface Look {
  readonly at: Date
  readonly html: string
  readonly counted: string
}

async function look(
  { keys, networks }: DashboardServices,
  own: Parameters<typeof ownKey>[1],
  range: MetricRange,
  readMetrics: (keyId: string) => Promise<KeyMetrics>,
): Promise<Look> {
  const key = await ownKey(keys, own)
  const metrics = await readMetrics(key.id)
  const { at, ...counted } = metrics
  const network = networkTitle(networks, key.network)
  const html = render(<KeyMetricsPage shown={key} network={network} range={range} metrics={metrics} />)
  return { at, html, counted: JSON.stringify(counted) }
}

/** Looks again and again, until nobody is logged in or the key is gone. */
async function* liveMetrics(
  { isDraining, onError }: DashboardServices,
  take: () => Promise<Look | undefined>,
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
      const { status } = toldOf(error)
      // While the database is away the page keeps what it shows, and its age.
      if (status !== unavailable) {
        if (status >= internalError) onError(error, 'live metrics could not be read')
        return
      }
    }
    await setTimeout(tickMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
