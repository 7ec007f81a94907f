import { sql } from 'drizzle-orm'
import type { RefusingRule } from '../keys/index.js'
import type { Database } from '../store/index.js'
import { usageHours, usageMinutes } from '../store/index.js'
import { freeRequests } from './free-requests.js'
import { isCall } from './is-call.js'
import { durationBounds, refusedPrefix } from './usage.js'
import { type KeyMetrics, type MetricRange, metricRanges, outcomeOf, type Tally } from './usage-report.js'

const MILLISECONDS_PER_SECOND = 1_000
const MICROSECONDS_PER_MILLISECOND = 1_000
const SECONDS_PER_HOUR = 3_600

/** SQL that sums the counts of each duration class. */
const summedDurations = sql.raw(
  `array[${Array.from({ length: durationBounds.length + 1 }, (_, at) => `coalesce(sum(durations[${at + 1}]), 0)`).join(', ')}]::bigint[]`,
)

/** Counts of one error code, for a step or for a method. */
interface Counted {
  /** Start of the step, in seconds since 1970; null in the rows by method. */
  readonly step: number | null
  readonly method: string | null
  readonly code: number
  readonly requests: number
  readonly slowest: number
  readonly durations: readonly number[]
  readonly nodeCalls: number
  readonly free: number
}

/** The refused requests of one rule. */
interface RefusedJson {
  readonly method: string
  readonly requests: number
  /** In seconds since 1970. */
  readonly last: number
}

/**
 * Reads the metrics of keys, all together. Counts of other processes may be up to ten seconds old.
 * @param range period that ends now
 */
export async function readKeyMetrics(
  db: Database,
  keyIds: readonly string[],
  range: MetricRange,
): Promise<KeyMetrics> {
  const isOfKeys = sql`key_id = any(${sql.param(keyIds)}::text[])`
  const { stepSeconds, steps } = metricRanges[range]
  const table = stepSeconds < SECONDS_PER_HOUR ? usageMinutes : usageHours
  const step = sql`${stepSeconds}::bigint`
  const [row] = await db.execute<{
    at: string
    rows: readonly Counted[] | null
    refused: readonly RefusedJson[] | null
  }>(sql`
    with moment as (
      select extract(epoch from now()) as at, floor(extract(epoch from now()) / ${step})::bigint * ${step} as last
    ),
    counted as (
      select floor(extract(epoch from starts_at) / ${step})::bigint * ${step} as step, method, code,
        sum(requests) as requests, max(slowest_microseconds) as slowest, ${summedDurations} as durations,
        sum(node_calls) as "nodeCalls", sum(${freeRequests}) as free
      from ${table}, moment
      where ${isOfKeys} and ${isCall}
        and starts_at >= to_timestamp(last - ${steps - 1}::bigint * ${step})
      group by grouping sets ((1, code), (method, code))
    ),
    refused as (
      select method, sum(requests) as requests, extract(epoch from coalesce(
        (select max(starts_at) from ${usageMinutes} as minutes
          where ${isOfKeys} and minutes.method = counted.method),
        max(starts_at))) as last
      from ${table} as counted, moment
      where ${isOfKeys} and not (${isCall})
        and starts_at >= to_timestamp(last - ${steps - 1}::bigint * ${step})
      group by method
    )
    select at, (select json_agg(counted) from counted) as rows, (select json_agg(refused) from refused) as refused
    from moment`)
  const at = Number(row?.at ?? 0)
  const rows = row?.rows ?? []
  const last = Math.floor(at / stepSeconds) * stepSeconds
  const byStep = groupBy(
    rows.filter(({ method }) => method === null),
    ({ step }) => step,
  )
  const byMethod = groupBy(
    rows.filter(({ step }) => step === null),
    ({ method }) => method,
  )
  const all = [...byMethod.values()].flat()
  return {
    at: new Date(at * MILLISECONDS_PER_SECOND),
    total: tallyOf(all),
    steps: Array.from({ length: steps }, (_, n) => {
      const startsAt = last - (steps - 1 - n) * stepSeconds
      return {
        startsAt: new Date(startsAt * MILLISECONDS_PER_SECOND),
        ...tallyOf(byStep.get(startsAt) ?? []),
      }
    }),
    methods: [...byMethod]
      .map(([method, counted]) => ({ method: method ?? '', ...tallyOf(counted) }))
      .sort(mostFirst),
    errors: all
      .filter(({ code }) => code !== 0)
      .map(({ method, code, requests }) => ({ method: method ?? '', code, requests }))
      .sort(mostFirst),
    refusals: (row?.refused ?? [])
      .map(({ method, requests, last }) => ({
        rule: method.slice(refusedPrefix.length) as RefusingRule,
        requests,
        lastAt: new Date(last * MILLISECONDS_PER_SECOND),
      }))
      .sort(mostFirst),
  }
}

const mostFirst = (one: { requests: number }, other: { requests: number }) => other.requests - one.requests

function groupBy<K>(rows: readonly Counted[], keyOf: (row: Counted) => K): Map<K, Counted[]> {
  const groups = new Map<K, Counted[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}

function tallyOf(rows: readonly Counted[]): Tally {
  const outcomes = { result: 0, caller: 0, limit: 0, service: 0 }
  const durations: number[] = []
  let requests = 0
  let slowest = 0
  let nodeCalls = 0
  let charged = 0
  for (const row of rows) {
    outcomes[outcomeOf(row.code)] += row.requests
    requests += row.requests
    nodeCalls += row.nodeCalls
    charged += row.requests - row.free
    slowest = Math.max(slowest, row.slowest / MICROSECONDS_PER_MILLISECOND)
    for (const [at, count] of row.durations.entries()) durations[at] = (durations[at] ?? 0) + count
  }
  const estimate = (quantile: number) => estimateQuantile(durations, quantile, slowest) ?? null
  return { outcomes, requests, charged, p50: estimate(0.5), p95: estimate(0.95), slowest, nodeCalls }
}

/**
 * Estimates a quantile from counts by class, assuming that durations are spread evenly within a class.
 * @param counts counts by class
 * @param quantile for example 0.95 for the 95th percentile
 * @param slowest longest duration, in milliseconds
 * @returns milliseconds; undefined without counts
 */
export function estimateQuantile(
  counts: readonly number[],
  quantile: number,
  slowest: number,
): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let before = 0
  for (const [at, count] of counts.entries()) {
    if (count > 0 && before + count >= quantile * total) {
      const from = at === 0 ? 0 : (durationBounds[at - 1] ?? 0)
      const to = Math.max(from, Math.min(durationBounds[at] ?? slowest, slowest))
      return from + ((quantile * total - before) / count) * (to - from)
    }
    before += count
  }
  return slowest
}
