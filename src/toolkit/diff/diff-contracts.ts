import type { Contract } from '../contract/index.js'
import { type Change, type ChangeSide, mergeChanges, sortChanges } from './change.js'
import { diffComponents } from './diff-components.js'
import type { DiffContext } from './diff-context.js'
import { diffInfo } from './diff-info.js'
import { diffMethods } from './diff-methods.js'
import { diffServers } from './diff-servers.js'
import { diffTexts } from './diff-texts.js'
import { type Party, partiesIn, partiesTogether, type Role } from './effect.js'
import { diffRules } from './extensions/diff-rules.js'
import { isShared } from './places.js'
import { type FindWitnesses, proofOf, proofText, provenParties } from './proof.js'
import { createSchemaSource, type SchemaSource } from './schemas/schema-source.js'
import { createSchemaWalk, type FoundChange } from './schemas/schema-walk.js'

/** Members of the document that are compared by dedicated functions. */
const comparedMembers: ReadonlySet<string> = new Set(['info', 'servers', 'methods', 'components'])

/**
 * Finds all changes between two contracts and the parties that they break. Clients send parameters and read
 * results: a change breaks them if calls that worked may fail. Servers implement the contract: a change
 * breaks them if an implementation may violate the new contract. Changes that no rule decides are decided by
 * values that only one of the schemas accepts; without them, they count as breaking both parties. Texts and
 * unknown extensions are compatible.
 * @param old the old contract
 * @param next the new contract
 * @param findWitnesses searches for such values (`createWitnessSearch`); finds none by default
 * @returns the changes, those that break both parties first; empty for equivalent contracts
 */
export function diffContracts(
  old: Contract,
  next: Contract,
  findWitnesses: FindWitnesses = () => ({}),
): readonly Change[] {
  const oldSource = createSchemaSource(old)
  const newSource = createSchemaSource(next)
  const schemas = createSchemaWalk(oldSource, newSource)
  const context: DiffContext = { old, new: next, oldSource, newSource, schemas }
  const changes = [
    ...diffTexts(context, { old: '#', new: '#', place: '#' }, (name) => comparedMembers.has(name)),
    ...diffInfo(context),
    ...diffRules(context),
    ...diffServers(context),
    ...diffMethods(context),
  ]
  startUnused(context)
  const found = schemas.finish().map((change) => schemaChange(change, findWitnesses))
  const components = diffComponents(context, schemas.renamed)
  const all = [...changes, ...found, ...components].map((change) =>
    withRealSides(change, oldSource, newSource),
  )
  return sortChanges(mergeChanges(all))
}

/** Compares components that no method uses, so that all changes are reported. */
function startUnused({ old, new: next, schemas }: DiffContext): void {
  const byKey = new Map(next.schemas.map((component) => [component.key, component]))
  for (const component of old.schemas) {
    const other = byKey.get(component.key)
    if (other) schemas.startUnused(component, other, component.pointer)
  }
}

function schemaChange({ note, place, uses, compared }: FoundChange, findWitnesses: FindWitnesses): Change {
  const { kind, effect, old, new: next } = note
  const breaks = partiesTogether(...[...uses.keys()].map((role) => partiesIn(effect, role)))
  const isOpen = breaks.length > 0 && (effect.undecided || uses.has('unclear'))
  const proof = isOpen ? proofOf(findWitnesses(compared.old, compared.new), compared.roles) : []
  const proven = isOpen ? provenParties({ breaks, undecided: true, proof }) : breaks
  const open = breaks.filter((party) => !proven.includes(party))
  const reason = `${note.reason}${useText(uses, breaks)}${isOpen ? proofText(proof, open) : ''}`
  const methods = [...new Set([...uses.values()].flatMap((users) => [...users]))].filter(Boolean).sort()
  const usedIn = [...uses.keys()]
    .filter((role): role is Exclude<Role, 'unclear'> => role !== 'unclear')
    .sort()
  const isListed = isShared(place) || methods.length > 1
  return {
    kind,
    breaks,
    pointer: place,
    reason,
    old,
    new: next,
    ...(open.length > 0 && { undecided: true as const }),
    ...(proof.length > 0 && { proof }),
    ...(isListed && methods.length > 0 && { methods }),
    ...(isListed && usedIn.length > 0 && { usedIn }),
  }
}

function useText(uses: FoundChange['uses'], breaks: readonly Party[]): string {
  if (uses.size === 0) return '; no method uses it in both documents'
  return uses.has('unclear') && breaks.length > 0 ? ' in a condition (if)' : ''
}

/** Removes sides whose place does not exist in their document. */
function withRealSides(change: Change, oldSource: SchemaSource, newSource: SchemaSource): Change {
  const { old, new: next, ...rest } = change
  return { ...rest, ...realSide('old', old, oldSource), ...realSide('new', next, newSource) }
}

function realSide(
  name: 'old' | 'new',
  side: ChangeSide | undefined,
  source: SchemaSource,
): { readonly [side in 'old' | 'new']?: ChangeSide } {
  return side && source.has(side.pointer) ? { [name]: side } : {}
}
