/** What the tests of quota share: two services, and keys of new users. */
import t from 'tap'
import { awayFromMidnight } from '../support/midnight.js'
import { type RunningService, runConcordat, startService } from '../support/service.js'

export const chainId = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })

await awayFromMidnight()
const limitedTo = (limit: number) =>
  startService({ env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit) }, isChainless: true })
/** One user whose limit is soon exhausted, and one whose limit is never reached. */
export const [small, large] = await Promise.all([limitedTo(20), limitedTo(1000)])
t.teardown(() => Promise.all([small.stop(), large.stop()]))

export const keys = (service: RunningService, ...args: string[]) =>
  runConcordat(['keys', ...args, '--data', service.data])

/** A new key of a user. */
export async function keyOf(service: RunningService, user: string, network: 'test' | 'main' = 'test') {
  const made = ['create', '--user', user, '--network', network, '--name', 'k', '--json']
  const { out, err } = await keys(service, ...made)
  if (out === '') throw new TypeError(err)
  return JSON.parse(out) as { readonly id: string; readonly url: string }
}
