import { failure } from '../../../../generated/errors.js'
import { RpcError } from '../../../rpc/index.js'
import type { CallSignal } from '../../nodes/index.js'

/** The time of one estimate: its calls to nodes are given up when it is over, and when their caller has left. */
export class EstimateDeadline implements CallSignal {
  readonly #endsAt: number
  readonly #caller: CallSignal | undefined
  readonly #now: () => number

  /**
   * @param milliseconds how long all of it may take
   * @param caller the caller's own signal
   * @param now a clock that does not go back, in milliseconds
   */
  constructor(milliseconds: number, caller: CallSignal | undefined, now: () => number) {
    this.#endsAt = now() + milliseconds
    this.#caller = caller
    this.#now = now
  }

  get aborted(): boolean {
    return this.#caller?.aborted === true || this.#isOver
  }

  get reason(): unknown {
    return this.#caller?.aborted === true
      ? this.#caller.reason
      : failure('nodeTooSlow', { cause: 'the time of the estimate is over' })
  }

  /**
   * Does work that can be left out. Returns undefined when no node gives a usable answer, or the time is over before it
   * is done; throws only the reason of a caller who leaves.
   */
  async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isOver) return undefined
    try {
      return await work()
    } catch (error) {
      if (this.#caller?.aborted === true || !(this.#isOver || error instanceof RpcError)) throw error
      return undefined
    }
  }

  get #isOver(): boolean {
    return this.#now() >= this.#endsAt
  }
}
