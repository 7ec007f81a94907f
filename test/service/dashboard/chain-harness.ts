/** What the parts of `dashboard-browser.test.ts` share: a service with development chains and an operator; a browser. */
import t from 'tap'
import { openBrowser } from '../../support/dashboard.js'
import { startService } from '../../support/service.js'
import { separateVisitors } from '../../support/visitor.js'

/** Its demo user is an operator. */
export const service = await startService({
  env: { ...separateVisitors, CONCORDAT_OPERATORS: 'demo@example.com' },
})
t.teardown(() => service.stop())
export const { origin } = service
export const browser = await openBrowser(t)
