import { type Contract, ContractError, createSchemaClasses } from '../contract/index.js'
import { createChecker } from '../values/index.js'
import { type Change, type ChangeSide, mergeChanges, sortChanges } from './change.js'
import { diffComponents } from './diff-components.js'
import type { DiffContext } from './diff-context.js'
import { diffInfo } from './diff-info.js'
import { diffMethods } from './diff-methods.js'
import { diffServers } from './diff-servers.js'
import { diffTexts } from './diff-texts.js'
import { type Party, partiesIn, partiesTogether, type SentRole } from './effect.js'
import { diffRules } from './extensions/diff-rules.js'
import { isShared } from './places.js'
import { type FindWitnesses, firstWitnesses, proofOf, proofText, provenParties } from './proof.js'
import { createSchemaSource, type SchemaSource } from './schemas/schema-source.js'
import { createSchemaWalk, type FoundChange, type OpenPair, type SchemaPair } from './schemas/schema-walk.js'

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
  findWitnesses?: FindWitnesses,
): readonly Change[] {
  const oldSource = createSchemaSource(old)
  const newSource = createSchemaSource(next)
  const schemas = createSchemaWalk(oldSource, newSource, (pairs) => sameValues(old, next, pairs))
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
  const unstated = findWitnesses ? schemas.open().flatMap((pair) => unstatedChanges(pair, findWitnesses)) : []
  const components = diffComponents(context, schemas.renamed)
  const all = [...changes, ...found, ...unstated, ...components].map((change) =>
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

/** Returns a function that tells which pairs of schemas of two contracts accept the same values. */
function sameValues(
  old: Contract,
  next: Contract,
  pairs: readonly SchemaPair[],
): (pair: SchemaPair) => boolean {
  const checkers = new Map([old, next].map((contract) => [contract, createChecker(contract)]))
  const places = (pair: SchemaPair) =>
    [
      { contract: old, all: [pair.old] },
      { contract: next, all: [pair.new] },
    ] as const
  const { classOf } = createSchemaClasses(pairs.flatMap(places), ({ contract, all }, value) => {
    try {
      return all.every((located) => checkers.get(contract)?.(located, value))
    } catch (error) {
      if (error instanceof ContractError) return undefined
      throw error
    }
  })
  return (pair) => {
    const [before, after] = places(pair)
    return classOf(before) === classOf(after)
  }
}

function schemaChange(
  { note, place, uses, wholes, roles }: FoundChange,
  findWitnesses: FindWitnesses | undefined,
): Change {
  const { kind, effect, old, new: next } = note
  const breaks = partiesTogether(...[...uses.keys()].map((role) => partiesIn(effect, role)))
  const isOpen = breaks.length > 0 && (effect.undecided || uses.has('unclear'))
  const isSearched = findWitnesses !== undefined && breaks.length > 0 && roles.length > 0
  const found = isSearched ? proofOf(firstWitnesses(wholes, findWitnesses), roles) : []
  const proof = found.filter((each) => each.breaks.some((party) => breaks.includes(party)))
  const proven = isOpen ? provenParties({ breaks, undecided: true, proof }) : breaks
  const open = breaks.filter((party) => !proven.includes(party))
  const isUnwitnessed = isSearched && !isOpen && proof.length === 0
  const reason = `${note.reason}${useText(uses, breaks)}${isSearched || isOpen ? proofText(proof, open) : ''}`
  return {
    kind,
    breaks,
    pointer: place,
    reason,
    old,
    new: next,
    ...(open.length > 0 && { undecided: true as const }),
    ...(proof.length > 0 && { proof }),
    ...(isUnwitnessed && { unwitnessed: true as const }),
    ...usersOf(place, uses),
  }
}

const placeOfRole = {
  params: 'params',
  results: 'results',
  serverParams: 'params',
  clientResults: 'results',
} as const satisfies Readonly<Record<SentRole, 'params' | 'results'>>

function usersOf(place: string, uses: FoundChange['uses']): Pick<Change, 'methods' | 'usedIn'> {
  const methods = [...new Set([...uses.values()].flatMap((users) => [...users]))].filter(Boolean).sort()
  const places = [...uses.keys()].flatMap((role) => (role === 'unclear' ? [] : [placeOfRole[role]]))
  const usedIn = [...new Set(places)].sort()
  const isListed = isShared(place) || methods.length > 1
  return {
    ...(isListed && methods.length > 0 && { methods }),
    ...(isListed && usedIn.length > 0 && { usedIn }),
  }
}

/** Returns changes of whole values that rules do not find, with values that only one side accepts as proof. */
function unstatedChanges(
  { old, new: next, place, uses, claimed }: OpenPair,
  findWitnesses: FindWitnesses,
): readonly Change[] {
  const roles = [...uses.keys()].filter((role) => role !== 'unclear')
  return proofOf(described(findWitnesses(old, next)), roles).flatMap((proof) => {
    const breaks = proof.breaks.filter((party) => !claimed.includes(party))
    if (breaks.length === 0) return []
    const words =
      proof.acceptedBy === 'old' ? 'no longer accepts all of its values' : 'accepts further values'
    const reason = `${words}${proofText([proof], [])}`
    const sides = { old: { pointer: old.pointer }, new: { pointer: next.pointer } }
    const proofs = [{ ...proof, breaks }]
    return [
      {
        kind: 'constraint-changed',
        breaks,
        pointer: place,
        reason,
        ...sides,
        proof: proofs,
        ...usersOf(place, uses),
      },
    ]
  })
}

/** Keeps values whose members are all described. A schema promises nothing about undescribed members. */
function described({ old, new: next }: ReturnType<FindWitnesses>): ReturnType<FindWitnesses> {
  return { ...(old?.described && { old }), ...(next?.described && { new: next }) }
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
