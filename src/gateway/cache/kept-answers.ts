import type { RawJson } from '../../rpc/index.js'

/** What an entry takes beside its texts, in bytes. */
const entryOverhead = 200

/** Halves of the space: one takes answers, the other holds those from before it. */
const halves = 2

/**
 * Answers within a number of bytes: those that nobody asked for longest go first, half of the space at once. Nothing is
 * taken out singly: the tables of a Map that entries come and go in outlive them in the old part of the heap, one table
 * holding the next, and all that hangs on them.
 */
export class KeptAnswers {
  readonly #half: number
  #young = new Map<string, RawJson>()
  #youngBytes = 0
  #old = new Map<string, RawJson>()
  #oldBytes = 0

  /**
   * @param most bytes that all answers and their keys may take
   */
  constructor(most: number) {
    this.#half = most / halves
  }

  /** Bytes that are taken. */
  get bytes(): number {
    return this.#youngBytes + this.#oldBytes
  }

  get(key: string): RawJson | undefined {
    const answer = this.#young.get(key)
    if (answer !== undefined || this.#oldBytes === 0) return answer
    const old = this.#old.get(key)
    if (old !== undefined) this.#add(key, old)
    return old
  }

  set(key: string, answer: RawJson): void {
    const before = this.#young.get(key)
    if (before !== undefined) this.#youngBytes -= sizeOf(key, before)
    this.#add(key, answer)
  }

  clear(): void {
    if (this.bytes === 0) return
    this.#young = new Map()
    this.#youngBytes = 0
    this.#drop()
  }

  #add(key: string, answer: RawJson): void {
    this.#young.set(key, answer)
    this.#youngBytes += sizeOf(key, answer)
    if (this.#youngBytes <= this.#half && this.bytes <= this.#half * halves) return
    this.#old = this.#young
    this.#oldBytes = this.#youngBytes
    this.#young = new Map()
    this.#youngBytes = 0
    if (this.#oldBytes > this.#half * halves) this.#drop()
  }

  #drop(): void {
    this.#old = new Map()
    this.#oldBytes = 0
  }
}

/** Answers are ASCII, so that a character is a byte. */
const sizeOf = (key: string, { text }: RawJson) => entryOverhead + key.length + text.length
