import { agreedHead } from './agreed-head.js'
import { type HeadPlace, isUsedWith, orderOf } from './node-health.js'
import type { PoolNode } from './pool-node.js'

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
  /** Nodes whose head is below this block are behind. */
  #lowest = -1
  /** Nodes with a head above this block are ahead. */
  uppermost = Number.POSITIVE_INFINITY
  #isSomeStale = false
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
   * Updates the agreed head from the nodes' reports, and then the state of each node and its use. To be called after
   * each change of a node.
   * @param now time of a monotonic clock, in milliseconds
   * @returns true when the number changed
   */
  decide(now: number): boolean {
    this.#isSomeStale = this.#options.nodes.some(
      ({ health }) => health.isReachable && health.isStale === true,
    )
    const votes = this.#votes()
    const before = this.number
    const agreed = this.#isStarting(votes) ? undefined : this.#agreed(votes, now)
    if (agreed !== undefined) {
      if (agreed !== before) this.#set(agreed)
      for (const node of votes) node.agrees = Math.abs(node.head - agreed) <= this.#options.lagBlocks
      this.hash = this.#agreedHash(votes)
    }
    this.#bound()
    this.#judge()
    return this.number !== before
  }

  /** Returns the nodes that decide: those of the best state with a known head. */
  #votes(): readonly PoolNode[] {
    const orders = this.#options.nodes.map(({ head, health }) => {
      const state = health.stateAt('near', this.#isSomeStale)
      return head >= 0 && isUsedWith(state, orderOf(state)) ? orderOf(state) : Number.POSITIVE_INFINITY
    })
    const best = Math.min(...orders)
    return this.#options.nodes.filter((_, at) => orders[at] === best && best < Number.POSITIVE_INFINITY)
  }

  /** Sets the state of each node, whether it is used, and its rank in the choice. */
  #judge(): void {
    const { nodes } = this.#options
    for (const node of nodes) node.health.state = node.health.stateAt(this.#placeOf(node), this.#isSomeStale)
    const best = Math.min(...nodes.map(({ health }) => orderOf(health.state)))
    for (const node of nodes) {
      const { health, head, headHash, weight } = node
      health.isUsed = isUsedWith(health.state, best)
      const isForked = headHash !== undefined && this.hash !== undefined && headHash !== this.hash
      const isElsewhere = head !== this.number || isForked
      node.rank =
        (isElsewhere ? 1 : 0) +
        (weight > 0 ? 0 : 2) +
        (health.state === 'failing' || health.state === 'limited' ? 4 : 0)
    }
  }

  #placeOf({ head }: PoolNode): HeadPlace {
    if (head > this.uppermost) return 'ahead'
    return head < this.#lowest ? 'behind' : 'near'
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

  #bound(): void {
    const { nodes, lagBlocks } = this.#options
    const isOpen = nodes.length === 1 || this.number < 0
    this.#lowest = isOpen ? -1 : this.number - lagBlocks
    this.uppermost = isOpen ? Number.POSITIVE_INFINITY : this.number + lagBlocks
  }
}

const isUnknown = ({ health }: PoolNode) => !health.isChecked
