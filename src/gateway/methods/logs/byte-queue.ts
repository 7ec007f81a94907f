/** Size of a block, in bytes; of the first one, since most queues stay small. */
const blockBytes = 65_536
const firstBytes = 4_096

/**
 * Bytes in the order they came, in blocks that are used again: the garbage collector learns late of large buffers that
 * live for a moment each.
 */
export class ByteQueue {
  readonly #blocks: Buffer[] = []
  readonly #spare: Buffer[] = []
  /** Bytes in the last block. */
  #last = 0
  #size = 0

  /** How many bytes there are. */
  get size(): number {
    return this.#size
  }

  append(bytes: Uint8Array): void {
    this.#size += bytes.length
    for (let from = 0; from < bytes.length; ) {
      const block = this.#blockWithRoom()
      const to = Math.min(bytes.length, from + block.length - this.#last)
      block.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#last)
      this.#last += to - from
      from = to
    }
  }

  /** Forgets the last bytes. */
  truncate(size: number): void {
    while (this.#size > size) {
      const excess = this.#size - size
      if (excess < this.#last) {
        this.#last -= excess
        this.#size = size
        return
      }
      this.#size -= this.#last
      this.#blocks.pop()
      this.#last = this.#blocks.at(-1)?.length ?? 0
    }
  }

  /** Takes the first block with what is in it; undefined when there is nothing. */
  take(): Buffer | undefined {
    if (this.#size === 0) return undefined
    const block = this.#blocks.shift()
    const isLast = this.#blocks.length === 0
    const bytes = isLast ? block?.subarray(0, this.#last) : block
    this.#size -= bytes?.length ?? 0
    if (isLast) this.#last = 0
    return bytes
  }

  /** Takes a block back that nobody reads any more. */
  reuse(bytes: Buffer): void {
    if (bytes.length === blockBytes && this.#spare.length < 2) this.#spare.push(bytes)
  }

  /** All bytes, from some place on. */
  from(start: number): Buffer {
    const blocks = this.#blocks.map((block, index) =>
      index === this.#blocks.length - 1 ? block.subarray(0, this.#last) : block,
    )
    return Buffer.concat(blocks).subarray(start)
  }

  #blockWithRoom(): Buffer {
    const last = this.#blocks.at(-1)
    if (last !== undefined && this.#last < last.length) return last
    const made =
      this.#spare.pop() ??
      (last === undefined ? Buffer.allocUnsafe(firstBytes) : Buffer.allocUnsafeSlow(blockBytes))
    this.#blocks.push(made)
    this.#last = 0
    return made
  }
}
