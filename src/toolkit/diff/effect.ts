/**
 * A party that a change can break. Clients send parameters and read results and errors. Servers implement the
 * contract: they read parameters and send results and errors. A change that breaks the compilation of an
 * implementation breaks servers.
 */
export type Party = 'clients' | 'servers'

/**
 * Where a schema is used: by methods that clients call, or by those that the server calls (`x-direction`). `unclear` means
 * that widening it may widen or narrow the outer schema, as in `if`.
 */
export type Role = SentRole | 'unclear'

/** A role whose values one party sends. */
export type SentRole = 'params' | 'results' | 'serverParams' | 'clientResults'

/** `same`: the role in calls of clients whose values the same party sends. `opposite`: that of the other party. */
const roles = {
  params: { same: 'params', opposite: 'results' },
  results: { same: 'results', opposite: 'params' },
  serverParams: { same: 'results', opposite: 'clientResults' },
  clientResults: { same: 'params', opposite: 'serverParams' },
} as const satisfies Readonly<Record<SentRole, object>>

/** Returns the role in which widening has the effect that narrowing has in this one. */
export function oppositeRole(role: SentRole): SentRole {
  return roles[role].opposite
}

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
  if (role !== 'unclear') return effect[roles[role].same]
  return effect.params.length + effect.results.length > 0 ? everybody : []
}

/** Merges lists of parties without duplicates, clients first. */
export function partiesTogether(...lists: readonly (readonly Party[])[]): readonly Party[] {
  return everybody.filter((party) => lists.some((list) => list.includes(party)))
}
