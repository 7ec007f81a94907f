/** Receives each member that is removed from a node's result, with the component schema of its object. */
export type OnDropped = (component: string, member: string) => void

/** Maximum number of members that are counted by their own names, because nodes choose the names. */
const mostNames = 100

/** Maximum length of a counted name, in characters. */
const longestName = 64

interface Count {
  readonly name: string
  value: number
}

/**
 * Counts the members that the nodes of a network send and the contract does not list. They are removed from answers;
 * the counts show operators what their callers do not receive.
 */
export class DroppedMembers {
  /** By component and member. Nested maps find a count without a new string. */
  readonly #counts = new Map<string, Map<string, Count>>()
  readonly #others: Count = { name: 'other', value: 0 }
  #names = 0

  /**
   * Counts a member.
   * @param component key of the schema of its object, such as `Block`
   * @returns the name, such as `Block.baseFeePerGas`, the first time; `other` for members beyond the maximum
   */
  count(component: string, member: string): string | undefined {
    const shortened = member.slice(0, longestName)
    const count = this.#counts.get(component)?.get(shortened) ?? this.#begin(component, shortened)
    count.value++
    return count.value === 1 ? count.name : undefined
  }

  /** Returns the counts with their names. */
  *values(): Iterable<Readonly<Count>> {
    for (const members of this.#counts.values()) yield* members.values()
    if (this.#others.value > 0) yield this.#others
  }

  #begin(component: string, member: string): Count {
    if (this.#names === mostNames) return this.#others
    this.#names++
    const members = this.#counts.get(component) ?? new Map<string, Count>()
    const count = { name: `${component}.${member}`, value: 0 }
    this.#counts.set(component, members.set(member, count))
    return count
  }
}
