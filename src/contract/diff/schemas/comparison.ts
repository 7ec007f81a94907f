import type { JsonValue } from '../../json.js'
import { joinPointer } from '../../json-pointer.js'
import type { LocatedSchema } from '../../model/schema.js'
import type { ChangeKind } from '../change.js'
import type { Effect } from '../effect.js'
import type { SchemaSource } from './schema-source.js'
import { keyword, keywordsOf } from './schema-view.js'
import { type TypeAtom, typesOf } from './type-set.js'

/** How widening an inner schema acts on the outer one: alike, the other way about (`not`), or neither for sure (`if`). */
export type Turn = 'same' | 'flipped' | 'unclear'

/** A place in one of the documents, and the value there where it is small enough to be told. */
export interface Side {
  readonly pointer: string
  readonly value?: JsonValue
}

/** A change of a schema, before it is known where the schema is used. */
export interface SchemaNote {
  readonly kind: ChangeKind
  readonly reason: string
  readonly effect: Effect
  readonly old: Side
  readonly new: Side
}

/** Two schemas that stand for each other in the two documents, and what to do with what differs. */
export interface Comparison {
  readonly old: LocatedSchema
  readonly new: LocatedSchema
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
  /** The place as it is told, methods by name. */
  readonly place: string
  /** Tells a change; its sides are the two schemas where nothing else is said. */
  readonly note: (
    kind: ChangeKind,
    effect: Effect,
    reason: string,
    sides?: { readonly old?: Side; readonly new?: Side },
  ) => void
  /** Goes on with two inner schemas. */
  readonly descend: (old: LocatedSchema, next: LocatedSchema, tokens: readonly string[], turn?: Turn) => void
  /** Goes on at the same place, where one side refers to what the other says; descriptions are told then. */
  readonly follow: (old: LocatedSchema, next: LocatedSchema) => void
  /** Goes on with what both sides refer to. */
  readonly refer: (old: LocatedSchema, next: LocatedSchema) => void
  /** True where descriptions were compared already, along the references that led here. */
  readonly isDescribed: boolean
}

/** Tells a change of one keyword, with the keyword's own place and value on both sides. */
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

function keywordSide(located: LocatedSchema, name: string): Side {
  const value = keyword(located, name)
  const pointer = joinPointer(located.pointer, name)
  return value === undefined ? { pointer } : { pointer, value }
}

/** The values of a keyword on both sides. */
export function bothValues({ old, new: next }: Comparison, name: string) {
  return { before: keyword(old, name), after: keyword(next, name) }
}

/** True where values of one of the types are taken on both sides, so that keywords for them can be compared. */
export function shares({ old, new: next }: Comparison, types: readonly TypeAtom[]): boolean {
  const [before, after] = [typesOf(old), typesOf(next)]
  return types.some((type) => before.has(type) && after.has(type))
}

/** The keywords of either side. */
export function allKeywords({ old, new: next }: Comparison): ReadonlySet<string> {
  return new Set([...Object.keys(keywordsOf(old)), ...Object.keys(keywordsOf(next))])
}
