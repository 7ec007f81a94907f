import { errorTable } from '@concordat/node-access-contract/errors'
import type { RefusingRule } from '../keys/index.js'

/** Periods of metrics, divided into steps. The last step is the current one; all steps divide a day evenly. */
export const metricRanges = {
  hour: { stepSeconds: 60, steps: 60 },
  day: { stepSeconds: 900, steps: 96 },
  week: { stepSeconds: 10_800, steps: 56 },
  month: { stepSeconds: 21_600, steps: 120 },
} as const

export type MetricRange = keyof typeof metricRanges

/** Classification of answers: result, client error, exceeded limit, server error. */
export type Outcome = 'result' | 'caller' | 'limit' | 'service'

const outcomesByCode = new Map<number, Outcome>([
  [0, 'result'],
  [errorTable.limitExceeded.code, 'limit'],
  [errorTable.internalError.code, 'service'],
  [errorTable.unavailable.code, 'service'],
])

/**
 * Classifies an answer.
 * @param code error code; 0 for a result
 */
export const outcomeOf = (code: number): Outcome => outcomesByCode.get(code) ?? 'caller'

const messagesByCode = new Map<number, string>(
  Object.values(errorTable).map(({ code, message }) => [code, message]),
)

/** Returns the contract's message for an error code; empty for an unknown code. */
export const errorMessage = (code: number): string => messagesByCode.get(code) ?? ''

/** Received requests by outcome, with their latencies. */
export interface Tally {
  readonly outcomes: Readonly<Record<Outcome, number>>
  /** Requests of all outcomes. */
  readonly requests: number
  /** Those of them that count against the daily limit. */
  readonly charged: number
  /** Estimated median latency in milliseconds; null without calls. */
  readonly p50: number | null
  /** Estimated 95th percentile of the latency in milliseconds; null without calls. */
  readonly p95: number | null
  /** Highest latency in milliseconds. */
  readonly slowest: number
  /** Calls that the service sent to nodes for these calls. */
  readonly nodeCalls: number
}

/** Metrics of one or several keys in a period. */
export interface KeyMetrics {
  /** Time of the query. Calls of other processes in the last ten seconds may be missing. */
  readonly at: Date
  readonly total: Tally
  /** Steps of the period, oldest first. */
  readonly steps: readonly (Tally & { readonly startsAt: Date })[]
  /** Methods, most called first. The empty name stands for unknown methods. */
  readonly methods: readonly (Tally & { readonly method: string })[]
  /** Errors by method and code, most frequent first. The empty method stands for unknown methods. */
  readonly errors: readonly { readonly method: string; readonly code: number; readonly requests: number }[]
  /** Requests that the keys' own rules refused, most frequent first. They are no calls, and free of charge. */
  readonly refusals: readonly Refusal[]
}

/** The requests that one rule of keys refused. */
interface Refusal {
  readonly rule: RefusingRule
  readonly requests: number
  /** Minute of the last one. */
  readonly lastAt: Date
}

/**
 * Requests of an account on one UTC day. `received` is the sum of `answered`, `unanswered` and `refused`. Requests that
 * the rules of a key refused are not read, and are not in it.
 */
export interface DayUsage {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly received: number
  /** Requests that count against the daily limit: those that are answered or unanswered. */
  readonly charged: number
  /** Charged requests with an answer: a result or an error. */
  readonly answered: number
  /** Charged requests whose callers disconnected, or whose process ended, before the answer. */
  readonly unanswered: number
  /** Requests that were refused free of charge, such as by a limit or because of their size. */
  readonly refused: number
  /** Answered requests whose answer was an error. */
  readonly failed: number
  /** Calls that the service sent to nodes for these requests. */
  readonly nodeCalls: number
}

/** Requests of one account in a period, counted like those of a day. */
export interface AccountTotals extends Omit<DayUsage, 'day'> {
  /** Id of the account. */
  readonly id: string
  readonly email: string
}

/** Usage of an account. */
export interface AccountUsage {
  /** Time of the query. Calls of other processes in the last ten seconds may be missing. */
  readonly at: Date
  /** Time at which the daily limit resets. */
  readonly resetsAt: Date
  /** Days in ascending order; today is the last entry. */
  readonly days: readonly DayUsage[]
  /** Today's requests by key, most used first, including deleted keys. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    /** First and last characters of the key. */
    readonly masked: string
    readonly isDeleted: boolean
    readonly answered: number
    readonly refused: number
    readonly failed: number
    readonly nodeCalls: number
  }[]
  /** Minute of the last refused request; null without one in the retention period of minutes. */
  readonly lastRefusedAt: Date | null
}
