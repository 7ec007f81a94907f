import type { JsonValue, LocatedSchema } from '../contract/index.js'
import { effects, type Party, partiesIn, partiesTogether, type Role } from './effect.js'
import type { SchemaPair } from './schemas/schema-walk.js'
import { listed, shown } from './words.js'

/** A value that only one of two schemas accepts. It proves that the change breaks these parties. */
export interface Proof {
  readonly value: JsonValue
  readonly acceptedBy: 'old' | 'new'
  readonly breaks: readonly Party[]
}

/** Searches for a value that only the old schema accepts, and for one that only the new schema accepts. */
export type FindWitnesses = (
  old: LocatedSchema,
  next: LocatedSchema,
) => { readonly old?: Witness | undefined; readonly new?: Witness | undefined }

/** A value, and whether the schema that accepts it describes all of its members. */
export interface Witness {
  readonly value: JsonValue
  readonly described: boolean
}

/** Returns what values that were found prove in the roles of their schema. */
export function proofOf(found: ReturnType<FindWitnesses>, roles: readonly Role[]): readonly Proof[] {
  return (['old', 'new'] as const).flatMap((acceptedBy) => {
    const witness = found[acceptedBy]
    const effect = acceptedBy === 'old' ? effects.narrowed : effects.widened
    const breaks = partiesTogether(...roles.map((role) => partiesIn(effect, role)))
    return witness === undefined ? [] : [{ value: witness.value, acceptedBy, breaks }]
  })
}

/** States the values of a proof, and what they do not prove. */
export function proofText(proof: readonly Proof[], open: readonly Party[]): string {
  const texts = proof.map(({ value, acceptedBy }) =>
    acceptedBy === 'old' ? `${shown(value)} is no longer valid` : `${shown(value)} is valid now`,
  )
  if (open.length === 0) return texts.length === 0 ? ' (by rule, no value found)' : `: ${listed(texts)}`
  const whom = proof.length === 0 ? '' : ` on ${open.join(' and ')}`
  return `: ${[...texts, `cannot tell its effect${whom}`].join('; ')}`
}

/** Returns the first values found for any of several pairs of schemas. */
export function firstWitnesses(
  pairs: readonly SchemaPair[],
  findWitnesses: FindWitnesses,
): ReturnType<FindWitnesses> {
  let found: ReturnType<FindWitnesses> = {}
  for (const { old, new: next } of pairs.slice(0, mostPairs)) {
    found = { ...findWitnesses(old, next), ...present(found) }
    if (found.old && found.new) break
  }
  return found
}

/** Maximum number of pairs that are searched. */
const mostPairs = 4

function present({ old, new: next }: ReturnType<FindWitnesses>): ReturnType<FindWitnesses> {
  return { ...(old && { old }), ...(next && { new: next }) }
}

/** Returns the parties that a change breaks for certain: all of them, or those with a proof. */
export function provenParties(change: {
  readonly breaks: readonly Party[]
  readonly undecided?: true
  readonly proof?: readonly Proof[]
}): readonly Party[] {
  const { breaks, undecided, proof = [] } = change
  return undecided ? partiesTogether(...proof.map((each) => each.breaks)) : breaks
}
