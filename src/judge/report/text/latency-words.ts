import type { LatencyRegression } from '../latency-regressions.js'
import type { CheckedLimit, Latency } from '../report.js'
import { duration } from './words.js'

/** Formats the latencies of a run: all requests, the slowest method, the longest pause, and exceeded limits. */
export function latencyLines({ all, methods, pauses, limits }: Latency): readonly string[] {
  if (all.requests === 0) return []
  const [slowest] = [...methods].sort((one, other) => other.p99 - one.p99)
  const [pause] = pauses
  const parts = [
    `p50 ${duration(all.p50)}, p90 ${duration(all.p90)}, p99 ${duration(all.p99)}, max ${duration(all.max)}`,
    ...(slowest === undefined ? [] : [`slowest ${slowest.method} (p99 ${duration(slowest.p99)})`]),
    ...(pause === undefined ? [] : [`longest pause ${duration(pause.milliseconds)}`]),
  ]
  const exceeded = limits.filter(({ isExceeded }) => isExceeded)
  return [
    `Latency: ${parts.join('; ')}`,
    ...(exceeded.length === 0 ? [] : [`Slower than allowed: ${exceeded.map(limitText).join(', ')}`]),
  ]
}

/** Formats a measured latency and its limit, such as `getBook p99 812 ms (at most 500 ms)`. */
export function limitText({ method = 'all requests', measure, milliseconds, actual }: CheckedLimit): string {
  const measured = actual === undefined ? 'not called' : duration(actual)
  return `${method} ${measure} ${measured} (at most ${duration(milliseconds)})`
}

/** Formats a regression: `getBook p90 80 ms (before 12 ms)`. */
export function slowerText({ method = 'all requests', measure, before, now }: LatencyRegression): string {
  return `${method} ${measure} ${duration(now)} (before ${duration(before)})`
}
