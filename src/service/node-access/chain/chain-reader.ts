import type { CallOptions } from '@concordat/client'
import type * as decoded from '@concordat/node-access-contract/decoded'
import type {
  Block,
  BlockSelector,
  BlockWithHashes,
  BlockWithTransactions,
  Hash,
} from '@concordat/node-access-contract/types'
import type { BlockPosition } from './chain-cursor.js'

/** The number of a block or a tag, with values of the wire or decoded. */
export type AnySelector = BlockSelector | decoded.BlockSelector

/** The part of a client that reads blocks. */
export interface BlockReader<Selector extends AnySelector = BlockSelector> {
  readonly eth_getBlockByNumber: (
    selector: Selector,
    fullTransactions: boolean,
    options?: CallOptions,
  ) => Promise<Block | decoded.Block | null>
}

/** A block with hashes or transactions, with values of the wire or decoded. */
export type AnyBlock =
  | BlockWithHashes
  | BlockWithTransactions
  | decoded.BlockWithHashes
  | decoded.BlockWithTransactions

/** A block that is part of the chain: it has a number and a hash. */
export type MinedBlock<Block extends AnyBlock = BlockWithHashes> = Block & {
  readonly number: NonNullable<Block['number']>
  readonly hash: Hash
}

/** Encodes a number as a quantity of the contract. */
export const toQuantity = (value: number | bigint): `0x${string}` => `0x${value.toString(16)}`

/** Returns the position of a block, with values of the wire. */
export function positionOf({ number, hash }: MinedBlock<AnyBlock>): BlockPosition {
  return { number: toQuantity(Number(number)), hash }
}

/**
 * Reads a block by its number or a tag. Its values are those of the client.
 * @returns undefined if the chain has no such block, or it is pending
 */
export async function blockAt(
  client: BlockReader<never>,
  selector: BlockSelector,
  signal: AbortSignal | undefined,
  fullTransactions = false,
): Promise<MinedBlock<AnyBlock> | undefined> {
  // Clients with decoded values send quantities of the wire as they are.
  const reader = client as BlockReader
  const block = await reader.eth_getBlockByNumber(selector, fullTransactions, { signal })
  const isMined = block !== null && block.hash !== null && block.number !== null
  return isMined ? (block as MinedBlock<AnyBlock>) : undefined
}
