import { type BlockPosition, type ChainCursor, ReorgError, type Rollback } from './chain-cursor.js'
import { type BlockReader, blockAt, toQuantity } from './chain-reader.js'

/** Number of blocks in a cursor. */
const cursorLength = 32

/** How far the chain has been read. */
export class ReadPosition {
  cursor: ChainCursor
  /** Number of the next block. Undefined until the head is known, if reading starts at the head. */
  next: number | undefined
  /** Number of the first block. Undefined if it is unknown, because reading was resumed. */
  #start: number | undefined

  /**
   * @param start number of the first block; undefined for the head
   * @param after the position to resume from
   */
  constructor(start: number | undefined, after: ChainCursor = []) {
    this.cursor = after
    this.#start = start
    this.next = after[0] === undefined ? start : Number(after[0].number) + 1
  }

  /** Returns the number of the next block. Reading without a first block starts at the head. */
  nextFrom(head: BlockPosition): number {
    this.next ??= this.#start ??= Number(head.number)
    return this.next
  }

  /** Records that all blocks up to the newest of these have been read. */
  advance(newestFirst: ChainCursor): void {
    this.cursor = [...newestFirst, ...this.cursor].slice(0, cursorLength)
    this.next = Number(this.cursor[0]?.number) + 1
  }

  /** Returns true if a block that was read, at or below the head, has evidently been replaced. */
  isReplacedBy(head: BlockPosition): boolean {
    return this.cursor.some(({ number, hash }) => number === head.number && hash !== head.hash)
  }

  /**
   * Finds the last block that is still part of the chain, and moves back to the block after it.
   * @returns undefined if no block was replaced
   * @throws ReorgError if every known block was replaced, and the first block is unknown
   */
  async rollBack(client: BlockReader<never>, signal: AbortSignal | undefined): Promise<Rollback | undefined> {
    const { cursor } = this
    for (const [at, { number, hash }] of cursor.entries()) {
      if ((await blockAt(client, number, signal))?.hash !== hash) continue
      return at === 0 ? undefined : this.#moveTo(Number(number) + 1, cursor.slice(at))
    }
    if (cursor.length === 0) return undefined
    if (this.#start === undefined) throw new ReorgError(toQuantity(Number(cursor.at(-1)?.number)), [])
    return this.#moveTo(this.#start, [])
  }

  #moveTo(next: number, cursor: ChainCursor): Rollback {
    this.next = next
    this.cursor = cursor
    return { kind: 'rollback', from: toQuantity(next), cursor }
  }
}
