import { joinPointer, type LocatedSchema } from '../../contract/index.js'
import { effects, type Role } from '../effect.js'
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
  readonly inner: { readonly pair: Pair; readonly turn: Turn }[]
  /** The users of the pair by role. A user is usually a method name. */
  readonly uses: Map<Role, Set<string>>
  /** The pair around the condition (`if`) that the pair belongs to. */
  around?: Pair
}

/** A change of a schema and its uses. */
export interface FoundChange {
  readonly note: SchemaNote
  readonly place: string
  readonly uses: ReadonlyMap<Role, ReadonlySet<string>>
  /** The schemas whose values show the effect, and their roles. */
  readonly compared: {
    readonly old: LocatedSchema
    readonly new: LocatedSchema
    readonly roles: readonly Role[]
  }
}

/** Compares all schemas of two documents. Each pair is compared once, so that recursion ends. */
export interface SchemaWalk {
  /** Compares two schemas of a parameter, result or error. */
  readonly start: (old: LocatedSchema, next: LocatedSchema, place: string, role: Role, user: string) => void
  /** Compares two unused schemas after all others. Their changes break neither party. */
  readonly startUnused: (old: LocatedSchema, next: LocatedSchema, place: string) => void
  /** Returns all changes with the users that they affect. */
  readonly finish: () => readonly FoundChange[]
  /** Components that have another name in the new document. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * Creates a comparison of the schemas of two documents.
 * @param oldSource the old document
 * @param newSource the new document
 */
export function createSchemaWalk(oldSource: SchemaSource, newSource: SchemaSource): SchemaWalk {
  const pairs = new Map<string, Pair>()
  const waiting: Pair[] = []
  const starts: { readonly pair: Pair; readonly role: Role; readonly user: string }[] = []
  const renames = renamedComponents(oldSource, newSource)

  function enter(old: LocatedSchema, next: LocatedSchema, place: string, isDescribed = false): Pair {
    const key = pairKey(old.pointer, next.pointer)
    const known = pairs.get(key)
    if (known) return known
    const pair: Pair = { old, new: next, place, isDescribed, notes: [], inner: [], uses: new Map() }
    pairs.set(key, pair)
    waiting.push(pair)
    return pair
  }

  function refer(from: Pair, old: LocatedSchema, next: LocatedSchema): void {
    const [oldName, newName] = [oldSource.named(old.pointer), newSource.named(next.pointer)]
    const isSame = oldName === newName || renames.isRenaming(old.pointer, next.pointer)
    from.inner.push({ pair: enter(old, next, isSame ? newName : from.place), turn: 'same' })
    if (isSame) return
    const sides = { old: { pointer: from.old.pointer }, new: { pointer: from.new.pointer } }
    const reason = `refers to ${newName} instead of ${oldName}`
    from.notes.push({ kind: 'reference-changed', effect: effects.none, reason, ...sides })
  }

  function comparisonOf(pair: Pair): Comparison {
    const { old, new: next, place, isDescribed } = pair
    const add = (inner: Pair, turn: Turn = 'same') => void pair.inner.push({ pair: inner, turn })
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
        add(enter(before, after, joinPointer(place, ...tokens)), turn)
      },
      follow: (before, after) => add(enter(before, after, place, true)),
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
      for (const { pair, role, user } of starts) spread(pair, role, user)
      return [...pairs.values()].flatMap(foundChanges)
    },
  }
}

function pairKey(old: string, next: string): string {
  return JSON.stringify([old, next])
}

/** Returns the changes of a pair. Uses in conditions are apart, because their effect shows around the condition. */
function foundChanges({ notes, place, uses, around, ...pair }: Pair): readonly FoundChange[] {
  const parts = [false, true].map((isUnclear) =>
    [...uses].filter(([role]) => (role === 'unclear') === isUnclear),
  )
  const used = parts.flatMap((part, at) => {
    const { old, new: next, uses: roles } = (at === 1 && around) || { ...pair, uses }
    const clear = [...roles.keys()].filter((role) => role !== 'unclear')
    return part.length === 0 ? [] : [{ uses: new Map(part), compared: { old, new: next, roles: clear } }]
  })
  const all = used.length > 0 ? used : [{ uses, compared: { old: pair.old, new: pair.new, roles: [] } }]
  return notes.flatMap((note) => all.map((use) => ({ note, place, ...use })))
}

/** Records the user and its role for a pair and all pairs that it leads to. */
function spread(start: Pair, startRole: Role, user: string): void {
  const waiting: { readonly pair: Pair; readonly role: Role; readonly around: Pair }[] = [
    { pair: start, role: startRole, around: start },
  ]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { pair, role } = next
    const around = role === 'unclear' ? next.around : pair
    if (role === 'unclear') pair.around = around
    const users = pair.uses.get(role) ?? new Set()
    if (users.has(user)) continue
    pair.uses.set(role, users.add(user))
    for (const { pair: inner, turn } of pair.inner)
      waiting.push({ pair: inner, role: turned(role, turn), around })
  }
}

function turned(role: Role, turn: Turn): Role {
  if (role === 'unclear' || turn === 'same') return role
  if (turn === 'unclear') return 'unclear'
  return role === 'params' ? 'results' : 'params'
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
