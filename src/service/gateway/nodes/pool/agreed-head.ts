/** A node's report about the head of the chain. */
export interface HeadVote {
  /** Number of its most recent block. */
  readonly head: number
  /** Whether the node agreed with the last agreed head. */
  readonly agrees: boolean
}

/**
 * Computes the agreed head of a chain (rule `block.head-never-back`).
 *
 * With three or more nodes it is the highest block that two of them have. With two it is the higher head if
 * their distance is within the lag, and otherwise the head of the node that agreed last. The last remaining
 * node of several can move the head forward if it agreed last, but not back.
 * @param votes of the usable nodes
 * @param current number of the last agreed head; -1 if there is none
 * @param lagBlocks maximum distance between a node and the head, in blocks
 * @returns undefined when the votes do not decide
 */
export function agreedHead(
  votes: readonly HeadVote[],
  current: number,
  lagBlocks: number,
): number | undefined {
  const [first, second, third] = [...votes].sort((a, b) => b.head - a.head)
  if (first === undefined) return undefined
  if (second === undefined) {
    const isFollowed = current < 0 || (first.agrees && first.head >= current)
    return isFollowed ? first.head : undefined
  }
  if (third !== undefined) return second.head
  if (current < 0 || first.head - second.head <= lagBlocks) return first.head
  if (first.agrees !== second.agrees) return first.agrees ? first.head : second.head
  const hasFirstLeapt = first.head > current + lagBlocks
  const doesSecondContinue = Math.abs(second.head - current) <= lagBlocks
  return hasFirstLeapt && doesSecondContinue ? second.head : first.head
}
