import { join } from 'node:path'
import { extensions, limits } from '@concordat/node-access-contract/contract'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import type { FairLimiter } from '@concordat/server'
import { type CacheOutcome, createAnswerCache } from '../cache/index.js'
import { keptStates, openDevelopmentChain } from '../dev-chain/index.js'
import { type AnswerCall, createAnswers, createForwarder, findBlock } from '../methods/index.js'
import type {
  DroppedMembers,
  NetworkReadiness,
  NodeCallEvent,
  NodeSettings,
  NodeStatus,
} from '../nodes/index.js'
import {
  createReplaceableUpstream,
  createUpstream,
  type NodeCallLimiter,
  type UpstreamOptions,
} from '../nodes/index.js'
import type { Network } from '../profiles/index.js'
import type { Log } from '../telemetry/index.js'

/** A network with its nodes or its development chain. */
export interface OpenNetwork {
  readonly title: string
  /** The network number as in the contract, such as `0x1f`. */
  readonly chainId: string
  /** True for a development chain of this process. */
  readonly embedded: boolean
  /** Number of the latest blocks whose state is kept; undefined unless the chain is a development chain. */
  readonly keptStates: number | undefined
  readonly answer: AnswerCall
  /** Looks up a block by hash, number or tag; undefined if the block does not exist. */
  readonly findBlock: (selector: JsonValue) => Promise<JsonObject | undefined>
  /** Returns how the network is served. */
  ready(): Promise<NetworkReadiness>
  /** Number of the agreed head; undefined before the first. */
  head(): bigint | undefined
  /** The status of each node. */
  status(): readonly NodeStatus[]
  /**
   * Sends further calls to these nodes; the old nodes finish the calls in flight.
   * @returns false if the change needs a restart: to or from a development chain
   */
  replaceNodes(nodes: readonly NodeSettings[]): boolean
  /** Cancels calls in flight and stops the embedded chain. */
  close(): Promise<void>
}

/** Settings of one network. */
export interface NetworkSettings {
  /** The nodes of the network; an empty list starts its development chain. */
  readonly nodes: readonly NodeSettings[]
  readonly tuning: UpstreamOptions['tuning']
  /** Limits the node calls of each user, over all networks. */
  readonly limiter: NodeCallLimiter
  /** Memory for large answers of nodes, shared by all networks. */
  readonly answerRoom: FairLimiter
  /** Memory for cached answers of this network, in bytes. */
  readonly cacheBytes: number
}

/** Settings of development chains, which serve networks without nodes. */
export interface DevelopmentChains {
  /** Seconds between blocks; with 0, the default, each transaction is mined immediately. */
  readonly blockSeconds?: number | undefined
  /** Path of the data folder, once this process has locked it. Without it, the chains exist in memory only. */
  readonly folder?: Promise<string> | undefined
}

/** Observes events of a network. */
export interface NetworkObserver {
  /** Called after each call to a node. */
  readonly call: (event: NodeCallEvent) => void
  /** Called when a node's answer lacks required members. */
  readonly violation: (node: string) => void
  /** Counts the members of the configured nodes' results that the contract does not list. */
  readonly droppedMembers: DroppedMembers
  /** Called for each cache lookup. */
  readonly lookup: (outcome: CacheOutcome) => void
}

const millisecondsPerSecond = 1000

/** Time for calls to replaced nodes to finish, in milliseconds. */
const graceMs = 60_000

/**
 * Connects to the nodes of a network, or starts its development chain if no nodes are configured.
 * @param observe receives the network's events
 */
export async function openNetwork(
  network: Network,
  { nodes, tuning, limiter, answerRoom, cacheBytes }: NetworkSettings,
  log: Log,
  observe: NetworkObserver,
  { blockSeconds = 0, folder }: DevelopmentChains = {},
): Promise<OpenNetwork> {
  const terms = extensions['x-networks'][network]
  const { title, chainId } = terms
  const timeoutMs = limits.nodeTimeoutSeconds * millisecondsPerSecond
  const observers = { observe: observe.call, onViolation: observe.violation, log: log.child({ network }) }
  const shared = { timeoutMs, chainId, tuning, answerRoom, ...observers }
  const own =
    nodes.length > 0
      ? createReplaceableUpstream(
          (these, knownHead) =>
            createUpstream({ ...shared, droppedMembers: observe.droppedMembers, nodes: these, knownHead }),
          nodes,
          graceMs,
        )
      : undefined
  const journal = folder?.then((path) => join(path, `chain-${network}.journal`))
  // The store reports this failure. The chain may not be awaiting the folder yet.
  journal?.catch(() => undefined)
  const upstream =
    own ?? (await openDevelopmentChain({ ...shared, name: `${network}-1`, blockSeconds, journal }))
  const call = limiter.limit(upstream.call)
  const cached = createAnswerCache({
    forward: createForwarder(call),
    head: upstream.head,
    limits,
    observe: observe.lookup,
    settings: { keptBytes: cacheBytes },
  })
  return {
    title,
    chainId,
    embedded: nodes.length === 0,
    keptStates: nodes.length === 0 ? keptStates : undefined,
    answer: createAnswers({ call, cached, network: terms, nodeCallsPerSecond: () => limiter.perSecond }),
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
