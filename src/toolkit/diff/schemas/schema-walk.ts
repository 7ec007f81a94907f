import { joinPointer, type LocatedSchema } from '../../contract/index.js'
import { effects, oppositeRole, type Party, partiesIn, partiesTogether, type Role } from '../effect.js'
import { compareSchemas } from './compare-schemas.js'
import type { Comparison, SchemaNote, Turn } from './comparison.js'
import type { SchemaSource } from './schema-source.js'

/** Two compared schemas, their own changes, and the pairs of their inner schemas and reference targets. */
interface Pair {
  readonly old: LocatedSchema
  readonly new: LocatedSchema
  readonly place: string
  readonly isDescribed: boolean
  readonly notes: SchemaNote[]
  readonly inner: Inner[]
  /** The users of the pair by role. A user is usually a method name. */
  readonly uses: Map<Role, Set<string>>
  /** Users that reach the pair through schemas that accept the same values. Only texts can differ for them. */
  readonly quietUses: Map<Role, Set<string>>
  /** The pairs of whole values that contain this pair, possibly the pair itself. */
  readonly wholes: Set<Pair>
}

/** An inner pair. `reach` is `inside` for a member or an item, and `whole` for the target of a reference. */
interface Inner {
  readonly pair: Pair
  readonly turn: Turn
  readonly reach: 'inside' | 'part' | 'whole'
}

/** A change of a schema and its uses. */
export interface FoundChange {
  readonly note: SchemaNote
  readonly place: string
  readonly uses: ReadonlyMap<Role, ReadonlySet<string>>
  /** The schemas of the whole values that show the effect. */
  readonly wholes: readonly SchemaPair[]
  /** The roles of these values. */
  readonly roles: readonly Role[]
}

/** The old and the new schema of a place. */
export interface SchemaPair {
  readonly old: LocatedSchema
  readonly new: LocatedSchema
}

/** Two schemas of whole values that differ, and the parties that the changes of their parts break. */
export interface OpenPair extends SchemaPair {
  readonly place: string
  readonly uses: ReadonlyMap<Role, ReadonlySet<string>>
  readonly claimed: readonly Party[]
}

/** Returns a function that tells which of the given pairs of schemas accept the same values. */
export type CompareValues = (pairs: readonly SchemaPair[]) => (pair: SchemaPair) => boolean

/** Compares all schemas of two documents. Each pair is compared once, so that recursion ends. */
export interface SchemaWalk {
  /** Compares two schemas of a parameter, result or error. */
  readonly start: (old: LocatedSchema, next: LocatedSchema, place: string, role: Role, user: string) => void
  /** Compares two unused schemas after all others. Their changes break neither party. */
  readonly startUnused: (old: LocatedSchema, next: LocatedSchema, place: string) => void
  /** Returns all changes with the users that they affect. */
  readonly finish: () => readonly FoundChange[]
  /** Returns the schemas of whole values whose changes do not break both parties. */
  readonly open: () => readonly OpenPair[]
  /** Components that have another name in the new document. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * Creates a comparison of the schemas of two documents.
 * @param oldSource the old document
 * @param newSource the new document
 * @param compareValues finds schemas that accept the same values; only their texts are compared
 */
export function createSchemaWalk(
  oldSource: SchemaSource,
  newSource: SchemaSource,
  compareValues: CompareValues,
): SchemaWalk {
  const pairs = new Map<string, Pair>()
  const waiting: Pair[] = []
  const starts: { readonly pair: Pair; readonly role: Role; readonly user: string }[] = []
  const renames = renamedComponents(oldSource, newSource)
  let isQuiet: (pair: Pair) => boolean = () => false

  function enter(old: LocatedSchema, next: LocatedSchema, place: string, isDescribed = false): Pair {
    const key = pairKey(old.pointer, next.pointer)
    const known = pairs.get(key)
    if (known) return known
    const maps = { uses: new Map(), quietUses: new Map(), wholes: new Set<Pair>() }
    const pair: Pair = { old, new: next, place, isDescribed, notes: [], inner: [], ...maps }
    pairs.set(key, pair)
    waiting.push(pair)
    return pair
  }

  function refer(from: Pair, old: LocatedSchema, next: LocatedSchema): void {
    const [oldName, newName] = [oldSource.named(old.pointer), newSource.named(next.pointer)]
    const isNamed = oldName === newName || renames.isRenaming(old.pointer, next.pointer)
    from.inner.push({ pair: enter(old, next, isNamed ? newName : from.place), turn: 'same', reach: 'whole' })
    if (isNamed) return
    const sides = { old: { pointer: from.old.pointer }, new: { pointer: from.new.pointer } }
    const reason = `refers to ${newName} instead of ${oldName}`
    from.notes.push({ kind: 'reference-changed', effect: effects.none, reason, ...sides })
  }

  function comparisonOf(pair: Pair): Comparison {
    const { old, new: next, place, isDescribed } = pair
    const add = (inner: Pair, reach: Inner['reach'], turn: Turn = 'same') =>
      void pair.inner.push({ pair: inner, turn, reach })
    return {
      old,
      new: next,
      oldSource,
      newSource,
      place,
      isDescribed,
      note: (kind, effect, reason, sides) => {
        const own = { old: { pointer: old.pointer }, new: { pointer: next.pointer } }
        pair.notes.push({ kind, effect, reason, ...own, ...sides })
      },
      descend: (before, after, tokens, turn) => {
        if (before.schema === true && after.schema === true) return
        const reach = partKeywords.has(tokens[0] ?? '') ? 'part' : 'inside'
        add(enter(before, after, joinPointer(place, ...tokens)), reach, turn)
      },
      follow: (before, after) => add(enter(before, after, place, true), 'whole'),
      refer: (before, after) => refer(pair, before, after),
    }
  }

  function settle(): void {
    for (let pair = waiting.shift(); pair; pair = waiting.shift()) compareSchemas(comparisonOf(pair))
  }

  return {
    renamed: renames.places,
    start: (old, next, place, role, user) => void starts.push({ pair: enter(old, next, place), role, user }),
    startUnused: (old, next, place) => {
      settle()
      enter(old, next, place)
    },
    finish: () => {
      settle()
      isQuiet = quietPairs([...pairs.values()], compareValues)
      findWholes(
        starts.map(({ pair }) => pair),
        isQuiet,
      )
      for (const { pair, role, user } of starts) spread(pair, role, user, isQuiet)
      return [...pairs.values()].flatMap((pair) => foundChanges(pair, isQuiet(pair)))
    },
    open: () => openPairs([...pairs.values()], isQuiet),
  }
}

function pairKey(old: string, next: string): string {
  return JSON.stringify([old, next])
}

/** Keywords whose schemas apply to the value itself. */
const partKeywords: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies'],
])

/** Returns the changes of a pair. Uses in conditions are separate, because their effect depends on the condition. */
function foundChanges(
  { notes, place, uses, quietUses, ...pair }: Pair,
  isQuiet: boolean,
): readonly FoundChange[] {
  const parts = [false, true].map((isUnclear) =>
    [...uses].filter(([role]) => (role === 'unclear') === isUnclear),
  )
  const wholes = [...pair.wholes]
  const roles = [...new Set(wholes.flatMap((whole) => [...whole.uses.keys()]))].filter(
    (role) => role !== 'unclear',
  )
  const used = parts.flatMap((part) => (part.length === 0 ? [] : [{ uses: new Map(part), wholes, roles }]))
  const told = [{ uses: new Map([...quietUses, ...uses]), wholes, roles: [] }]
  return notes.flatMap((note) => {
    const isText = !isBreaking(note) || note.kind.startsWith('default-')
    const isRewritten = isQuiet || (used.length === 0 && quietUses.size > 0)
    if (isRewritten && !isText) return []
    const all = isText || used.length === 0 ? told : used
    return all.map((use) => ({ note, place, ...use }))
  })
}

/** Records for each pair the pairs of whole values that contain it. */
function findWholes(starts: readonly Pair[], isQuiet: (pair: Pair) => boolean): void {
  const waiting = starts.map((pair) => ({ pair, whole: pair }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { pair, whole } = next
    if (pair.wholes.has(whole)) continue
    pair.wholes.add(whole)
    if (isQuiet(pair)) continue
    for (const { pair: inner, reach } of pair.inner) {
      const isWhole = reach === 'inside' || (reach === 'whole' && whole === pair)
      waiting.push({ pair: inner, whole: isWhole ? inner : whole })
    }
  }
}

/** Returns a function that tells which pairs accept the same values, among those that lead to a breaking change. */
function quietPairs(pairs: readonly Pair[], compareValues: CompareValues): (pair: Pair) => boolean {
  const outer = new Map<Pair, Pair[]>()
  for (const pair of pairs)
    for (const inner of pair.inner) outer.set(inner.pair, [...(outer.get(inner.pair) ?? []), pair])
  const leading = new Set<Pair>()
  const waiting = pairs.filter((pair) => pair.notes.some(isBreaking))
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    if (leading.has(pair)) continue
    leading.add(pair)
    waiting.push(...(outer.get(pair) ?? []))
  }
  if (leading.size === 0) return () => false
  const isSame = compareValues([...leading])
  return (pair) => leading.has(pair) && isSame(pair)
}

/**
 * Returns the changed pairs of whole values that do not yet break both parties. Rules compare one part at a time; only
 * values show the effect of all parts together.
 */
function openPairs(pairs: readonly Pair[], isQuiet: (pair: Pair) => boolean): readonly OpenPair[] {
  const changed = new Set(pairs.flatMap((pair) => (pair.notes.some(isBreaking) ? [...pair.wholes] : [])))
  return pairs.flatMap((whole) => {
    const { old, new: next, place, uses } = whole
    if (!whole.wholes.has(whole) || uses.size === 0 || isQuiet(whole)) return []
    const claimed = claimedParties(whole, isQuiet)
    return changed.has(whole) && claimed.length < 2 ? [{ old, new: next, place, uses, claimed }] : []
  })
}

function isBreaking({ effect }: SchemaNote): boolean {
  return effect.params.length + effect.results.length > 0
}

/** Returns the parties that the changes of a pair and of all pairs inside it break. */
function claimedParties(start: Pair, isQuiet: (pair: Pair) => boolean): readonly Party[] {
  const seen = new Set<Pair>()
  const waiting = [start]
  let claimed: readonly Party[] = []
  for (let pair = waiting.pop(); pair && claimed.length < 2; pair = waiting.pop()) {
    if (seen.has(pair) || isQuiet(pair)) continue
    seen.add(pair)
    const roles = [...pair.uses.keys()]
    const own = pair.notes.flatMap(({ effect }) => roles.flatMap((role) => partiesIn(effect, role)))
    claimed = partiesTogether(claimed, own)
    waiting.push(...pair.inner.map((inner) => inner.pair))
  }
  return claimed
}

/** Records the user and its role for a pair and all pairs that it leads to. */
function spread(start: Pair, startRole: Role, user: string, isQuiet: (pair: Pair) => boolean): void {
  const waiting = [{ pair: start, role: startRole, quiet: false }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { pair, role, quiet } = next
    const uses = quiet ? pair.quietUses : pair.uses
    const users = uses.get(role) ?? new Set()
    if (users.has(user)) continue
    uses.set(role, users.add(user))
    const isRest = quiet || isQuiet(pair)
    for (const { pair: inner, turn } of pair.inner)
      waiting.push({ pair: inner, role: turned(role, turn), quiet: isRest })
  }
}

function turned(role: Role, turn: Turn): Role {
  if (role === 'unclear' || turn === 'same') return role
  return turn === 'unclear' ? 'unclear' : oppositeRole(role)
}

/** Components that have another name in the new document. */
export interface RenamedComponents {
  /** Old place to new place. */
  readonly places: ReadonlyMap<string, string>
  /** Returns true if a removed component and an added component are the same component. */
  readonly isRenaming: (old: string, next: string) => boolean
}

/** Tracks renamed components. The first added component used in place of a removed one is its new name. */
function renamedComponents(oldSource: SchemaSource, newSource: SchemaSource): RenamedComponents {
  const places = new Map<string, string>()
  return {
    places,
    isRenaming: (old, next) => {
      if (![old, next].every(isComponent) || newSource.has(old) || oldSource.has(next)) return false
      const taken = [...places].find(([from, to]) => from === old || to === next)
      if (!taken) places.set(old, next)
      return !taken || (taken[0] === old && taken[1] === next)
    },
  }
}

function isComponent(place: string): boolean {
  return /^#\/components\/schemas\/[^/]+$/.test(place)
}
