import type { JsonValue } from '../contract/index.js'
import type { ChangeKind } from './change-kinds.js'
import type { Party } from './effect.js'
import type { Proof } from './proof.js'

/** A place in one of the two documents. */
export interface ChangeSide {
  /** The actual pointer, with methods and parameters by index. */
  readonly pointer: string
  /** The value at the pointer, if it is small enough to show. */
  readonly value?: JsonValue
}

/** One change between two contracts. */
export interface Change {
  readonly kind: ChangeKind
  /** The parties that the change breaks, or may break if it is undecided. Empty for a compatible change. */
  readonly breaks: readonly Party[]
  /** The place to report: a pointer with methods by name, such as `#/methods/getPet/params/1`. */
  readonly pointer: string
  /** The change in words, without the place. */
  readonly reason: string
  /** Absent if the old document has no such place. */
  readonly old?: ChangeSide
  /** Absent if the new document has no such place. */
  readonly new?: ChangeSide
  /** True if the effect on a party cannot be determined: a person has to review the change. */
  readonly undecided?: true
  /** Values that prove which parties the change of a schema breaks. */
  readonly proof?: readonly Proof[]
  /** True if a rule decides which parties the change of a schema breaks, and no value was found as proof. */
  readonly unwitnessed?: true
  /** The names of the methods affected by a change of something shared. */
  readonly methods?: readonly string[]
  /** Whether these methods use it in parameters or in results. */
  readonly usedIn?: readonly ('params' | 'results')[]
}

/** Sorts changes: those that break both parties first, then clients, servers and neither, each by place. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  const keyed = changes.map((change) => ({ change, rank: rank(change), key: sortKey(change) }))
  keyed.sort((a, b) => a.rank - b.rank || (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
  return keyed.map(({ change }) => change)
}

function rank({ breaks }: Change): number {
  if (breaks.length === 2) return 0
  return breaks.length === 0 ? 3 : breaks[0] === 'clients' ? 1 : 2
}

function sortKey({ pointer, kind, reason }: Change): string {
  return [pointer, kind, reason].join('\u0000')
}

/** Merges equal changes that several methods have at a shared place into one change that lists all methods. */
export function mergeChanges(changes: readonly Change[]): readonly Change[] {
  const byText = new Map<string, Change>()
  for (const change of changes) {
    const { methods, usedIn, ...rest } = change
    const key = JSON.stringify(rest)
    const other = byText.get(key)
    const together = {
      ...rest,
      ...(methods && { methods: [...new Set([...(other?.methods ?? []), ...methods])].sort() }),
      ...(usedIn && { usedIn: [...new Set([...(other?.usedIn ?? []), ...usedIn])].sort() }),
    }
    byText.set(key, together)
  }
  return [...byText.values()]
}
