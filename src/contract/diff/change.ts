import type { JsonValue } from '../json.js'
import type { Party } from './effect.js'

/** What a change is, for programs: the list grows, the meaning of an entry stays. */
export type ChangeKind =
  | `${'method' | 'param' | 'result' | 'error' | 'server' | 'component'}-${'added' | 'removed'}`
  | `param-${'required' | 'optional' | 'moved' | 'renamed' | 'structure-changed'}`
  | `method-${'deprecated' | 'restored'}`
  | `error-${'code-changed' | 'message-changed'}`
  | `component-${'renamed' | 'changed'}`
  | 'server-changed'
  | `type-${'widened' | 'narrowed' | 'changed'}`
  | `values-${'added' | 'removed' | 'changed' | 'limited' | 'unlimited'}`
  | `constraint-${'added' | 'removed' | 'tightened' | 'loosened' | 'changed'}`
  | `member-${'added' | 'removed' | 'required' | 'optional'}`
  | `members-${'closed' | 'opened'}`
  | `alternative-${'added' | 'removed'}`
  | `schema-${'limited' | 'unlimited' | 'closed' | 'opened'}`
  | `default-${'added' | 'removed' | 'changed'}`
  | 'reference-changed'
  | `limit-${'added' | 'removed' | 'lowered' | 'raised' | 'changed'}`
  | `rule-${'added' | 'removed' | 'level-changed' | 'scope-changed' | 'text-changed'}`
  | `${'network' | 'failure' | 'tolerance' | 'envelope-case'}-${'added' | 'removed' | 'changed'}`
  | `${'http' | 'envelope' | 'extension' | 'documentation'}-changed`
  | `${'effect' | 'cost' | 'batching' | 'lookup' | 'answer' | 'empty' | 'order' | 'volatility'}-changed`
  | 'contract-addresses-changed'

/** A place in one of the two documents. */
export interface ChangeSide {
  /** The true pointer, methods and parameters by their index. */
  readonly pointer: string
  /** What stands there, where it is small enough to be told. */
  readonly value?: JsonValue
}

/** One change between two contracts. */
export interface Change {
  readonly kind: ChangeKind
  /** Whom it breaks; nobody, for a compatible change. */
  readonly breaks: readonly Party[]
  /** Where it is told: a pointer with methods by name, `#/methods/getPet/params/1`. */
  readonly pointer: string
  /** In words, without the place. */
  readonly reason: string
  /** Absent where the old document has nothing there. */
  readonly old?: ChangeSide
  /** Absent where the new document has nothing there. */
  readonly new?: ChangeSide
  /** True where it cannot be decided what the change means: a person has to read it. */
  readonly undecided?: true
  /** The methods that a change of something shared affects, by name. */
  readonly methods?: readonly string[]
  /** Where the methods use it. */
  readonly usedIn?: readonly ('params' | 'results')[]
}

/** Everybody first, then clients, servers and nobody; within that by place. */
export function inOrder(changes: readonly Change[]): readonly Change[] {
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

/** A change that several methods meet at one shared place is told once, with all of them. */
export function merged(changes: readonly Change[]): readonly Change[] {
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
