/** How long requests are counted before the count starts again; both in UTC. */
export type Period = 'day' | 'month'

const millisecondsPerSecond = 1_000

/** What a limit of each period is called in headers and in the error's `data`. */
export const scopes = { day: 'daily', month: 'monthly' } as const

/**
 * When a window ends: the next midnight, or the first midnight of the next month.
 * @param startsOn its first day, `YYYY-MM-DD`
 * @param daySeconds the contract's `quotaWindowSeconds`
 * @returns ms since 1970
 */
export function endOfWindow(period: Period, startsOn: string, daySeconds: number): number {
  const start = new Date(startsOn)
  return period === 'day'
    ? start.getTime() + daySeconds * millisecondsPerSecond
    : Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
}
