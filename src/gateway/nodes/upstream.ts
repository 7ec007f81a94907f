import { failure } from '../../../generated/errors.js'
import type { JsonValue } from '../../rpc/index.js'
import { profileOf } from '../profiles/index.js'
import type { NodeCall } from './node-call.js'
import { NodeChecks, type PoolLog } from './node-checks.js'
import { NodePool } from './node-pool.js'
import type { NodeSettings } from './node-settings.js'
import type { NodeCallEvent, NodeStatus } from './node-status.js'
import { missingMembers, normaliseResult } from './normalise-result.js'
import { type PoolSettings, poolSettings } from './pool-settings.js'

/** How nodes are chosen and asked: service settings, which callers do not observe. */
export interface NodeTuning {
  /** Blocks that a node's head may differ from the agreed head; a node further away is not asked. */
  readonly nodeLagBlocks: number
  /** Calls that travel to a node as one batch, at most. */
  readonly nodeBatchItems: number
}

/** What a network's nodes are asked with. */
export interface UpstreamOptions {
  /** The network's nodes; at least one. */
  readonly nodes: readonly NodeSettings[]
  /** How long a call may take, in milliseconds, over all the nodes that are tried. */
  readonly timeoutMs: number
  readonly tuning: NodeTuning
  /** The network's number as the contract states it, such as `0x1f`: a node of another network is never used. */
  readonly chainId: string
  /** Stands between a node and us where a node's answers are to be those of another kind of node. */
  readonly profile?: ((node: NodeCall) => NodeCall) | undefined
  /** The head that callers have seen. A single node does not move it back. */
  readonly knownHead?: bigint | undefined
  /** Told what the operator should know of the nodes; it never holds their addresses or credentials. */
  readonly log?: PoolLog | undefined
  /** Told of each call of a node when it has ended. */
  readonly observe?: ((event: NodeCallEvent) => void) | undefined
  /** Told of each answer of a node that lacks what the contract requires: it is passed on all the same. */
  readonly onViolation?: ((node: string) => void) | undefined
  /** Numbers that differ from the pool's own. */
  readonly settings?: Partial<PoolSettings> | undefined
}

/** The nodes of a network, as one. */
export interface Upstream {
  /** Asks a node; results are normalised, errors are in the node's dialect. */
  readonly call: NodeCall
  /** True when a node of the right network answered its last check, a second ago at most. */
  ready(): Promise<boolean>
  /** Number of the most recent block, as the nodes agree on it; undefined before the first. */
  head(): bigint | undefined
  /** How each node does, in the order of the settings. */
  status(): readonly NodeStatus[]
  /** Cuts the connections; nobody waits for a call any more. */
  close(): Promise<void>
}

/** Opens the way to a network's nodes: {@link NodePool} says how they are asked, {@link NodeChecks} when they are not. */
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
    normalise: profile === undefined ? normaliseResult : asItIs,
    observe,
    // What a profile adds is missing before it.
    inspect: profile === undefined ? createInspection(options) : undefined,
    onOpen: (node, cause) => checks.opened(node, cause),
    onNeed: () => checks.hurry(),
  })
  const checks = new NodeChecks({ pool, chainId: options.chainId, settings, log })
  if (options.knownHead !== undefined) pool.head.begin(Number(options.knownHead))
  checks.start()
  const call: NodeCall = (method, params, callOptions = {}) => pool.call(method, params, callOptions)
  return {
    call: profile === undefined ? call : normalised(profile(call)),
    ready: () => checks.ready(),
    head: () => pool.head.told,
    status: () => pool.status(),
    async close() {
      checks.close()
      await pool.close()
    },
  }
}

/** Ways in which nodes lack something that are told: a node that leaves out this and that shall not fill the log. */
const mostTold = 100

/** Counts answers that lack members of the contract; the log is told once of each node and what it lacks. */
function createInspection({ onViolation, log }: Pick<UpstreamOptions, 'onViolation' | 'log'>) {
  const told = new Set<string>()
  return (node: string, method: string, result: JsonValue): void => {
    const missing = missingMembers(method, result)
    if (missing === undefined) return
    onViolation?.(node)
    const what = `${node} ${missing.join(' ')}`
    if (told.has(what) || told.size >= mostTold) return
    told.add(what)
    log?.warn(
      { node, method, missing },
      'a node does not send what the contract requires; its answers are passed on without',
    )
  }
}

const asItIs = (_method: string, _params: readonly JsonValue[], result: JsonValue) => result

/** A profile's results are made the contract's behind it: it reads what the node says. */
const normalised =
  (profiled: NodeCall): NodeCall =>
  async (method, params, callOptions) => {
    const answer = await profiled(method, params, callOptions)
    if (answer.error !== undefined || answer.result === null) return answer
    const result = normaliseResult(method, params, answer.result)
    if (result === undefined) throw failure('nodeAnsweredRubbish', { cause: answer.result })
    return { result }
  }

/** The nodes of a network, which can be replaced by others while calls are made. */
export interface ReplaceableUpstream extends Upstream {
  /** From now on calls go to these nodes; those under way are finished by the old ones. */
  replace(nodes: readonly NodeSettings[]): void
}

/**
 * Opens the way to nodes that can be replaced.
 * @param open makes the way to nodes; it is given the head that callers know, which one new node alone may not move back
 * @param graceMs for how long calls to nodes that were replaced may go on, in milliseconds
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
      // What fails here has no caller left.
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
