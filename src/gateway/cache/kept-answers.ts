import type { RawJson } from '@concordat/rpc'

/** Memory of an entry without its texts, in bytes. */
const entryOverhead = 200

/** The space has two halves: one for new answers, and one for the answers before them. */
const halves = 2

/**
 * Answers up to a number of bytes. The least recently used half is dropped at once. Entries are never deleted singly: V8
 * keeps the old tables of a Map, and everything they refer to, in the old generation of the heap.
 */
export class KeptAnswers {
  readonly #half: number
  #young = new Map<string, RawJson>()
  #youngBytes = 0
  #old = new Map<string, RawJson>()
  #oldBytes = 0

  /**
   * @param most bytes of all answers and their keys
   */
  constructor(most: number) {
    this.#half = most / halves
  }

  /** Bytes in use. */
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

/** Answers are ASCII: a character is a byte. */
const sizeOf = (key: string, { text }: RawJson) => entryOverhead + key.length + text.length
