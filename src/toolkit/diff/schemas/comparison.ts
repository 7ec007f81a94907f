import { type JsonValue, joinPointer, type LocatedSchema, type TypeAtom } from '../../contract/index.js'
import type { ChangeKind } from '../change-kinds.js'
import { type Effect, effects } from '../effect.js'
import type { SchemaSource } from './schema-source.js'
import { keyword, keywordsOf } from './schema-view.js'
import { typesOf } from './type-set.js'

/**
 * The effect of widening an inner schema on the outer one: the same, the opposite (`not`), or unknown (`if`).
 */
export type Turn = 'same' | 'flipped' | 'unclear'

/** A place in one of the documents, and its value if it is small enough to show. */
export interface Side {
  readonly pointer: string
  readonly value?: JsonValue
}

/** A change of a schema before its uses are known. */
export interface SchemaNote {
  readonly kind: ChangeKind
  readonly reason: string
  readonly effect: Effect
  readonly old: Side
  readonly new: Side
}

/** A pair of corresponding schemas, and functions that record their differences. */
export interface Comparison {
  readonly old: LocatedSchema
  readonly new: LocatedSchema
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
  /** The place to report, with methods by name. */
  readonly place: string
  /** Records a change. The sides default to the two schemas. */
  readonly note: (
    kind: ChangeKind,
    effect: Effect,
    reason: string,
    sides?: { readonly old?: Side; readonly new?: Side },
  ) => void
  /** Compares two inner schemas. */
  readonly descend: (old: LocatedSchema, next: LocatedSchema, tokens: readonly string[], turn?: Turn) => void
  /** Continues at the same place with a reference target on one side. Descriptions were compared before. */
  readonly follow: (old: LocatedSchema, next: LocatedSchema) => void
  /** Compares the reference targets of both sides. */
  readonly refer: (old: LocatedSchema, next: LocatedSchema) => void
  /** True if descriptions were already compared along the references that led here. */
  readonly isDescribed: boolean
}

/** Records a change of one keyword, with the keyword's place and value on both sides. */
export function noteKeyword(
  comparison: Comparison,
  name: string,
  kind: ChangeKind,
  effect: Effect,
  reason: string,
): void {
  comparison.note(kind, effect, reason, {
    old: keywordSide(comparison.old, name),
    new: keywordSide(comparison.new, name),
  })
}

/** Records a keyword that only one side has. Its presence narrows the schema. */
export function notePresence(comparison: Comparison, name: string, isAdded: boolean, what: string): void {
  const kind = isAdded ? 'constraint-added' : 'constraint-removed'
  const effect = isAdded ? effects.narrowed : effects.widened
  noteKeyword(comparison, name, kind, effect, `${isAdded ? 'gained' : 'lost'} ${what}`)
}

function keywordSide(located: LocatedSchema, name: string): Side {
  const value = keyword(located, name)
  const pointer = joinPointer(located.pointer, name)
  return value === undefined ? { pointer } : { pointer, value }
}

/** Returns the values of a keyword on both sides. */
export function bothValues({ old, new: next }: Comparison, name: string) {
  return { before: keyword(old, name), after: keyword(next, name) }
}

/**
 * Returns true if both sides accept values of one of the types. Only then can keywords for the types be
 * compared.
 */
export function shares({ old, new: next }: Comparison, types: readonly TypeAtom[]): boolean {
  const [before, after] = [typesOf(old), typesOf(next)]
  return types.some((type) => before.has(type) && after.has(type))
}

/** Returns the keywords of both sides. */
export function allKeywords({ old, new: next }: Comparison): ReadonlySet<string> {
  return new Set([...Object.keys(keywordsOf(old)), ...Object.keys(keywordsOf(next))])
}
