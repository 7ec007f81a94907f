import { isArray, isObject, type JsonValue, member, parseJson } from '../../toolkit/contract/index.js'
import { answeredCalls } from '../record/answered-calls.js'
import { capture } from '../scenario/capture.js'
import type { Exchange } from '../send/exchange.js'
import { replyView } from '../send/reply-view.js'
import type { HeadQuestion } from '../terms/contract-terms.js'

/** A number and its hash, as an answer gave them. */
export interface KnownHead {
  readonly number: JsonValue
  readonly hash: JsonValue
  /** When the last answer gave both, in milliseconds of `performance.now()`. */
  readonly seenAt: number
}

/** Numbers and hashes that were or are those of the head, from answers to calls of the method in `x-head`. */
export class KnownHeads {
  readonly #question: HeadQuestion | undefined
  readonly #onMoved: () => void
  readonly #byNumber = new Map<JsonValue, KnownHead>()
  /** By the value that a call sent instead of a number, such as `earliest`. */
  readonly #byTag = new Map<JsonValue, KnownHead>()
  #newest: KnownHead | undefined

  /**
   * @param question `x-head` of the contract; without it, nothing is known
   * @param onMoved called when an answer gives another head than the one before
   */
  constructor(question: HeadQuestion | undefined, onMoved: () => void = () => {}) {
    this.#question = question
    this.#onMoved = onMoved
  }

  /** Learns from an exchange. */
  see({ outgoing, reply }: Exchange): void {
    const question = this.#question
    if (question === undefined || outgoing.methods?.includes(question.method) !== true) return
    const sent = parseJson(Buffer.from(outgoing.body ?? []).toString())
    const received = reply && replyView(reply).json
    if (sent === undefined || received === undefined) return
    const place = question.params.findIndex((param) => question.moving.includes(param))
    for (const [answer, call] of answeredCalls(sent, received)) {
      if (!isObject(call) || member(call, 'method') !== question.method) continue
      const params = member(call, 'params')
      const value = isArray(params) ? params[place] : undefined
      const [number, hash] = [capture(question.number, answer), capture(question.hash, answer)]
      if (value === undefined || !isName(number) || !isName(hash)) continue
      this.#learn(value, { number, hash, seenAt: performance.now() }, question)
    }
  }

  /**
   * Returns the number and hash that a value refers to.
   * @param value a number, or a tag that an answer resolved; a moving one refers to the newest known head
   */
  of(value: JsonValue): KnownHead | undefined {
    if (this.isMoving(value)) return this.#newest
    return this.#byTag.get(value) ?? this.#byNumber.get(value)
  }

  /** True for a value that refers to the head, which moves. */
  isMoving(value: JsonValue): boolean {
    return this.#question?.moving.includes(value) === true
  }

  #learn(value: JsonValue, head: KnownHead, { moving, unsettled }: HeadQuestion): void {
    this.#byNumber.set(head.number, head)
    if (!moving.includes(value)) {
      if (value !== head.number && !unsettled.includes(value)) this.#byTag.set(value, head)
      return
    }
    const before = this.#newest
    this.#newest = head
    if (before !== undefined && before.hash !== head.hash) this.#onMoved()
  }
}

function isName(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
