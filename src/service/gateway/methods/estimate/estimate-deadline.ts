import { failure } from '@concordat/node-access-contract/errors'
import { RpcError } from '@concordat/rpc'
import type { CallSignal } from '../../nodes/index.js'

/**
 * The deadline of one estimate. Its node calls are cancelled at the deadline, and when the caller
 * disconnects.
 */
export class EstimateDeadline implements CallSignal {
  readonly #endsAt: number
  readonly #caller: CallSignal | undefined
  readonly #now: () => number

  /**
   * @param milliseconds time for the whole estimate
   * @param caller the caller's own signal
   * @param now a monotonic clock, in milliseconds
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
      : failure('nodeTooSlow', { cause: 'the time for the estimate has expired' })
  }

  /**
   * Runs optional work. Returns undefined when no node gives a usable answer or the deadline passes. Throws
   * the caller's reason after a disconnect.
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
