import type {
  BlockSelector,
  BlockWithHashes,
  BlockWithTransactions,
} from '@concordat/node-access-contract/types'
import type { ChainCursor, Rollback } from './chain/chain-cursor.js'
import { type BlockReader, blockAt, fullBlockAt, type MinedBlock, toQuantity } from './chain/chain-reader.js'
import { type PollOptions, poll } from './chain/poll.js'
import { blockNumber } from './chain/read-logs.js'
import { ReadPosition } from './chain/read-position.js'

/** Options of {@link watchBlocks}. */
export interface WatchBlocksOptions extends PollOptions {
  /** The first block. Default: `latest`. */
  readonly fromBlock?: BlockSelector | undefined
  /** Resumes after the last block of this cursor. */
  readonly after?: ChainCursor | undefined
  /** True for transaction objects, false for transaction hashes. Default: `false`. */
  readonly fullTransactions?: boolean | undefined
}

/** A block, and the position after it. */
export interface BlockPage<Block extends BlockWithHashes | BlockWithTransactions = BlockWithHashes> {
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
 * @param client a client of `createClient`
 * @param options the interval in milliseconds, `fromBlock`, `after` to resume, `signal` and `onError`
 * @throws ReorgError if no block of the cursor is in the chain and `fromBlock` is not a number
 * @throws CallError, TransportError for errors that are not temporary
 */
export function watchBlocks(
  client: BlockReader,
  options: WatchBlocksOptions & { readonly fullTransactions: true },
): AsyncGenerator<BlockPage<BlockWithTransactions> | Rollback, never, undefined>
export function watchBlocks(
  client: BlockReader,
  options?: WatchBlocksOptions & { readonly fullTransactions?: false | undefined },
): AsyncGenerator<BlockPage | Rollback, never, undefined>
export function watchBlocks(
  client: BlockReader,
  options: WatchBlocksOptions = {},
): AsyncGenerator<BlockPage<BlockWithHashes | BlockWithTransactions> | Rollback, never, undefined> {
  const { signal } = options
  const read = (selector: BlockSelector) =>
    (options.fullTransactions ? fullBlockAt : blockAt)(client, selector, signal)
  const position = new ReadPosition(blockNumber(options.fromBlock), options.after)
  return poll(() => newBlocks(client, read, position, signal), options)
}

type Block = BlockWithHashes | BlockWithTransactions

async function* newBlocks(
  client: BlockReader,
  read: (selector: BlockSelector) => Promise<MinedBlock<Block> | undefined>,
  position: ReadPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<BlockPage<Block> | Rollback, void, undefined> {
  const head = await read('latest')
  if (head === undefined) return
  const end = Number(head.number)
  let isReplaced = position.isReplacedBy(head)
  for (let from = position.nextFrom(head); from <= end && !isReplaced; ) {
    const count = Math.min(end - from + 1, blocksAtOnce)
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, at) => (from + at === end ? head : read(toQuantity(from + at)))),
    )
    for (const block of blocks) {
      const [before] = position.cursor
      isReplaced = block === undefined || (before !== undefined && before.hash !== block.parentHash)
      if (isReplaced || block === undefined) break
      position.advance([{ number: block.number, hash: block.hash }])
      yield { kind: 'block', block, cursor: position.cursor }
    }
    from += count
  }
  const rollback = isReplaced && (await position.rollBack(client, signal))
  if (rollback) yield rollback
}
