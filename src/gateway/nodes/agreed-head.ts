/** What a node says about the head of the chain. */
export interface HeadVote {
  /** Number of its most recent block. */
  readonly head: number
  /** Whether it agreed with the head that was decided last. */
  readonly agrees: boolean
}

/**
 * Decides the head of a chain (rule `block.head-never-back`).
 *
 * With three or more nodes it is the highest block that two of them have. With two it is the higher head, while the
 * lower one follows within the lag; otherwise the head of the node that agreed last. One node that is left of several
 * is followed forward if it agreed last, and does not move the head back.
 * @param votes of the nodes that can be asked
 * @param current number of the head that was decided last; -1 for none
 * @param lagBlocks blocks that a node may be away from the head
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
