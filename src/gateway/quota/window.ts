import { limits } from '../../../generated/contract.js'

/** How long requests are counted before the count starts again; both in UTC. */
export type Period = 'day' | 'month'

const millisecondsPerSecond = 1_000

/** What a limit of each period is called in headers and in the error's `data`. */
export const scopes = { day: 'daily', month: 'monthly' } as const

/** A time in which requests are counted. */
export interface Window {
  /** Its first day, UTC, `YYYY-MM-DD`. */
  readonly startsOn: string
  /** When it ends, ms since 1970 by the database's clock. */
  readonly endsAt: number
}

/** Before any window, which is over. */
export const noWindow: Window = { startsOn: '', endsAt: 0 }

/** The last window of each period: nearly all counts share it. */
const latest: Record<Period, Window> = { day: noWindow, month: noWindow }

/**
 * The window that begins on a day; it ends at the next midnight, or the first midnight of the next month.
 * @param startsOn its first day, `YYYY-MM-DD`
 */
export function windowOf(period: Period, startsOn: string): Window {
  if (latest[period].startsOn !== startsOn)
    latest[period] = { startsOn, endsAt: endOf(period, new Date(startsOn)) }
  return latest[period]
}

const endOf = (period: Period, start: Date) =>
  period === 'day'
    ? start.getTime() + limits.quotaWindowSeconds * millisecondsPerSecond
    : Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
