/**
 * What the parts of `dashboard-http.test.ts` share: a development service without mail and without chains, which has an
 * operator.
 */
import t from 'tap'
import { startHeldNode } from '../../support/held-node.js'
import { startService } from '../../support/service.js'
import { createVisitor, newAddress, password, separateVisitors } from '../../support/visitor.js'

export const operatorAddress = 'operator@example.com'
const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f', eth_call: '0x' })
t.teardown(() => node.close())
export const service = await startService({
  env: { ...separateVisitors, CONCORDAT_OPERATORS: operatorAddress, CONCORDAT_NODES_TEST: node.url },
  isChainless: true,
})
t.teardown(() => service.stop())
export const { origin } = service

/** A new user, logged in. */
export async function newcomer(email = newAddress()) {
  const visitor = createVisitor(origin)
  const { status, html } = await visitor.post('/signup', { email, password })
  if (status !== 303) throw new Error(html)
  return { ...visitor, email }
}

/** A user of tests that change nothing. */
export const bystander = await newcomer()

/** The URL of a key on its page. */
export const urlOf = (html: string) => /data-secret-text="([^"]*)"/.exec(html)?.[1] ?? ''
