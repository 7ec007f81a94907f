import { failure } from '../../../generated/errors.js'
import type { JsonValue, RawJson } from '../../rpc/index.js'
import type { CallSignal, NodeTrace } from '../nodes/index.js'

/** A caller of a method whose answers are shared. */
export interface Asker {
  /** True when the caller has disconnected. Read while the answer is being made. */
  readonly isDisconnected?: boolean | undefined
  /** The trace of the caller's request. */
  readonly trace?: NodeTrace | undefined
}

const noCallers: Asker[] = []

/**
 * A call for one or several callers. It is aborted when all of them have disconnected. After it has ended it holds the
 * cached answer, if the answer may be cached.
 */
export class RecentCall implements CallSignal {
  /** The pending answer; undefined after the call has ended. */
  answer: Promise<JsonValue | RawJson> | undefined = undefined
  /** The cached answer; undefined when there is none. */
  result: RawJson | undefined = undefined
  /** When the call ended, by the cache's clock. */
  endedAt = 0
  #callers: Asker[]

  constructor(first: Asker) {
    this.#callers = [first]
  }

  get aborted(): boolean {
    for (const { isDisconnected } of this.#callers) if (isDisconnected !== true) return false
    return true
  }

  /** No caller receives this error. */
  get reason(): unknown {
    return failure('noNode')
  }

  join(caller: Asker): void {
    this.#callers.push(caller)
  }

  /** Drops the references to callers and to the pending answer, because the call may stay in the cache. */
  end(): void {
    this.#callers = noCallers
    this.answer = undefined
  }
}

/**
 * The calls about the most recent block: the pending ones and the last ones that ended. One map holds both, so that a
 * new call needs one lookup and one insertion. The least recently used half is dropped at once, as in
 * {@link KeptAnswers}.
 */
export class RecentCalls {
  readonly #halfBytes: number
  readonly #halfCount: number
  #young = new Map<string, RecentCall>()
  #old = new Map<string, RecentCall>()
  /** Calls that ended since the last half was dropped, and the bytes of their answers. */
  #ended = 0
  #bytes = 0

  /**
   * @param most bytes of answers and their keys; one large answer may exceed it
   * @param count calls that are kept after they have ended
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

  /** Adds a pending call. */
  add(key: string, call: RecentCall): void {
    this.#young.set(key, call)
  }

  /** Counts an added call after it has ended. */
  ended(key: string, call: RecentCall): void {
    this.#count(key, call)
    if (this.#ended < this.#halfCount && this.#bytes <= this.#halfBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#ended = 0
    this.#bytes = 0
    for (const [key, each] of this.#old) if (each.answer !== undefined) this.#young.set(key, each)
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map()
    if (this.#old.size > 0) this.#old = new Map()
    this.#ended = 0
    this.#bytes = 0
  }

  /** Pending calls are counted when they end. */
  #count(key: string, { answer, result }: RecentCall): void {
    if (answer !== undefined) return
    this.#ended += 1
    // Answers are ASCII: a character is a byte.
    this.#bytes += key.length + (result === undefined ? 0 : result.text.length)
  }
}
