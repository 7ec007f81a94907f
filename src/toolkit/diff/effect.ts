/**
 * A party that a change can break. Clients send parameters and read results and errors. Servers implement the
 * contract: they read parameters and send results and errors. A change that breaks the compilation of an
 * implementation breaks servers.
 */
export type Party = 'clients' | 'servers'

/**
 * Where a schema is used. `unclear` means that widening it may widen or narrow the outer schema, as in `if`.
 */
export type Role = 'params' | 'results' | 'unclear'

/** The parties that a schema change breaks in parameters and in results. */
export interface Effect {
  readonly params: readonly Party[]
  readonly results: readonly Party[]
  /** True if the schemas cannot be ordered. Then the worst case is assumed. */
  readonly undecided?: true
}

const everybody: readonly Party[] = ['clients', 'servers']

/**
 * The effects of a changed set of allowed values. A narrower parameter breaks clients, and a wider one breaks
 * servers. For results it is the opposite.
 */
export const effects = {
  none: { params: [], results: [] },
  widened: { params: ['servers'], results: ['clients'] },
  narrowed: { params: ['clients'], results: ['servers'] },
  /** Some values were added and some were removed. */
  replaced: { params: everybody, results: everybody },
  undecided: { params: everybody, results: everybody, undecided: true },
} as const satisfies Readonly<Record<string, Effect>>

/** Returns the effect of added and removed values. */
export function effectOf({ added, removed }: { readonly added: boolean; readonly removed: boolean }): Effect {
  if (added) return removed ? effects.replaced : effects.widened
  return removed ? effects.narrowed : effects.none
}

/**
 * Returns the parties that an effect breaks in a role. In an unclear role, any effect breaks both parties.
 */
export function partiesIn(effect: Effect, role: Role): readonly Party[] {
  if (role !== 'unclear') return effect[role]
  return effect.params.length + effect.results.length > 0 ? everybody : []
}

/** Merges lists of parties without duplicates, clients first. */
export function partiesTogether(...lists: readonly (readonly Party[])[]): readonly Party[] {
  return everybody.filter((party) => lists.some((list) => list.includes(party)))
}
