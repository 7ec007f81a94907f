/** The memory that large answers of a network's nodes take together while they are read, in bytes. */
export class AnswerRoom {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Takes some of it; false when there is not so much. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  /** Gives some of it back. */
  give(bytes: number): void {
    this.#left += bytes
  }
}
