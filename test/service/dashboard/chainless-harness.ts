/**
 * What the parts of `dashboard-chainless-browser.test.ts` share: a service that trusts no proxies, on a test network
 * with logs; a browser.
 */
import t from 'tap'
import { openBrowser } from '../../support/dashboard.js'
import { startLogNode } from '../../support/log-node.js'
import { startService } from '../../support/service.js'

/** The node of the test network. */
export const node = await startLogNode()
t.teardown(() => node.close())
export const service = await startService({ isChainless: true, env: { CONCORDAT_NODES_TEST: node.url } })
t.teardown(() => service.stop())
export const { origin } = service
export const browser = await openBrowser(t)
