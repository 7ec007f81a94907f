import { isArray, isObject, type JsonObject, type JsonValue, stringMember } from '../json.js'
import type { Contract } from '../model/contract.js'
import { isSchema, type LocatedSchema } from '../model/schema.js'
import { canonicalText, sameJson } from './canonical.js'
import type { Change, ChangeKind, ChangeSide } from './change.js'
import type { Party } from './effect.js'
import type { SchemaSource } from './schemas/schema-source.js'
import type { SchemaWalk } from './schemas/schema-walk.js'
import { shown } from './words.js'

/** The two contracts that are compared, and the comparison of their schemas, which every part adds to. */
export interface DiffContext {
  readonly old: Contract
  readonly new: Contract
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
  readonly schemas: SchemaWalk
}

/** Everybody, for what breaks both. */
export const everybody: readonly Party[] = ['clients', 'servers']

/** A change that is no schema's. */
export function change(
  kind: ChangeKind,
  pointer: string,
  breaks: readonly Party[],
  reason: string,
  more: Partial<Pick<Change, 'old' | 'new' | 'undecided' | 'methods'>> = {},
): Change {
  return { kind, breaks, pointer, reason, ...more }
}

/** Both sides of something that stands at one pointer in both documents, with their values. */
export function sidesAt(pointer: string, before: JsonValue | undefined, after: JsonValue | undefined) {
  return {
    ...(before !== undefined && side('old', pointer, before)),
    ...(after !== undefined && side('new', pointer, after)),
  }
}

function side(
  name: 'old' | 'new',
  pointer: string,
  value: JsonValue,
): { readonly [side in 'old' | 'new']?: ChangeSide } {
  const isSmall = typeof value !== 'object' || value === null
  return { [name]: isSmall ? { pointer, value } : { pointer } }
}

/** A value that may hold a schema, as one; anything is taken where there is none. */
export function schemaAt(value: JsonValue | undefined, pointer: string): LocatedSchema {
  return { pointer, schema: isSchema(value) ? value : true }
}

/** What came, what went and what stayed of two collections by name. */
export function byName<Item>(before: ReadonlyMap<string, Item>, after: ReadonlyMap<string, Item>) {
  return {
    added: [...after].filter(([name]) => !before.has(name)),
    removed: [...before].filter(([name]) => !after.has(name)),
    kept: [...before].flatMap(([name, old]) => {
      const next = after.get(name)
      return next === undefined ? [] : [{ name, old, new: next }]
    }),
  }
}

/** The names of members in which two objects differ. */
export function changedMembers(
  before: { readonly [name: string]: JsonValue | undefined },
  after: { readonly [name: string]: JsonValue | undefined },
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const own = (object: typeof before, name: string) =>
    Object.hasOwn(object, name) ? object[name] : undefined
  return names.filter((name) => !sameJson(own(before, name), own(after, name))).sort()
}

/** The members of an object by name; a value that is no object counts as an object's `value`. */
export function objectMap(value: JsonValue | undefined): ReadonlyMap<string, JsonObject> {
  const entries = isObject(value) ? Object.entries(value) : []
  return new Map(
    entries.flatMap(([name, item]) => (item === undefined ? [] : [[name, asObject(item)] as const])),
  )
}

/** The items of a list by the text of one member; an item that is a text alone is known by itself. */
export function itemMap(
  value: JsonValue | undefined,
  key: string,
): ReadonlyMap<string, { readonly at: number; readonly value: JsonObject }> {
  const list = isArray(value) ? value : []
  return new Map(
    list.map((item, at) => {
      const id = isObject(item) ? (stringMember(item, key) ?? canonicalText(item)) : item
      return [
        typeof id === 'string' ? id : canonicalText(id),
        { at, value: isObject(item) ? item : {} },
      ] as const
    }),
  )
}

function asObject(value: JsonValue): JsonObject {
  return isObject(value) ? value : { value }
}

/** A change of a value that cannot be ordered. */
export function undecidedChange(
  kind: 'http-changed' | 'envelope-changed',
  pointer: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Change {
  const reason = `${shown(before)} became ${shown(after)}: which takes more cannot be decided`
  return change(kind, pointer, everybody, reason, { ...sidesAt(pointer, before, after), undecided: true })
}
