import type { JsonValue } from '../../rpc/index.js'
import type { MethodProfile } from '../profiles/index.js'
import type { NodeSettings } from './node-settings.js'
import type { NodeCallEvent } from './node-status.js'
import type { PoolNode } from './pool-node.js'
import type { PoolSettings } from './pool-settings.js'

/** What a pool is made of. */
export interface NodePoolOptions {
  readonly nodes: readonly NodeSettings[]
  /** How long a call may take, in milliseconds, over all the nodes that are tried. */
  readonly timeoutMs: number
  /** Blocks that a node may be behind the others and still be asked. */
  readonly lagBlocks: number
  /** Calls that travel to a node as one batch, at most. */
  readonly batchItems: number
  /** Returns the profile of a method. */
  readonly profileOf: (method: string) => MethodProfile
  readonly settings: PoolSettings
  /** Makes a node's result the contract's; undefined for one that is not of the method's kind. */
  readonly normalise: (
    method: string,
    params: readonly JsonValue[],
    result: JsonValue,
  ) => JsonValue | undefined
  readonly observe?: ((event: NodeCallEvent) => void) | undefined
  /** Told of each result that is passed on to a caller, by the node that gave it. */
  readonly inspect?: ((node: string, method: string, result: JsonValue) => void) | undefined
  /** Told of a node that is not asked any more because it fails. */
  readonly onOpen: (node: PoolNode, cause: unknown) => void
  /** Told when a call waits for nodes to be looked at. */
  readonly onNeed: () => void
}
