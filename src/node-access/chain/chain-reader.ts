import type { CallOptions } from '@concordat/client'
import type {
  Block,
  BlockSelector,
  BlockWithHashes,
  BlockWithTransactions,
  Hash,
  Quantity,
} from '@concordat/node-access-contract/types'

/** The part of a client that reads blocks. */
export interface BlockReader {
  readonly eth_getBlockByNumber: (
    selector: BlockSelector,
    fullTransactions: boolean,
    options?: CallOptions,
  ) => Promise<Block | null>
}

/** A block that is part of the chain: it has a number and a hash. */
export type MinedBlock<Block extends BlockWithHashes | BlockWithTransactions = BlockWithHashes> = Block & {
  readonly number: Quantity
  readonly hash: Hash
}

/** Encodes a number as a quantity of the contract. */
export const toQuantity = (value: number): `0x${string}` => `0x${value.toString(16)}`

/** Reads a block by its number or a tag. Returns undefined if the chain has no such block. */
export async function blockAt(
  client: BlockReader,
  selector: BlockSelector,
  signal: AbortSignal | undefined,
): Promise<MinedBlock | undefined> {
  return mined<BlockWithHashes>(await client.eth_getBlockByNumber(selector, false, { signal }))
}

/** Reads a block like {@link blockAt}, with transaction objects. */
export async function fullBlockAt(
  client: BlockReader,
  selector: BlockSelector,
  signal: AbortSignal | undefined,
): Promise<MinedBlock<BlockWithTransactions> | undefined> {
  return mined<BlockWithTransactions>(await client.eth_getBlockByNumber(selector, true, { signal }))
}

/** Returns a block with the kind of transactions that was asked for, unless it is pending or missing. */
function mined<Asked extends BlockWithHashes | BlockWithTransactions>(
  block: Block | null,
): MinedBlock<Asked> | undefined {
  const isMined = block !== null && block.hash !== null && block.number !== null
  return isMined ? (block as MinedBlock<Asked>) : undefined
}
