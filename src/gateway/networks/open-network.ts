import { extensions, limits } from '../../../generated/contract.js'
import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { type CacheOutcome, createAnswerCache } from '../cache/index.js'
import { openDevelopmentChain } from '../dev-chain/index.js'
import { type AnswerCall, createAnswers, createForwarder, findBlock } from '../methods/index.js'
import type { NodeCallEvent, NodeSettings, NodeStatus } from '../nodes/index.js'
import { createReplaceableUpstream, createUpstream, type UpstreamOptions } from '../nodes/index.js'
import type { Network } from '../profiles/index.js'
import type { Log } from '../telemetry/index.js'

/** A network that calls can be made on. */
export interface OpenNetwork {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** True when the chain is a development chain of this process. */
  readonly embedded: boolean
  readonly answer: AnswerCall
  /** Looks up a block by hash, number or tag; undefined where there is none. */
  readonly findBlock: (selector: JsonValue) => Promise<JsonObject | undefined>
  /** True when a node of the network answers. */
  ready(): Promise<boolean>
  /** Number of the most recent block, as the nodes agree on it; undefined before the first. */
  head(): bigint | undefined
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

/** Settings of one network. */
export interface NetworkSettings {
  /** The nodes of the network; an empty list starts its development chain. */
  readonly nodes: readonly NodeSettings[]
  readonly tuning: UpstreamOptions['tuning']
}

/** Is told what happens on a network. */
export interface NetworkObserver {
  /** A call of a node has ended. */
  readonly call: (event: NodeCallEvent) => void
  /** A node's answer lacked what the contract requires. */
  readonly violation: (node: string) => void
  /** The cache was asked. */
  readonly lookup: (outcome: CacheOutcome) => void
}

const millisecondsPerSecond = 1000

/** For how long calls to nodes that were replaced may go on, in milliseconds. */
const graceMs = 60_000

/**
 * Opens the way to a network's nodes, or starts its development chain where none are set.
 * @param observe is told what happens
 * @param blockSeconds seconds between blocks of a development chain; with 0 each transaction is mined at once
 */
export async function openNetwork(
  network: Network,
  { nodes, tuning }: NetworkSettings,
  log: Log,
  observe: NetworkObserver,
  blockSeconds = 0,
): Promise<OpenNetwork> {
  const terms = extensions['x-networks'][network]
  const { title, chainId } = terms
  const timeoutMs = limits.nodeTimeoutSeconds * millisecondsPerSecond
  const told = { observe: observe.call, onViolation: observe.violation, log: log.child({ network }) }
  const shared = { timeoutMs, chainId, tuning, ...told }
  const own =
    nodes.length > 0
      ? createReplaceableUpstream(
          (these, knownHead) => createUpstream({ ...shared, nodes: these, knownHead }),
          nodes,
          graceMs,
        )
      : undefined
  const upstream = own ?? (await openDevelopmentChain({ ...shared, name: `${network}-1`, blockSeconds }))
  const cached = createAnswerCache({
    forward: createForwarder(upstream.call),
    head: upstream.head,
    limits,
    observe: observe.lookup,
  })
  return {
    title,
    chainId,
    embedded: nodes.length === 0,
    answer: createAnswers({ call: upstream.call, cached, network: terms }),
    findBlock: (selector) => findBlock(upstream.call, selector),
    ready: upstream.ready,
    head: upstream.head,
    status: upstream.status,
    replaceNodes(next) {
      if (own === undefined || next.length === 0) return false
      own.replace(next)
      return true
    },
    close: upstream.close,
  }
}
