import type { Latency, LatencyNumbers } from './report.js'

/** A percentile that is higher than in a previous run, in milliseconds. */
export interface LatencyRegression {
  /** Absent for the requests of all methods together. */
  readonly method?: string
  readonly measure: 'p50' | 'p90' | 'p99'
  readonly before: number
  readonly now: number
}

/** Limits below which a difference is noise. */
const noise = {
  /** Minimum requests of both runs for a percentile, so that one slow request does not decide it. */
  requests: { p50: 10, p90: 20, p99: 200 },
  /** Minimum difference in milliseconds. */
  milliseconds: 20,
} as const

/** Default tolerance of a comparison of latencies, in percent. */
export const latencyTolerance = 50

/**
 * Lists the percentiles that are higher than before by more than the tolerance and by at least 20 ms.
 * @param percent the tolerance
 */
export function latencyRegressions(
  now: Latency | undefined,
  before: Latency | undefined,
  percent: number,
): readonly LatencyRegression[] {
  if (now === undefined || before === undefined) return []
  const of = (current: LatencyNumbers, previous: LatencyNumbers | undefined, name: { method?: string }) =>
    (['p50', 'p90', 'p99'] as const).flatMap((measure) => {
      const least = noise.requests[measure]
      if (previous === undefined || current.requests < least || previous.requests < least) return []
      const [one, other] = [previous[measure], current[measure]]
      const isSlower = other > one * (1 + percent / 100) && other - one >= noise.milliseconds
      return isSlower ? [{ ...name, measure, before: one, now: other }] : []
    })
  const earlier = new Map(before.methods.map((numbers) => [numbers.method, numbers]))
  return [
    ...of(now.all, before.all, {}),
    ...now.methods.flatMap((numbers) => of(numbers, earlier.get(numbers.method), { method: numbers.method })),
  ]
}
