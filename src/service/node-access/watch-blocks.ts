import type * as decoded from '@concordat/node-access-contract/decoded'
import type {
  BlockSelector,
  BlockWithHashes,
  BlockWithTransactions,
} from '@concordat/node-access-contract/types'
import type { ChainCursor, Rollback } from './chain/chain-cursor.js'
import {
  type AnyBlock,
  type AnySelector,
  type BlockReader,
  blockAt,
  type MinedBlock,
  positionOf,
  toQuantity,
} from './chain/chain-reader.js'
import { type PollOptions, poll } from './chain/poll.js'
import { blockNumber } from './chain/read-logs.js'
import { ReadPosition } from './chain/read-position.js'

/** Options of {@link watchBlocks}. */
export interface WatchBlocksOptions<
  Selector extends AnySelector = BlockSelector,
  Full extends boolean = boolean,
> extends PollOptions {
  /** The first block. Default: `latest`. */
  readonly fromBlock?: Selector | undefined
  /** Resumes after the last block of this cursor. */
  readonly after?: ChainCursor | undefined
  /** True for transaction objects, false for transaction hashes. Default: `false`. */
  readonly fullTransactions?: Full | undefined
}

/** The blocks of a client that takes such selectors. */
type BlockOf<Selector extends AnySelector, Full extends boolean> = [Selector] extends [BlockSelector]
  ? Full extends true
    ? BlockWithTransactions
    : BlockWithHashes
  : Full extends true
    ? decoded.BlockWithTransactions
    : decoded.BlockWithHashes

/** A block with the values of the client, and the position after it. */
export interface BlockPage<Block extends AnyBlock = BlockWithHashes> {
  readonly kind: 'block'
  readonly block: MinedBlock<Block>
  readonly cursor: ChainCursor
}

/** Blocks that are read at once after several have appeared. */
const blocksAtOnce = 16

/**
 * Follows the blocks of the chain by polling. Every block from `fromBlock` on is returned exactly once and in
 * order, also blocks that appear between two polls. At most 16 blocks are read ahead.
 *
 * A rollback reports replaced blocks: discard the blocks from its number on. The replacing blocks follow.
 * Temporary errors are reported to `onError` and the poll is repeated. It ends with `break`, with the signal,
 * or with an error that is not temporary.
 * @param client a client of `createClient`; with `decode`, results are decoded too
 * @param options the interval in milliseconds, `fromBlock`, `after` to resume, `signal` and `onError`
 * @throws ReorgError if no block of the cursor is in the chain and `fromBlock` is not a number
 * @throws RangeError if `fromBlock` is neither a tag nor a whole number from 0 to 2^53 - 1
 * @throws CallError, TransportError for errors that are not temporary
 */
export function watchBlocks<Selector extends AnySelector, Full extends boolean = false>(
  client: BlockReader<Selector>,
  options: WatchBlocksOptions<Selector, Full> = {},
): AsyncGenerator<BlockPage<BlockOf<Selector, Full>> | Rollback, never, undefined> {
  const { signal } = options
  type Found = MinedBlock<BlockOf<Selector, Full>> | undefined
  const read = async (selector: BlockSelector) =>
    (await blockAt(client, selector, signal, options.fullTransactions)) as Found
  const position = new ReadPosition(blockNumber('watchBlocks', 'fromBlock', options.fromBlock), options.after)
  return poll(() => newBlocks(client, read, position, signal), options)
}

async function* newBlocks<Block extends AnyBlock>(
  client: BlockReader<never>,
  read: (selector: BlockSelector) => Promise<MinedBlock<Block> | undefined>,
  position: ReadPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<BlockPage<Block> | Rollback, void, undefined> {
  const head = await read('latest')
  if (head === undefined) return
  const end = Number(head.number)
  const headPosition = positionOf(head)
  let isReplaced = position.isReplacedBy(headPosition)
  for (let from = position.nextFrom(headPosition); from <= end && !isReplaced; ) {
    const count = Math.min(end - from + 1, blocksAtOnce)
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, at) => (from + at === end ? head : read(toQuantity(from + at)))),
    )
    for (const block of blocks) {
      const [before] = position.cursor
      isReplaced = block === undefined || (before !== undefined && before.hash !== block.parentHash)
      if (isReplaced || block === undefined) break
      position.advance([positionOf(block)])
      yield { kind: 'block', block, cursor: position.cursor }
    }
    from += count
  }
  const rollback = isReplaced && (await position.rollBack(client, signal))
  if (rollback) yield rollback
}
