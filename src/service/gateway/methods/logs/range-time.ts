import { failure } from '@concordat/node-access-contract/errors'
import { toQuantity } from '../../ethereum/index.js'
import type { LogDeadline } from './log-deadline.js'
import type { BlockRange } from './log-filter.js'

/** Share of the time for which a range may be expected to last. */
const usedShare = 0.9

/** Share of the blocks that fit into the time, which the suggested range has. */
const suggestedShare = 0.5

/** Time after which the observed speed counts, in milliseconds. */
const observedMs = 5_000

/** The observed speed may be too low by this factor. */
const tolerance = 1.25

const millisecondsPerSecond = 1_000

/** Limits that the time of a range depends on. */
export interface RangeTimeLimits {
  readonly blockSpanWithoutLogLimit: number
  readonly logsTimeoutSeconds: number
  readonly nodeCallsPerUserPerSecond: number
}

/** Decides whether the rest of a long range can be read before the deadline, with the limits that nodes have shown. */
export class RangeTime {
  readonly #range: BlockRange
  readonly #limits: RangeTimeLimits
  readonly #deadline: Pick<LogDeadline, 'leftMs'>
  readonly #now: () => number
  /** Start of the observation of the speed: when the limit of the nodes was first known. */
  #from: { readonly at: number; readonly block: bigint } | undefined

  /** @param now a monotonic clock, in milliseconds */
  constructor(
    range: BlockRange,
    limits: RangeTimeLimits,
    deadline: Pick<LogDeadline, 'leftMs'>,
    now: () => number = () => performance.now(),
  ) {
    this.#range = range
    this.#limits = limits
    this.#deadline = deadline
    this.#now = now
  }

  /**
   * Checks that the blocks from `next` on can be read in time.
   * @param known the longest range that the nodes accept, in blocks; undefined before it is known
   * @throws RpcError logsRangeTooSlow with a range that works
   */
  requireFor(next: bigint, known: number | undefined): void {
    if (known === undefined) return
    const now = this.#now()
    this.#from ??= { at: now, block: next }
    const { nodeCallsPerUserPerSecond: limit } = this.#limits
    const seconds = (now - this.#from.at) / millisecondsPerSecond
    const observed =
      seconds * millisecondsPerSecond < observedMs
        ? limit
        : (Number(next - this.#from.block) / known / seconds) * tolerance
    const rate = Math.min(limit, observed)
    const calls = Number(this.#range.to - next + 1n) / known
    const secondsLeft = this.#deadline.leftMs / millisecondsPerSecond
    if (calls > rate * secondsLeft * usedShare) throw this.#tooSlow(rate * known)
  }

  #tooSlow(blocksPerSecond: number) {
    const { from, to } = this.#range
    const { blockSpanWithoutLogLimit, logsTimeoutSeconds } = this.#limits
    const fitting = Math.floor(blocksPerSecond * logsTimeoutSeconds * suggestedShare)
    const limit = Math.max(blockSpanWithoutLogLimit, fitting)
    const last = from + BigInt(limit) - 1n
    const data = { from: toQuantity(from), to: toQuantity(last < to ? last : to), limit }
    return failure('logsRangeTooSlow', { values: data, data })
  }
}
