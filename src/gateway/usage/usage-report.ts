import { errorTable } from '../../../generated/errors.js'

/** Periods that usage is shown for, the last of whose steps is under way. Steps divide a day. */
export const metricRanges = {
  hour: { stepSeconds: 60, steps: 60 },
  day: { stepSeconds: 900, steps: 96 },
  week: { stepSeconds: 10_800, steps: 56 },
  month: { stepSeconds: 21_600, steps: 120 },
} as const

export type MetricRange = keyof typeof metricRanges

/** Whose doing an answer is: a result; an error of the caller's, a limit that refused, a failure of the service. */
export type Outcome = 'result' | 'caller' | 'limit' | 'service'

const outcomesByCode = new Map<number, Outcome>([
  [0, 'result'],
  [errorTable.limitExceeded.code, 'limit'],
  [errorTable.internalError.code, 'service'],
  [errorTable.unavailable.code, 'service'],
])

/**
 * Whose doing an answer is.
 * @param code of its error; 0 for a result
 */
export const outcomeOf = (code: number): Outcome => outcomesByCode.get(code) ?? 'caller'

const messagesByCode = new Map<number, string>(
  Object.values(errorTable).map(({ code, message }) => [code, message]),
)

/** The contract's words for an error; empty for a code that it lacks. */
export const errorMessage = (code: number): string => messagesByCode.get(code) ?? ''

/** Answered calls by whose doing their answers are, and how long they took. */
export interface Tally {
  readonly outcomes: Readonly<Record<Outcome, number>>
  /** Of all outcomes together. */
  readonly requests: number
  /** Time to the answer that half of the calls, and 95 of 100, did not pass: estimates, in milliseconds; null without calls. */
  readonly p50: number | null
  readonly p95: number | null
  /** In milliseconds. */
  readonly slowest: number
}

/** What was counted of one key's calls in a period. */
export interface KeyMetrics {
  /** When the counts were read; other processes' calls of the last ten seconds may be missing. */
  readonly at: Date
  readonly total: Tally
  /** Each step of the period, the oldest first. */
  readonly steps: readonly (Tally & { readonly startsAt: Date })[]
  /** By method, the most called first; the empty name for what named none of the contract's. */
  readonly methods: readonly (Tally & { readonly method: string })[]
  /** By the code of the error, the most frequent first. */
  readonly errors: readonly { readonly code: number; readonly requests: number }[]
}

/** Requests of an account on one UTC day. */
export interface DayUsage {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** Requests that count against the daily limit. */
  readonly used: number
  /** Requests that a limit refused; they cost nothing. */
  readonly refused: number
}

/** What an account has used. */
export interface AccountUsage {
  /** When the counts were read; other processes' calls of the last ten seconds may be missing. */
  readonly at: Date
  /** When the daily limit starts again. */
  readonly resetsAt: Date
  /** The last days, today last. */
  readonly days: readonly DayUsage[]
  /** Today's requests by key, the most used first; deleted keys are among them. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly isDeleted: boolean
    /** Answered calls but those that a limit refused. */
    readonly requests: number
    readonly refused: number
  }[]
  /** The minute in which a limit refused a request last; null where none did while minutes are kept. */
  readonly lastRefusedAt: Date | null
}
