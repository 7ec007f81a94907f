import { extensions, limits } from '../../generated/contract.js'
import { startEmbeddedChain } from './chain/embedded-chain.js'
import type { Network, Settings } from './config.js'
import type { Log } from './ops/log.js'
import { createForwarder, type Forward } from './policy/forwarder.js'
import { createUpstream } from './upstream/upstream.js'

/** A network that calls can be forwarded to. */
export interface OpenNetwork {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** True when the chain is a development chain of this process. */
  readonly embedded: boolean
  readonly forward: Forward
  /** True when a node of the network answers. */
  ready(): Promise<boolean>
  /** Lets calls in flight end, then ends the embedded chain. */
  close(): Promise<void>
}

const millisecondsPerSecond = 1000

/** Opens the way to a network's nodes, or starts its development chain where none are set. */
export async function openNetwork(network: Network, settings: Settings, log: Log): Promise<OpenNetwork> {
  const identity = extensions['x-networks'][network]
  const nodes = settings.nodes[network]
  const chain =
    nodes.length > 0
      ? undefined
      : await startEmbeddedChain({ chainId: identity.chainId, log: (line) => log.debug({ network }, line) })
  const upstream = createUpstream({
    urls: chain === undefined ? nodes : [chain.url],
    timeoutMs: limits.nodeTimeoutSeconds * millisecondsPerSecond,
    chainId: identity.chainId,
    profile: chain?.profile,
  })
  return {
    title: identity.title,
    chainId: identity.chainId,
    embedded: chain !== undefined,
    forward: createForwarder({ call: upstream.call, network: identity, limits }),
    ready: upstream.ready,
    async close() {
      await upstream.close()
      await chain?.stop()
    },
  }
}
