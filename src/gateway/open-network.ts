import { extensions, limits } from '../../generated/contract.js'
import type { Network, Settings } from './config.js'
import { openDevelopmentChain } from './development-chain.js'
import type { NodeSettings } from './node-settings.js'
import type { NodeCallEvent, NodeStatus } from './node-status.js'
import type { Log } from './ops/log.js'
import { createForwarder, type Forward } from './policy/forwarder.js'
import { createReplaceableUpstream } from './replaceable-upstream.js'
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
  /**
   * From now on calls go to these nodes; those under way are finished by the old ones.
   * @returns false where that takes a restart: to a development chain, or from one
   */
  replaceNodes(nodes: readonly NodeSettings[]): boolean
  /** Cuts calls in flight and ends the embedded chain. */
  close(): Promise<void>
}

const millisecondsPerSecond = 1000

/** For how long calls to nodes that were replaced may go on, in milliseconds. */
const graceMs = 60_000

/**
 * Opens the way to a network's nodes, or starts its development chain where none are set.
 * @param observe is told of each call of a node when it has ended
 */
export async function openNetwork(
  network: Network,
  settings: Settings,
  log: Log,
  observe: (event: NodeCallEvent) => void,
): Promise<OpenNetwork> {
  const { title, chainId, netVersion } = extensions['x-networks'][network]
  const nodes = settings.nodes[network]
  const timeoutMs = limits.nodeTimeoutSeconds * millisecondsPerSecond
  const shared = { timeoutMs, chainId, observe, log: log.child({ network }) }
  const own =
    nodes.length > 0
      ? createReplaceableUpstream(
          (these, knownHead) => createUpstream({ ...shared, nodes: these, knownHead }),
          nodes,
          graceMs,
        )
      : undefined
  const upstream = own ?? (await openDevelopmentChain({ ...shared, name: `${network}-1` }))
  return {
    title,
    chainId,
    embedded: nodes.length === 0,
    forward: createForwarder({ call: upstream.call, network: { chainId, netVersion }, limits }),
    ready: upstream.ready,
    head: upstream.head,
    onHead: upstream.onHead,
    status: upstream.status,
    replaceNodes(next) {
      if (own === undefined || next.length === 0) return false
      own.replace(next)
      return true
    },
    close: upstream.close,
  }
}
