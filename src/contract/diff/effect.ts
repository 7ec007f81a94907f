/**
 * Whom a change can break: clients send parameters and read results and errors; servers are the implementations of the
 * contract, which read parameters and send results and errors. A change after which an implementation no longer
 * compiles against the generated interface breaks servers.
 */
export type Party = 'clients' | 'servers'

/** Where a schema is used; `unclear` where widening it may widen or narrow what is around it, as under `if`. */
export type Role = 'params' | 'results' | 'unclear'

/** Whom a change of a schema breaks where the schema is used for parameters, and where it is used for results. */
export interface Effect {
  readonly params: readonly Party[]
  readonly results: readonly Party[]
  /** True where the two schemas cannot be ordered, so that the worst is assumed. */
  readonly undecided?: true
}

const everybody: readonly Party[] = ['clients', 'servers']

/**
 * What became of the values that a schema takes. What clients send is refused by a schema that narrowed, and what
 * servers take is not enough for one that widened; for what servers send it is the other way about.
 */
export const effects = {
  none: { params: [], results: [] },
  widened: { params: ['servers'], results: ['clients'] },
  narrowed: { params: ['clients'], results: ['servers'] },
  /** Some values are taken that were not, and some are not that were. */
  replaced: { params: everybody, results: everybody },
  undecided: { params: everybody, results: everybody, undecided: true },
} as const satisfies Readonly<Record<string, Effect>>

/** The effect of values that came and values that went. */
export function effectOf({ added, removed }: { readonly added: boolean; readonly removed: boolean }): Effect {
  if (added) return removed ? effects.replaced : effects.widened
  return removed ? effects.narrowed : effects.none
}

/** Whom an effect breaks in a role; where the role is unclear, whatever matters at all breaks everybody. */
export function partiesIn(effect: Effect, role: Role): readonly Party[] {
  if (role !== 'unclear') return effect[role]
  return effect.params.length + effect.results.length > 0 ? everybody : []
}

/** Both lists in one, without repetition, clients first. */
export function partiesTogether(...lists: readonly (readonly Party[])[]): readonly Party[] {
  return everybody.filter((party) => lists.some((list) => list.includes(party)))
}
