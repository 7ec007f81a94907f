import { failure } from '../../../generated/errors.js'
import { type JsonValue, RpcError } from '../../rpc/index.js'
import type { NodeAnswer, NodeCall } from '../node-call.js'
import type { NodeSettings } from '../node-settings.js'
import type { NodeCallEvent, NodeStatus } from '../node-status.js'
import { withDeadline } from './deadline.js'
import { createHttpNode, type HttpNode } from './http-node.js'
import { normaliseResult } from './normalise-result.js'

/** What a network's nodes are asked with. */
export interface UpstreamOptions {
  /** The network's nodes; at least one. */
  readonly nodes: readonly NodeSettings[]
  /** How long a call may take, in milliseconds, over all the nodes that are tried. */
  readonly timeoutMs: number
  /** The network's number as the contract states it, such as `0x1f`: a node of another network is not ready. */
  readonly chainId: string
  /** Stands between a node and us where a node's answers are to be those of another kind of node. */
  readonly profile?: ((node: NodeCall) => NodeCall) | undefined
  /** Told of each call of a node when it has ended. */
  readonly observe?: ((event: NodeCallEvent) => void) | undefined
}

/** The nodes of a network, as one. */
export interface Upstream {
  /** Asks a node; results are normalised, errors are in the node's dialect. */
  readonly call: NodeCall
  /** True when a node of the right network answers. */
  ready(): Promise<boolean>
  /** Number of the most recent block that any node has told; undefined before the first. It never goes back. */
  head(): bigint | undefined
  /** Tells each new head, until the function that it returns is called. */
  onHead(listener: (head: bigint) => void): () => void
  /** How each node does, in the order of the settings. */
  status(): readonly NodeStatus[]
  /** Cuts the connections; nobody waits for a call any more. */
  close(): Promise<void>
}

/**
 * Opens the way to a network's nodes. Reads go to the first node that answers; a call that is to be made once goes to
 * the first node only, whatever becomes of it.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const nodes = options.nodes.map(({ url }) => createHttpNode(url))
  const asked: NodeCall = async (method, params, { signal, once } = {}) => {
    const turn = once === true ? nodes.slice(0, 1) : nodes
    return withDeadline(options.timeoutMs, signal, (deadline) => askInTurn(turn, method, params, deadline))
  }
  const profiled = options.profile === undefined ? asked : options.profile(asked)
  const call: NodeCall = async (method, params, callOptions) => {
    const answer = await profiled(method, params, callOptions)
    if (answer.error !== undefined || answer.result === null) return answer
    const result = normaliseResult(method, params, answer.result)
    if (result === undefined) throw failure('nodeAnsweredRubbish', { cause: answer.result })
    return { result }
  }
  return {
    call,
    async ready() {
      try {
        const { result } = await call('eth_chainId', [])
        return result === options.chainId
      } catch {
        return false
      }
    },
    head: () => undefined,
    onHead: () => () => {},
    status: () =>
      options.nodes.map(({ name }) => ({
        name,
        state: 'unknown',
        head: undefined,
        latencyMs: undefined,
        inFlight: 0,
        failures: 0,
      })),
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

/** The first answer; a node that gives none, in time, is passed over for the next one. */
async function askInTurn(
  nodes: readonly HttpNode[],
  method: string,
  params: readonly JsonValue[],
  deadline: AbortSignal,
): Promise<NodeAnswer> {
  let last: unknown = failure('noNode')
  for (const node of nodes) {
    try {
      return await node.ask(method, params, deadline)
    } catch (error) {
      if (!(error instanceof RpcError) || deadline.aborted) throw error
      last = error
    }
  }
  throw last
}
