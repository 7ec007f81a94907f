import { agreedHead } from './agreed-head.js'
import type { HeadDistance, PoolNode } from './pool-node.js'

/** Options of the chain head. */
export interface ChainHeadOptions {
  readonly nodes: readonly PoolNode[]
  /** Maximum distance of a usable node's head from the agreed head, in blocks. */
  readonly lagBlocks: number
  /** Time after which the last remaining node of several decides the head, in milliseconds. */
  readonly givenUpMs: number
}

/** The agreed head: the most recent block that the nodes of a network agree on. */
export class ChainHead {
  /** Number of the block; -1 before the first. */
  number = -1
  /** Hash of the block, where it is known. */
  hash: string | undefined
  /** The number as a bigint; undefined before the first. */
  blockNumber: bigint | undefined
  /** Nodes whose head is below this block lag, and are not used. */
  #lowest = -1
  /** Nodes with a head above this block are ahead, and are not used. */
  uppermost = Number.POSITIVE_INFINITY
  readonly #options: ChainHeadOptions
  #undecidedSince: number | undefined

  constructor(options: ChainHeadOptions) {
    this.#options = options
  }

  /** Sets the head before the nodes have reported theirs; undefined clears it. */
  begin(number: number | undefined): void {
    this.#set(number ?? -1)
  }

  /**
   * Updates the agreed head from the nodes' reports. To be called after each change of a node.
   * @param now time of a monotonic clock, in milliseconds
   * @returns true when the number changed
   */
  decide(now: number): boolean {
    const votes = this.#options.nodes.filter(({ isUsable, head }) => isUsable && head >= 0)
    const before = this.number
    const agreed = this.#isStarting(votes) ? undefined : this.#agreed(votes, now)
    if (agreed !== undefined) {
      if (agreed !== before) this.#set(agreed)
      for (const node of votes) node.agrees = Math.abs(node.head - agreed) <= this.#options.lagBlocks
      this.hash = this.#agreedHash(votes)
    }
    this.#bound(votes)
    return this.number !== before
  }

  /** Returns how far a node's head is from the agreed head. */
  distance({ head }: PoolNode): HeadDistance {
    if (head > this.uppermost) return 'ahead'
    return head < this.#lowest ? 'lagging' : 'healthy'
  }

  /** True while no two nodes agree and another node may soon report its first head. */
  #isStarting(votes: readonly PoolNode[]): boolean {
    if (this.number >= 0) return false
    const heads = votes.map(({ head }) => head)
    const isAgreed = votes.length > 1 && Math.max(...heads) - Math.min(...heads) <= this.#options.lagBlocks
    return !isAgreed && this.#options.nodes.some(isUnknown)
  }

  #agreed(votes: readonly PoolNode[], now: number): number | undefined {
    const { nodes, lagBlocks, givenUpMs } = this.#options
    const agreed = agreedHead(votes, nodes.length === 1 ? -1 : this.number, lagBlocks)
    if (agreed !== undefined || votes.length === 0) {
      this.#undecidedSince = undefined
      return agreed
    }
    this.#undecidedSince ??= now
    return now - this.#undecidedSince < givenUpMs ? undefined : agreedHead(votes, -1, lagBlocks)
  }

  /**
   * Chooses the head's hash: one that two nodes report, else the current one if a node still reports it, else
   * any.
   */
  #agreedHash(votes: readonly PoolNode[]): string | undefined {
    const hashes = votes.flatMap(({ head, headHash }) =>
      head === this.number && headHash !== undefined ? [headHash] : [],
    )
    const isKnown = this.hash !== undefined && hashes.includes(this.hash)
    return hashes.find((hash, at) => hashes.indexOf(hash) !== at) ?? (isKnown ? this.hash : hashes[0])
  }

  #set(number: number): void {
    this.number = number
    this.blockNumber = number < 0 ? undefined : BigInt(number)
    this.hash = undefined
  }

  #bound(votes: readonly PoolNode[]): void {
    const { nodes, lagBlocks } = this.#options
    if (nodes.length === 1) return
    const best = Math.max(-1, ...votes.map(({ head }) => head))
    this.#lowest = Math.min(this.number, best) - lagBlocks
    this.uppermost = this.number < 0 ? Number.POSITIVE_INFINITY : this.number + lagBlocks
  }
}

const isUnknown = ({ head, isRightChain, circuit }: PoolNode) =>
  head < 0 && isRightChain !== false && !circuit.isOpen
