import { failure } from '../../../generated/errors.js'
import type { JsonValue, RawJson } from '../../rpc/index.js'
import type { CallSignal, NodeTrace } from '../nodes/node-call.js'

/** One who asks. */
export interface Asker {
  /** True when the caller has disconnected. Read while the answer is being made. */
  readonly isDisconnected?: boolean | undefined
  /** Where requests are traced. */
  readonly trace?: NodeTrace | undefined
}

const nobody: Asker[] = []

/**
 * A call for one caller or several: while it is under way it is given up when all of them have left, and when it has
 * landed it is the answer that is remembered, if it is one that may be.
 */
export class RecentCall implements CallSignal {
  /** While it is under way. */
  answer: Promise<JsonValue | RawJson> | undefined = undefined
  /** When it has landed: undefined where the answer is not remembered. */
  result: RawJson | undefined = undefined
  /** When it landed, by the cache's clock. */
  landedAt = 0
  #askers: Asker[]

  constructor(first: Asker) {
    this.#askers = [first]
  }

  get aborted(): boolean {
    for (const { isDisconnected } of this.#askers) if (isDisconnected !== true) return false
    return true
  }

  /** Nobody reads it: what a call is given up with is no failure of ours. */
  get reason(): unknown {
    return failure('noNode')
  }

  join(asker: Asker): void {
    this.#askers.push(asker)
  }

  /** Lets go of all that belongs to its way: who held it last may hold it for long. */
  land(): void {
    this.#askers = nobody
    this.answer = undefined
  }
}

/**
 * The calls about the most recent block, those that are under way and the last that have landed, in one place: a call
 * that nobody asked before is looked for once and put there once. Of those that have landed there are as many as may be:
 * who was asked for longest ago goes first, half of them at once, as with {@link KeptAnswers}.
 */
export class RecentCalls {
  readonly #halfBytes: number
  readonly #halfCount: number
  #young = new Map<string, RecentCall>()
  #old = new Map<string, RecentCall>()
  /** Calls that landed since the last half went, and the bytes of their answers. */
  #landed = 0
  #bytes = 0

  /**
   * @param most bytes that answers and their keys may take, one large answer not counted
   * @param count calls that are remembered when they have landed
   */
  constructor(most: number, count: number) {
    this.#halfBytes = most / 2
    this.#halfCount = count / 2
  }

  get(key: string): RecentCall | undefined {
    const call = this.#young.get(key)
    if (call !== undefined || this.#old.size === 0) return call
    const old = this.#old.get(key)
    if (old !== undefined) {
      this.#young.set(key, old)
      this.#count(key, old)
    }
    return old
  }

  /** Puts a call there that is under way. */
  add(key: string, call: RecentCall): void {
    this.#young.set(key, call)
  }

  /** A call that was put there has landed. */
  landed(key: string, call: RecentCall): void {
    this.#count(key, call)
    if (this.#landed < this.#halfCount && this.#bytes <= this.#halfBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#landed = 0
    this.#bytes = 0
    for (const [key, each] of this.#old) if (each.answer !== undefined) this.#young.set(key, each)
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map()
    if (this.#old.size > 0) this.#old = new Map()
    this.#landed = 0
    this.#bytes = 0
  }

  /** What is under way is counted when it lands. */
  #count(key: string, { answer, result }: RecentCall): void {
    if (answer !== undefined) return
    this.#landed += 1
    // Answers are ASCII, so that a character is a byte.
    this.#bytes += key.length + (result === undefined ? 0 : result.text.length)
  }
}
