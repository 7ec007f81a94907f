import { failure, failures } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isList, isObject, isQuantity } from '../../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../../nodes/index.js'
import { withoutNulls } from '../call-object.js'
import { findBlock, headNumber } from '../known-block.js'

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

/** The conditions of a filter except its blocks, in the node's form. */
export type LogMatch = JsonObject

/** A parsed filter: one block by its hash, or a range between numbers or tags. */
export type ReadFilter =
  | { readonly match: LogMatch; readonly blockHash: JsonValue }
  | {
      readonly match: LogMatch
      readonly fromBlock: JsonValue
      readonly toBlock: JsonValue
      blockHash?: undefined
    }

/**
 * Parses a filter (specification 4.1). Null members and empty lists count as absent, and absent bounds as
 * `latest`. The schema has already rejected `blockHash` beside a bound.
 * @throws RpcError logsRangeReversed
 */
export function readFilter(filter: JsonValue | undefined): ReadFilter {
  const { blockHash, fromBlock, toBlock, address, topics } = withoutNulls(isObject(filter) ? filter : {})
  const match = withoutEmptyLists(address, topics)
  if (blockHash !== undefined) return { match, blockHash }
  if (isQuantity(fromBlock) && isQuantity(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) throw reversed()
  return { match, fromBlock: fromBlock ?? 'latest', toBlock: toBlock ?? 'latest' }
}

/** Removes empty lists: they match everything, but nodes handle them differently. */
function withoutEmptyLists(address: JsonValue | undefined, topics: JsonValue | undefined): LogMatch {
  const positions = isList(topics)
    ? topics.map((topic) => (isList(topic) && topic.length === 0 ? null : topic))
    : []
  const hasAddress = address !== undefined && !(isList(address) && address.length === 0)
  return { ...(hasAddress ? { address } : {}), ...(positions.length > 0 ? { topics: positions } : {}) }
}

/**
 * Resolves the bounds of a range to numbers. `pending` means `latest`, and the end is limited to the most
 * recent block.
 * @param head number of the most recent block
 * @returns undefined when the range starts above the most recent block
 * @throws RpcError logsRangeReversed when it ends before it starts
 */
export async function resolveRange(
  call: NodeCall,
  bounds: { readonly fromBlock: JsonValue; readonly toBlock: JsonValue },
  head: bigint,
  options?: NodeCallOptions,
): Promise<BlockRange | undefined> {
  const number = async (bound: JsonValue) => {
    if (bound === 'earliest') return lowestNumber(call, options)
    return isQuantity(bound) ? BigInt(bound) : head
  }
  const from = await number(bounds.fromBlock)
  const asked = await number(bounds.toBlock)
  const to = asked < head ? asked : head
  if (from > head) return undefined
  if (from > to) throw reversed()
  return { from, to }
}

/** Returns the number of the lowest block, which is above 0 on a node that has pruned old blocks. */
async function lowestNumber(call: NodeCall, options?: NodeCallOptions): Promise<bigint> {
  const number = (await findBlock(call, 'earliest', options))?.['number']
  return isQuantity(number) ? BigInt(number) : headNumber(call, options)
}

const reversed = () => {
  const { message } = failures.logsRangeReversed
  return failure('logsRangeReversed', {
    data: [{ path: '/0/fromBlock', rule: 'logs.range-reversed', message }],
  })
}
