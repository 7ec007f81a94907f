import { joinPointer } from '../../json-pointer.js'
import type { LocatedSchema } from '../../model/schema.js'
import { type Effect, effects, type Party, partiesIn, partiesTogether, type Role } from '../effect.js'
import { listed } from '../words.js'
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
}

/** A change of a schema and its uses. */
export interface FoundChange {
  readonly note: SchemaNote
  readonly place: string
  readonly uses: ReadonlyMap<Role, ReadonlySet<string>>
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
 * @param mode `apart` compares the targets of any two references; with `whole`, a reference to another
 *   component is one change at the place of the reference
 */
export function createSchemaWalk(
  oldSource: SchemaSource,
  newSource: SchemaSource,
  mode: 'whole' | 'apart' = 'whole',
): SchemaWalk {
  const pairs = new Map<string, Pair>()
  const waiting: Pair[] = []
  const starts: { readonly pair: Pair; readonly role: Role; readonly user: string }[] = []
  const renames = renamedComponents(oldSource, newSource)
  const compareApart = apartComparer(oldSource, newSource)

  function enter(old: LocatedSchema, next: LocatedSchema, place: string, isDescribed = false): Pair {
    const key = pairKey(old.pointer, next.pointer)
    const known = pairs.get(key)
    if (known) return known
    const pair = { old, new: next, place, isDescribed, notes: [], inner: [], uses: new Map() }
    pairs.set(key, pair)
    waiting.push(pair)
    return pair
  }

  function refer(from: Pair, old: LocatedSchema, next: LocatedSchema): void {
    const [oldName, newName] = [oldSource.named(old.pointer), newSource.named(next.pointer)]
    const isWhole = mode === 'whole'
    const isSame = oldName === newName || (isWhole && renames.isRenaming(old.pointer, next.pointer))
    if (isSame || !isWhole) {
      const place = isSame ? newName : from.place
      from.inner.push({ pair: enter(old, next, place), turn: 'same' })
      return
    }
    const { effect, reasons } = compareApart(old, next)
    const detail = reasons.length === 0 ? 'both accept the same values' : listed(reasons, 3)
    const reason = `refers to ${newName} instead of ${oldName}: ${detail}`
    const sides = { old: { pointer: from.old.pointer }, new: { pointer: from.new.pointer } }
    from.notes.push({ kind: 'reference-changed', effect, reason, ...sides })
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
      return [...pairs.values()].flatMap(({ notes, place, uses }) =>
        notes.map((note) => ({ note, place, uses })),
      )
    },
  }
}

function pairKey(old: string, next: string): string {
  return JSON.stringify([old, next])
}

/** Records the user and its role for a pair and all pairs that it leads to. */
function spread(start: Pair, startRole: Role, user: string): void {
  const waiting: { readonly pair: Pair; readonly role: Role }[] = [{ pair: start, role: startRole }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { pair, role } = next
    const users = pair.uses.get(role) ?? new Set()
    if (users.has(user)) continue
    pair.uses.set(role, users.add(user))
    waiting.push(...pair.inner.map(({ pair: inner, turn }) => ({ pair: inner, role: turned(role, turn) })))
  }
}

function turned(role: Role, turn: Turn): Role {
  if (role === 'unclear' || turn === 'same') return role
  if (turn === 'unclear') return 'unclear'
  return role === 'params' ? 'results' : 'params'
}

/** Creates a function that compares two schemas with different names. Results are cached. */
function apartComparer(oldSource: SchemaSource, newSource: SchemaSource) {
  const known = new Map<string, { readonly effect: Effect; readonly reasons: readonly string[] }>()
  return (old: LocatedSchema, next: LocatedSchema) => {
    const key = pairKey(old.pointer, next.pointer)
    const found = known.get(key) ?? compareApart(oldSource, newSource, old, next)
    known.set(key, found)
    return found
  }
}

function compareApart(
  oldSource: SchemaSource,
  newSource: SchemaSource,
  old: LocatedSchema,
  next: LocatedSchema,
): { readonly effect: Effect; readonly reasons: readonly string[] } {
  const walk = createSchemaWalk(oldSource, newSource, 'apart')
  for (const role of ['params', 'results'] as const) walk.start(old, next, '', role, role)
  const changes = walk.finish()
  const partiesFor = (user: 'params' | 'results'): readonly Party[] =>
    partiesTogether(
      ...changes.flatMap(({ note, uses }) =>
        [...uses].map(([role, users]) => (users.has(user) ? partiesIn(note.effect, role) : [])),
      ),
    )
  const telling = changes.filter(
    ({ note }) => note.effect !== effects.none && note.kind !== 'documentation-changed',
  )
  const isUndecided = telling.some(({ note, uses }) => note.effect.undecided || uses.has('unclear'))
  return {
    effect: {
      params: partiesFor('params'),
      results: partiesFor('results'),
      ...(isUndecided && { undecided: true as const }),
    },
    reasons: telling.map(({ note, place }) => (place === '' ? note.reason : `${place} ${note.reason}`)),
  }
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
