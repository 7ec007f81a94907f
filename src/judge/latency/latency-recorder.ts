import type { Contract } from '../../toolkit/contract/index.js'
import {
  groupBy,
  type Latency,
  type LatencyNumbers,
  type LatencyPause,
  type LatencySlice,
} from '../report/index.js'
import type { Exchange } from '../send/exchange.js'
import type { LatencyLimit } from './latency-limits.js'

/** Limits of what a report lists. */
const listed = {
  /** Maximum number of equal slices of the run. */
  slices: 60,
  /** Maximum number of pauses, the longest ones. */
  pauses: 5,
  /** Minimum duration of a pause in milliseconds. */
  pauseMilliseconds: 100,
} as const

/** A request. Times are milliseconds since the start of the run. */
interface Timed {
  /** Empty for a batch and for a method that the contract does not have. */
  readonly method: string
  readonly from: number
  readonly to: number
}

/** Measures the answers of a run. */
export interface LatencyRecorder {
  /**
   * Records an exchange that ended now. A request counts if it has a complete answer or timed out. Requests of raw
   * bytes do not count, because some of them are slow on purpose.
   */
  readonly record: (exchange: Exchange) => void
  /** Summarizes the run so far. */
  readonly summary: (limits: readonly LatencyLimit[]) => Latency
}

/** Creates a recorder for the methods of a contract. The run starts now. */
export function createLatencyRecorder(contract: Contract): LatencyRecorder {
  const known = new Set(contract.methods.map(({ name }) => name))
  const start = performance.now()
  const requests: Timed[] = []
  return {
    record({ outgoing: { methods }, reply, trouble, milliseconds }) {
      if (methods === undefined || (reply === undefined && trouble?.kind !== 'timeout')) return
      const to = performance.now() - start
      const [method = '', ...others] = methods
      const isCall = others.length === 0 && known.has(method)
      requests.push({ method: isCall ? method : '', from: to - milliseconds, to })
    },
    summary: (limits) => {
      const byMethod = groupBy(requests, ({ method }) => method)
      const numbersOf = (method: string | undefined) =>
        numbers(method === undefined ? requests : (byMethod.get(method) ?? []))
      const names = [...byMethod.keys()].filter((name) => name !== '').sort()
      return {
        all: numbersOf(undefined),
        methods: names.map((method) => ({ method, ...numbersOf(method) })),
        timeline: slices(requests),
        pauses: pauses(requests),
        limits: limits.map(({ method, measure, milliseconds }) => {
          const measured = numbersOf(method)
          const actual = measured.requests === 0 ? undefined : measured[measure]
          const isExceeded = actual !== undefined && actual > milliseconds
          return { ...(method === undefined ? {} : { method }), measure, milliseconds, actual, isExceeded }
        }),
      }
    },
  }
}

function numbers(requests: readonly Timed[]): LatencyNumbers {
  const sorted = requests.map(({ from, to }) => to - from).sort((one, other) => one - other)
  const percentile = (share: number) => tenths(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return {
    requests: sorted.length,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p99: percentile(0.99),
    max: percentile(1),
  }
}

/** Divides the run into equal slices by the end of requests. Slices without an answer have no entry. */
function slices(requests: readonly Timed[]): readonly LatencySlice[] {
  const end = requests.at(-1)?.to ?? 0
  const length = Math.max(1, Math.ceil(end / listed.slices))
  // Requests are in the order of their end, so slices are, too.
  return [...groupBy(requests, ({ to }) => String(Math.floor(to / length) * length))].map(([at, those]) => {
    const { requests: count, p50, max } = numbers(those)
    return { at: Number(at), milliseconds: length, requests: count, p50, max }
  })
}

/** Finds the longest periods in which requests waited and no answer was completed. */
function pauses(requests: readonly Timed[]): readonly LatencyPause[] {
  const starts = requests.map(({ from }) => from).sort((one, other) => one - other)
  let begun = 0
  let last = 0
  const found = requests.flatMap(({ to }, answered): readonly LatencyPause[] => {
    // With nothing in flight, a pause begins with the next request.
    const at = begun <= answered ? Math.max(last, starts[answered] ?? 0) : last
    while ((starts[begun] ?? Number.POSITIVE_INFINITY) <= to) begun++
    last = to
    const milliseconds = tenths(to - at)
    if (milliseconds < listed.pauseMilliseconds) return []
    return [{ at: tenths(at), milliseconds, waiting: begun - answered }]
  })
  return found.sort((one, other) => other.milliseconds - one.milliseconds).slice(0, listed.pauses)
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
