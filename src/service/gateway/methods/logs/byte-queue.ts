/** Sizes of blocks in bytes. The first block is smaller, because most queues stay small. */
const blockBytes = 65_536
const firstBytes = 4_096

/**
 * A FIFO queue of bytes in reused blocks, because the garbage collector is slow to free short-lived large
 * buffers.
 */
export class ByteQueue {
  readonly #blocks: Buffer[] = []
  readonly #spare: Buffer[] = []
  /** Bytes in the last block. */
  #last = 0
  #size = 0

  /** Number of bytes in the queue. */
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

  /**
   * Removes bytes from the end.
   * @param size number of bytes to keep
   */
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

  /** Removes and returns the content of the first block; undefined when the queue is empty. */
  take(): Buffer | undefined {
    if (this.#size === 0) return undefined
    const block = this.#blocks.shift()
    const isLast = this.#blocks.length === 0
    const bytes = isLast ? block?.subarray(0, this.#last) : block
    this.#size -= bytes?.length ?? 0
    if (isLast) this.#last = 0
    return bytes
  }

  /** Accepts a block for reuse after its reader has finished. */
  reuse(bytes: Buffer): void {
    if (bytes.length === blockBytes && this.#spare.length < 2) this.#spare.push(bytes)
  }

  /** Returns all bytes from an offset on. */
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
