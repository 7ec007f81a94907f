import type t from 'tap'
import { tuningDefaults as tuning } from '../../src/service/gateway/app/config/tuning.js'
import { createUpstream, type Upstream, type UpstreamOptions } from '../../src/service/gateway/nodes/index.js'
import type { NodeServer } from './node-server.js'

const chainId = '0x1f'
/** Longer than any answer takes; milliseconds. */
const waitMs = 600_000

/** Frequent health checks, so that tests need not wait. Nothing fails because this machine is slow. */
export const settings = {
  checkEveryMs: 20,
  checkAgainMs: 10,
  retryMs: 20,
  retryMaximumMs: 40,
  headWaitMs: waitMs,
  checkMs: waitMs,
  connectMs: waitMs,
}

/** Rare health checks, so that tests see only their own traffic. */
export const unchecked = { ...settings, checkEveryMs: 60_000 }

/** Nodes are never stale: the blocks of test chains have fixed times, or none. */
const ageless = { ...tuning, nodeStaleSeconds: 0 }

type Test = Pick<typeof t, 'teardown'>
type TestNode = Pick<NodeServer, 'settings' | 'close'>

/** The upstream of some nodes; it is closed when the test ends. */
export function upstreamOf(t: Test, nodes: readonly TestNode[], options: Partial<UpstreamOptions> = {}) {
  const upstream = createUpstream({
    nodes: nodes.map((node) => node.settings()),
    timeoutMs: waitMs,
    chainId,
    tuning: ageless,
    settings,
    ...options,
  })
  t.teardown(async () => {
    await upstream.close()
    for (const node of nodes) await node.close()
  })
  return upstream
}

/** The address with this number. */
export const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
/** Asks for the balance of the account with this number. */
export const balance = (upstream: Upstream, number: number, block = 'latest') =>
  upstream.call('eth_getBalance', [address(number), block])
/** Calls of a method that a node received. */
export const asked = ({ requests }: NodeServer, method: string) =>
  requests.flatMap(({ calls }) => calls).filter((call) => call.method === method).length
