import { failure } from '../../../generated/errors.js'
import type { JsonObject, JsonValue, RpcError } from '../../rpc/index.js'
import { isList, isObject, isQuantity, toQuantity } from '../hex.js'
import type { NodeCall, NodeCallOptions } from '../node-call.js'
import { findBlock } from './known-block.js'
import { type BlockRange, type LogMatch, readFilter, resolveRange } from './log-filter.js'
import { callerError, nodeTrouble, resultOf } from './node-error.js'

/** The contract's limits of eth_getLogs (specification 8). */
export interface LogLimits {
  /** Logs in the answer to a long range; exactly this many pass. */
  readonly logsPerAnswer: number
  /** Blocks in a range that may hold any number of logs. */
  readonly blockSpanWithoutLogLimit: number
}

/** How often a range is asked for when the chain's head is replaced under it. */
const attempts = 3

/**
 * Answers eth_getLogs (specification 4.1 and 8): the logs of a block or of a range, in the chain's order. A long range
 * is asked for in parts of the span that has no limit, so that it never holds many more logs than it may answer.
 * @param filter as the caller sent it
 * @throws RpcError invalidParams for a filter that breaks a rule, and for a long range with too many logs: then with the
 *   longest range from the same block that works
 */
export async function getLogs(
  call: NodeCall,
  filter: JsonValue | undefined,
  limits: LogLimits,
  options?: NodeCallOptions,
): Promise<readonly JsonValue[]> {
  const read = readFilter(filter)
  if (read.blockHash !== undefined) return logsOfBlock(call, read.blockHash, read.match, options)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const head = await findBlock(call, 'latest', options)
    if (head === undefined || !isQuantity(head['number'])) break
    const headNumber = BigInt(head['number'])
    const range = await resolveRange(call, read, headNumber, options)
    if (range === undefined) return []
    const logs = await logsOfRange(call, range, read.match, limits, options)
    if (range.to < headNumber || (await isStillThere(call, head, options))) return logs
  }
  throw failure('noNode', { cause: 'the head changed again and again' })
}

/** The head's block can be replaced while its logs are read: they would be those of two chains. */
async function isStillThere(call: NodeCall, head: JsonObject, options?: NodeCallOptions): Promise<boolean> {
  const now = await findBlock(call, head['number'] ?? null, options)
  return now?.['hash'] === head['hash']
}

/** The logs of one block, any number of them; none when the node does not have the block. */
async function logsOfBlock(
  call: NodeCall,
  blockHash: JsonValue,
  match: LogMatch,
  options?: NodeCallOptions,
): Promise<readonly JsonValue[]> {
  const answer = await call('eth_getLogs', [{ ...match, blockHash }], options)
  if (answer.error === undefined) return inOrder(answer.result)
  const trouble = nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  if ((await findBlock(call, blockHash, options)) !== undefined) throw callerError(answer.error)
  return []
}

async function logsOfRange(
  call: NodeCall,
  range: BlockRange,
  match: LogMatch,
  limits: LogLimits,
  options?: NodeCallOptions,
): Promise<readonly JsonValue[]> {
  const span = BigInt(limits.blockSpanWithoutLogLimit)
  const isShort = range.to - range.from < span
  const logs: JsonValue[] = []
  for (let from = range.from; from <= range.to; from += span) {
    const to = lower(from + span - 1n, range.to)
    const part = { ...match, fromBlock: toQuantity(from), toBlock: toQuantity(to) }
    for (const log of inOrder(resultOf(await call('eth_getLogs', [part], options)))) logs.push(log)
    const surplus = isShort ? undefined : logs[limits.logsPerAnswer]
    if (surplus !== undefined) throw overLimit(range, place(surplus).block, limits)
  }
  return logs
}

const lower = (a: bigint, b: bigint) => (a < b ? a : b)

/**
 * The error for too many logs. The range in it is the longest that works: up to the block before the one that passes
 * the limit, or the whole span without limit when that is longer.
 * @param passing the block with the first log too many
 */
function overLimit(range: BlockRange, passing: bigint, limits: LogLimits): RpcError {
  const unlimited = range.from + BigInt(limits.blockSpanWithoutLogLimit) - 1n
  const last = passing - 1n > unlimited ? passing - 1n : unlimited
  const data = {
    from: toQuantity(range.from),
    to: toQuantity(lower(last, range.to)),
    limit: limits.logsPerAnswer,
  }
  return failure('logsOverLimit', { values: data, data })
}

/** The logs of an answer, ordered by block and by position in it. */
function inOrder(result: JsonValue): readonly JsonValue[] {
  if (!isList(result)) throw failure('nodeAnsweredRubbish', { cause: result })
  const isOrdered = result.every((log, index) => index === 0 || compare(result[index - 1] ?? null, log) <= 0)
  return isOrdered ? result : [...result].sort(compare)
}

function compare(a: JsonValue, b: JsonValue): number {
  const left = place(a)
  const right = place(b)
  if (left.block !== right.block) return left.block < right.block ? -1 : 1
  return left.index - right.index
}

function place(log: JsonValue): { readonly block: bigint; readonly index: number } {
  const { blockNumber, logIndex } = isObject(log) ? log : {}
  if (!isQuantity(blockNumber) || !isQuantity(logIndex)) throw failure('nodeAnsweredRubbish', { cause: log })
  return { block: BigInt(blockNumber), index: Number(logIndex) }
}
