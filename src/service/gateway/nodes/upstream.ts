import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import type { FairLimiter } from '@concordat/server'
import { profileOf } from '../profiles/index.js'
import { createAnswerRoom } from './answers/answer-waits.js'
import type { DroppedMembers } from './answers/dropped-members.js'
import { missingMembers, normaliseResult } from './answers/normalise-result.js'
import type { NodeCall } from './node-call.js'
import type { NodeSettings } from './node-settings.js'
import type { NetworkReadiness, NodeCallEvent, NodeStatus } from './node-status.js'
import { NodeChecks, type PoolLog } from './pool/node-checks.js'
import { NodePool } from './pool/node-pool.js'
import { type PoolSettings, poolSettings } from './pool/pool-settings.js'

/** Service settings for choosing and calling nodes; callers cannot observe them. */
export interface NodeTuning {
  /** Maximum distance of a usable node's head from the agreed head, in blocks. */
  readonly nodeLagBlocks: number
  /** Age of the head block above which a node is stale, in seconds; 0 for never. */
  readonly nodeStaleSeconds: number
  /** Maximum number of calls in one batch to a node. */
  readonly nodeBatchItems: number
}

/** Options of an upstream. */
export interface UpstreamOptions {
  /** The network's nodes; at least one. */
  readonly nodes: readonly NodeSettings[]
  /** Deadline of a call in milliseconds, including retries with other nodes. */
  readonly timeoutMs: number
  readonly tuning: NodeTuning
  /** Memory for large answers, shared by all networks; unlimited by default. */
  readonly answerRoom?: FairLimiter | undefined
  /**
   * The network's number as the contract states it, such as `0x1f`: a node of another network is never used.
   */
  readonly chainId: string
  /** Translates calls and answers where the nodes have to look like another kind of node. */
  readonly profile?: ((node: NodeCall) => NodeCall) | undefined
  /** The head that callers have seen. A single node does not move it back. */
  readonly knownHead?: bigint | undefined
  /** Log for the operator. Entries never contain addresses or credentials of nodes. */
  readonly log?: PoolLog | undefined
  /** Called after each call to a node. */
  readonly observe?: ((event: NodeCallEvent) => void) | undefined
  /** Called for each answer that lacks members required by the contract. The answer is passed on anyway. */
  readonly onViolation?: ((node: string) => void) | undefined
  /** Counts the members that are removed from results. Each name is logged once. */
  readonly droppedMembers?: DroppedMembers | undefined
  /** Overrides of the pool's internal settings. */
  readonly settings?: Partial<PoolSettings> | undefined
}

/** Calls to the nodes of a network. */
export interface Upstream {
  /** Calls a method. Results are normalised; errors stay in the node's dialect. */
  readonly call: NodeCall
  /** Returns how the network is served. It waits for the running checks while no node is used. */
  ready(): Promise<NetworkReadiness>
  /** Number of the agreed head; undefined before the first. */
  head(): bigint | undefined
  /** The status of each node, in the order of the settings. */
  status(): readonly NodeStatus[]
  /** Closes the connections and rejects the calls that wait for a node. */
  close(): Promise<void>
}

/**
 * Creates the upstream of a network. {@link NodePool} describes how calls are made, and {@link NodeHealth}
 * when a node is used.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { nodes, timeoutMs, tuning, profile, observe, log } = options
  const settings = { ...poolSettings, ...options.settings }
  const pool: NodePool = new NodePool({
    nodes,
    timeoutMs,
    lagBlocks: tuning.nodeLagBlocks,
    batchItems: tuning.nodeBatchItems,
    profileOf,
    settings,
    answerRoom: options.answerRoom ?? createAnswerRoom(Number.POSITIVE_INFINITY),
    normalise: profile === undefined ? normaliseResult : asItIs,
    observe,
    // Before the profile runs, the members that it adds are still missing.
    inspect: profile === undefined ? createInspection(options) : undefined,
    onDropped: createDropping(options),
    onFailing: (node, cause) => checks.failing(node, cause),
    onDoubt: (node) => checks.doubt(node),
    onNeed: () => checks.checkSoon(),
  })
  const { nodeLagBlocks: lagBlocks, nodeStaleSeconds: staleSeconds } = tuning
  const checks = new NodeChecks({ pool, chainId: options.chainId, staleSeconds, lagBlocks, settings, log })
  if (options.knownHead !== undefined) pool.head.begin(Number(options.knownHead))
  checks.start()
  const call: NodeCall = (method, params, callOptions = {}) => pool.call(method, params, callOptions)
  return {
    call: profile === undefined ? call : normalised(profile(call)),
    ready: () => checks.ready(),
    head: () => pool.head.blockNumber,
    status: () => pool.status(),
    async close() {
      checks.close()
      await pool.close()
    },
  }
}

/**
 * Maximum number of logged combinations of node and missing members, so that one bad node cannot fill the
 * log.
 */
const mostLogged = 100

/** Counts answers that lack required members. Each combination of node and missing members is logged once. */
function createInspection({ onViolation, log }: Pick<UpstreamOptions, 'onViolation' | 'log'>) {
  const logged = new Set<string>()
  return (node: string, method: string, result: JsonValue): void => {
    const missing = missingMembers(method, result)
    if (missing === undefined) return
    onViolation?.(node)
    const what = `${node} ${missing.join(' ')}`
    if (logged.has(what) || logged.size >= mostLogged) return
    logged.add(what)
    log?.warn(
      { node, method, missing },
      'a node omits members that the contract requires; its answers are forwarded without them',
    )
  }
}

/** Counts members that the contract does not list, and logs the first of each name. */
function createDropping({ droppedMembers, log }: Pick<UpstreamOptions, 'droppedMembers' | 'log'>) {
  if (droppedMembers === undefined) return undefined
  return (node: string) => (component: string, member: string) => {
    const name = droppedMembers.count(component, member)
    if (name === undefined) return
    log?.warn(
      { node, member: name },
      'a node sends a member that the contract does not list; answers do not contain it',
    )
  }
}

const asItIs = (_method: string, _params: readonly JsonValue[], result: JsonValue) => result

/** Normalises results after the profile, because the profile reads the node's own form. */
const normalised =
  (profiled: NodeCall): NodeCall =>
  async (method, params, callOptions) => {
    const answer = await profiled(method, params, callOptions)
    if (answer.error !== undefined || answer.result === null) return answer
    const result = normaliseResult(method, params, answer.result)
    if (result === undefined) throw failure('nodeAnsweredRubbish', { cause: answer.result })
    return { result }
  }

/** An upstream whose nodes can be replaced while calls are in flight. */
export interface ReplaceableUpstream extends Upstream {
  /** Sends further calls to these nodes; the old nodes finish the calls in flight. */
  replace(nodes: readonly NodeSettings[]): void
}

/**
 * Creates an upstream with replaceable nodes.
 * @param open creates an upstream; it receives the head that callers know, which a single new node may not
 * move back
 * @param graceMs time for calls to replaced nodes to finish, in milliseconds
 */
export function createReplaceableUpstream(
  open: (nodes: readonly NodeSettings[], knownHead: bigint | undefined) => Upstream,
  nodes: readonly NodeSettings[],
  graceMs: number,
): ReplaceableUpstream {
  const retired = new Map<Upstream, NodeJS.Timeout>()
  let current = open(nodes, undefined)

  function retire(upstream: Upstream): void {
    const end = () => {
      retired.delete(upstream)
      // A failure of this close affects no caller.
      upstream.close().catch(() => undefined)
    }
    retired.set(upstream, setTimeout(end, graceMs).unref())
  }

  return {
    call: (method, params, options) => current.call(method, params, options),
    ready: () => current.ready(),
    head: () => current.head(),
    status: () => current.status(),
    replace(next) {
      const before = current
      current = open(next, before.head())
      retire(before)
    },
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      await Promise.all([current, ...retired.keys()].map((upstream) => upstream.close()))
    },
  }
}
