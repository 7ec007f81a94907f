import type { RawJson } from '../../rpc/index.js'

/** What an entry takes beside its texts, in bytes. */
const entryOverhead = 200

/** Answers that cannot change, within a number of bytes: the one that was asked for longest ago goes first. */
export class KeptAnswers {
  readonly #answers = new Map<string, RawJson>()
  readonly #most: number
  #bytes = 0

  /** @param most bytes that all answers and their keys may take */
  constructor(most: number) {
    this.#most = most
  }

  /** Bytes that are taken. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): RawJson | undefined {
    const answer = this.#answers.get(key)
    if (answer === undefined) return undefined
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    return answer
  }

  set(key: string, answer: RawJson): void {
    this.#drop(key)
    this.#answers.set(key, answer)
    this.#bytes += sizeOf(key, answer)
    if (this.#bytes <= this.#most) return
    for (const oldest of this.#answers.keys()) {
      this.#drop(oldest)
      if (this.#bytes <= this.#most) return
    }
  }

  clear(): void {
    this.#answers.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const answer = this.#answers.get(key)
    if (answer === undefined) return
    this.#answers.delete(key)
    this.#bytes -= sizeOf(key, answer)
  }
}

/** Answers are ASCII, so that a character is a byte. */
const sizeOf = (key: string, { text }: RawJson) => entryOverhead + key.length + text.length
