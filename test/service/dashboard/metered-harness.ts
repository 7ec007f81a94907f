/**
 * What the parts of `dashboard-metered.test.ts` share: a service with development chains, a daily limit, and a host for
 * each network.
 */
import t from 'tap'
import { freePort } from '../../support/free-port.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { startService } from '../../support/service.js'
import { createVisitor, newAddress, password, separateVisitors } from '../../support/visitor.js'

await awayFromMidnight()
/** Requests of a user per day. */
export const limit = 220
const port = await freePort()
export const service = await startService({
  args: ['--port', String(port)],
  // Loopback calls use the test network's host here, so keys of the main network are refused by their host.
  env: {
    ...separateVisitors,
    // The demo user, for pages of operators.
    CONCORDAT_OPERATORS: 'demo@example.com',
    CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit),
    CONCORDAT_PUBLIC_URL_TEST: `http://127.0.0.1:${port}`,
    CONCORDAT_PUBLIC_URL_MAIN: `http://localhost:${port}`,
  },
})
t.teardown(() => service.stop())
export const { origin } = service

/** A new user, logged in. */
export async function newcomer(address?: string) {
  const visitor = createVisitor(origin, address)
  const { status, html } = await visitor.post('/signup', { email: newAddress(), password })
  if (status !== 303) throw new Error(html)
  return visitor
}
