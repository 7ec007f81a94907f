import { limits } from '../../../generated/contract.js'
import type { EdgeResponse } from '../../server/index.js'
import type { SingleCaller } from '../methods/index.js'
import type { NodeTrace } from '../nodes/index.js'
import type { Caller } from './handled-request.js'
import type { MemoryBudget, Resize } from './memory-budget.js'

/** An answer up to this size, in bytes, fits into the buffers of the operating system. */
export const smallAnswerBytes = 65_536

/** A response up to this size, in bytes, is always sent: an error would be about as large. */
const briefResponseBytes = 1_024

/** State shared by the calls of one request. */
export class CallContext implements SingleCaller {
  readonly caller: Caller
  readonly trace: NodeTrace | undefined
  /** True when the request is a batch of several calls. */
  readonly inBatch: boolean
  /** When the body was complete, in milliseconds of `performance.now()`. */
  readonly startedAt: number
  readonly #response: EdgeResponse
  readonly #budget: MemoryBudget
  #disconnect: AbortController | undefined = undefined
  #logBytes = 0
  #answerBytes = 0
  #resize: Resize | undefined = undefined

  /** @param budget the memory for large answers of all users */
  constructor(
    caller: Caller,
    response: EdgeResponse,
    budget: MemoryBudget,
    facts: Pick<CallContext, 'trace' | 'inBatch' | 'startedAt'>,
  ) {
    this.caller = caller
    this.trace = facts.trace
    this.inBatch = facts.inBatch
    this.startedAt = facts.startedAt
    this.#response = response
    this.#budget = budget
  }

  get userId(): string {
    return this.caller.key.userId
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }

  onDisconnect(): AbortSignal {
    if (this.#disconnect !== undefined) return this.#disconnect.signal
    const disconnect = new AbortController()
    this.#disconnect = disconnect
    if (this.#response.destroyed) disconnect.abort()
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) disconnect.abort()
    })
    return disconnect.signal
  }

  holdLogs(bytes: number): boolean {
    if (bytes > 0 && this.#logBytes + bytes > limits.logsHeldBytes) return false
    this.#logBytes += bytes
    return true
  }

  /** Reserves memory for a response until the whole answer is sent; returns false when none is left. */
  holdAnswer(bytes: number): boolean {
    if (bytes <= briefResponseBytes) return true
    const total = this.#answerBytes + bytes
    if (total > smallAnswerBytes && !this.#response.destroyed) {
      if (this.#resize !== undefined) {
        if (!this.#resize(total)) return false
      } else {
        this.#resize = this.#budget.reserve(this.userId, this.#response, total)
        if (this.#resize === undefined) return false
      }
    }
    this.#answerBytes = total
    return true
  }
}
