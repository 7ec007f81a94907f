import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { addDownload, csv } from '../own-download.js'
import { ownLimits } from '../own-limits.js'
import type { Routes } from '../routes.js'
import { historyDays, UsagePage } from './usage-page.js'

/** Returns the requested number of days if it is an option, otherwise the default. */
export const daysOf = (asked: string) => historyDays.find((days) => String(days) === asked) ?? historyDays[0]

/** Adds the page of an account's usage. */
export function addUsageRoutes(routes: Routes, services: DashboardServices): void {
  const { accountUsage, limits } = services
  routes.own.get('/usage', async ({ user, query }) => {
    const days = daysOf(query('days'))
    const usage = await accountUsage(user.userId, days)
    return page(
      'Usage',
      <UsagePage
        usage={usage}
        days={days}
        limit={ownLimits(limits, user).requestsPerUserPerDay}
        isLowered={user.limits.dailyLimit !== null}
        limitsReason={user.limitsReason}
        warningPercent={limits.quotaWarningPercent}
      />,
      {
        scripts: ['uplot.js', 'live.js'],
      },
    )
  })
  addDownload(routes, services, '/usage/days.csv', async ({ user, query }) => {
    const { days } = await accountUsage(user.userId, daysOf(query('days')))
    return csv('usage-by-day.csv', [
      ['day', 'charged', 'refused', 'node_calls', 'received', 'answered', 'unanswered'],
      ...days.map(({ day, charged, refused, nodeCalls, received, answered, unanswered }) => [
        ...[day, charged, refused, nodeCalls],
        ...[received, answered, unanswered],
      ]),
    ])
  })
}
