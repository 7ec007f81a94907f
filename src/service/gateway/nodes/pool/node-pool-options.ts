import type { JsonValue } from '@concordat/rpc'
import type { FairLimiter } from '@concordat/server'
import type { MethodProfile } from '../../profiles/index.js'
import type { OnDropped } from '../answers/dropped-members.js'
import type { NodeSettings } from '../node-settings.js'
import type { NodeCallEvent } from '../node-status.js'
import type { PoolNode } from './pool-node.js'
import type { PoolSettings } from './pool-settings.js'

/** Options of a node pool. */
export interface NodePoolOptions {
  readonly nodes: readonly NodeSettings[]
  /** Deadline of a call in milliseconds, including retries with other nodes. */
  readonly timeoutMs: number
  /** Maximum distance of a usable node's head from the agreed head, in blocks. */
  readonly lagBlocks: number
  /** Maximum number of calls in a batch to a node. */
  readonly batchItems: number
  /** Returns the profile of a method. */
  readonly profileOf: (method: string) => MethodProfile
  readonly settings: PoolSettings
  /** Memory for large answers of nodes. */
  readonly answerRoom: FairLimiter
  /** Normalises a node's result; returns undefined for a result of the wrong type. */
  readonly normalise: (
    method: string,
    params: readonly JsonValue[],
    result: JsonValue,
    onDropped?: OnDropped,
  ) => JsonValue | undefined
  /** Creates the receiver of members that are removed from a node's results. */
  readonly onDropped?: ((node: string) => OnDropped) | undefined
  readonly observe?: ((event: NodeCallEvent) => void) | undefined
  /** Called for each result that goes to a caller, with the node that sent it. */
  readonly inspect?: ((node: string, method: string, result: JsonValue) => void) | undefined
  /** Called when a node begins or ceases to fail, with the cause of the last failure. */
  readonly onFailing: (node: PoolNode, cause: unknown) => void
  /** Called when a node did not answer a request: a check shows whether it can be reached. */
  readonly onDoubt: (node: PoolNode) => void
  /** Called when a call needs nodes to be checked early. */
  readonly onNeed: () => void
}
