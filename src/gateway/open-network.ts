import { extensions, limits } from '../../generated/contract.js'
import type { Network, Settings } from './config.js'
import { openDevelopmentChain } from './development-chain.js'
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
  /** Cuts calls in flight and ends the embedded chain. */
  close(): Promise<void>
}

const millisecondsPerSecond = 1000

/** Opens the way to a network's nodes, or starts its development chain where none are set. */
export async function openNetwork(network: Network, settings: Settings, log: Log): Promise<OpenNetwork> {
  const { title, chainId, netVersion } = extensions['x-networks'][network]
  const nodes = settings.nodes[network]
  const timeoutMs = limits.nodeTimeoutSeconds * millisecondsPerSecond
  const upstream =
    nodes.length > 0
      ? createUpstream({ urls: nodes.map(({ url }) => url), timeoutMs, chainId })
      : await openDevelopmentChain({ timeoutMs, chainId, log: log.child({ network }) })
  return {
    title,
    chainId,
    embedded: nodes.length === 0,
    forward: createForwarder({ call: upstream.call, network: { chainId, netVersion }, limits }),
    ready: upstream.ready,
    close: upstream.close,
  }
}
