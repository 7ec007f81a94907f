import type { Hash, Quantity } from '@concordat/node-access-contract/types'

/** The number and the hash of a block that was read. */
export interface BlockPosition {
  readonly number: Quantity
  readonly hash: Hash
}

/**
 * A position in the chain: the last block that was read, then earlier blocks, newest first. It is plain JSON,
 * so that it can be stored. The earlier blocks show where a reorganisation began.
 */
export type ChainCursor = readonly BlockPosition[]

/** Reports a reorganisation: blocks that were read before have left the chain. */
export interface Rollback {
  readonly kind: 'rollback'
  /** Number of the first replaced block. Discard everything received for this block and for later ones. */
  readonly from: Quantity
  /** The last block that is still part of the chain. It is empty if nothing received is valid any more. */
  readonly cursor: ChainCursor
}

/** A reorganisation replaced blocks whose logs were already returned. */
export class ReorgError extends Error {
  override readonly name = 'ReorgError'
  /** Number of the first block that is known to be replaced. If `cursor` is empty, earlier blocks may be, too. */
  readonly from: Quantity
  /** The position to resume from. Empty if every block of the cursor was replaced. */
  readonly cursor: ChainCursor

  constructor(from: Quantity, cursor: ChainCursor) {
    const advice =
      cursor.length > 0
        ? 'Discard the logs of this block and later ones, and resume with the cursor of the error.'
        : 'No block of the cursor is part of the chain. Discard the logs and start at an earlier block.'
    super(`A reorganisation replaced block ${Number(from)}. ${advice}`)
    this.from = from
    this.cursor = cursor
  }
}
