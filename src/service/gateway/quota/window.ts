import { limits } from '@concordat/node-access-contract/contract'

/** Length of a quota window, in UTC. */
export type Period = 'day' | 'month'

const millisecondsPerSecond = 1_000

/** Names of the limits in headers and in the error's `data`. */
export const limitScopes = { day: 'daily', month: 'monthly' } as const

/** A time span in which requests are counted. */
export interface Window {
  /** First day, UTC, `YYYY-MM-DD`. */
  readonly startsOn: string
  /** End by the database's clock, in milliseconds since 1970. */
  readonly endsAt: number
}

/** An ended window, used before the first lease. */
export const noWindow: Window = { startsOn: '', endsAt: 0 }

/** The last window of each period, cached because nearly all counts share it. */
const latest: Record<Period, Window> = { day: noWindow, month: noWindow }

/**
 * Returns the window that starts on a day. It ends at the next midnight, or with the month.
 * @param startsOn first day, UTC, `YYYY-MM-DD`
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
