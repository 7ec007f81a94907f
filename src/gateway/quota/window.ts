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

/** The window of each period that was asked for last: nearly all counts share it. */
const latest: Record<Period, { readonly daySeconds: number; readonly window: Window }> = {
  day: { daySeconds: 0, window: noWindow },
  month: { daySeconds: 0, window: noWindow },
}

/**
 * The window that begins on a day; it ends at the next midnight, or the first midnight of the next month.
 * @param startsOn its first day, `YYYY-MM-DD`
 * @param daySeconds the contract's `quotaWindowSeconds`
 */
export function windowOf(period: Period, startsOn: string, daySeconds: number): Window {
  const known = latest[period]
  if (known.daySeconds === daySeconds && known.window.startsOn === startsOn) return known.window
  const window = { startsOn, endsAt: endOf(period, new Date(startsOn), daySeconds) }
  latest[period] = { daySeconds, window }
  return window
}

const endOf = (period: Period, start: Date, daySeconds: number) =>
  period === 'day'
    ? start.getTime() + daySeconds * millisecondsPerSecond
    : Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
