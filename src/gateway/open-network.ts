import { extensions, limits } from '../../generated/contract.js'
import type { Network, Settings } from './config.js'
import { openDevelopmentChain } from './development-chain.js'
import type { NodeStatus } from './node-status.js'
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
  /** Number of the most recent block that any node has told; undefined before the first. It never goes back. */
  head(): bigint | undefined
  /** Tells each new head, until the function that it returns is called. */
  onHead(listener: (head: bigint) => void): () => void
  /** How each of its nodes does. */
  status(): readonly NodeStatus[]
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
      ? createUpstream({ nodes, timeoutMs, chainId })
      : await openDevelopmentChain({ name: `${network}-1`, timeoutMs, chainId, log: log.child({ network }) })
  return {
    title,
    chainId,
    embedded: nodes.length === 0,
    forward: createForwarder({ call: upstream.call, network: { chainId, netVersion }, limits }),
    ready: upstream.ready,
    head: upstream.head,
    onHead: upstream.onHead,
    status: upstream.status,
    close: upstream.close,
  }
}
