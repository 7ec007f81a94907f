import {
  type Contract,
  canonicalText,
  isArray,
  isObject,
  isSchema,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  sameJson,
  stringMember,
} from '../contract/index.js'
import type { Change, ChangeSide } from './change.js'
import type { ChangeKind } from './change-kinds.js'
import type { Party } from './effect.js'
import type { SchemaSource } from './schemas/schema-source.js'
import type { SchemaWalk } from './schemas/schema-walk.js'
import { shown } from './words.js'

/** The two contracts and the comparison of their schemas, which all parts of the diff share. */
export interface DiffContext {
  readonly old: Contract
  readonly new: Contract
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
  readonly schemas: SchemaWalk
}

/** Both parties. */
export const everybody: readonly Party[] = ['clients', 'servers']

/** Creates a change that does not belong to a schema. */
export function change(
  kind: ChangeKind,
  pointer: string,
  breaks: readonly Party[],
  reason: string,
  more: Partial<Pick<Change, 'old' | 'new' | 'undecided' | 'methods'>> = {},
): Change {
  return { kind, breaks, pointer, reason, ...more }
}

/** Returns both sides of a place that has the same pointer in both documents, with their values. */
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

/** Returns a value as a schema. An absent schema allows everything. */
export function schemaAt(value: JsonValue | undefined, pointer: string): LocatedSchema {
  return { pointer, schema: isSchema(value) ? value : true }
}

/** Splits two named collections into added, removed and kept entries. */
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

/** Returns the names of the members that differ between two objects. */
export function changedMembers(
  before: { readonly [name: string]: JsonValue | undefined },
  after: { readonly [name: string]: JsonValue | undefined },
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const own = (object: typeof before, name: string) =>
    Object.hasOwn(object, name) ? object[name] : undefined
  return names.filter((name) => !sameJson(own(before, name), own(after, name))).sort()
}

/** Returns the members of an object by name. A member that is not an object is wrapped as `{ value }`. */
export function objectMap(value: JsonValue | undefined): ReadonlyMap<string, JsonObject> {
  const entries = isObject(value) ? Object.entries(value) : []
  return new Map(
    entries.flatMap(([name, item]) => (item === undefined ? [] : [[name, asObject(item)] as const])),
  )
}

/** Returns the items of a list by the text of one member. A string item is its own key. */
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

/** Creates a change of a value that cannot be ordered. */
export function undecidedChange(
  kind: 'http-changed' | 'envelope-changed',
  pointer: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Change {
  const reason = `${shown(before)} became ${shown(after)}: cannot tell which accepts more values`
  return change(kind, pointer, everybody, reason, { ...sidesAt(pointer, before, after), undecided: true })
}
