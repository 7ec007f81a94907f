import { allTypes, type LocatedSchema } from '../../contract/index.js'
import { canonicalSchema } from './canonical-schema.js'
import type { SchemaSource } from './schema-source.js'
import { isPureReference, keyword, unionOf } from './schema-view.js'
import { typesOf, typeText } from './type-set.js'

/** The corresponding schemas of two lists. The remaining schemas were added or removed. */
export interface SchemaMatch {
  readonly pairs: readonly { readonly old: LocatedSchema; readonly new: LocatedSchema }[]
  readonly removed: readonly LocatedSchema[]
  readonly added: readonly LocatedSchema[]
}

/** The two documents that contain the lists. */
export interface Sources {
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
}

/**
 * Matches two unordered lists of schemas, such as those of `anyOf`. Equal schemas match first, then those
 * with the same name, title or types. The rest match by position if both sides have the same number left.
 * @param before schemas of the old contract
 * @param after schemas of the new contract
 * @param sources the two documents
 */
export function matchSchemas(
  before: readonly LocatedSchema[],
  after: readonly LocatedSchema[],
  sources: Sources,
): SchemaMatch {
  const pairs: { old: LocatedSchema; new: LocatedSchema }[] = []
  let removed = before.map((schema) => describe(schema, sources.oldSource, sources.newSource))
  let added = after.map((schema) => describe(schema, sources.newSource, sources.oldSource))
  for (const pass of [...keys, 'rest'] as const) {
    for (const old of removed) {
      const isLast = pass === 'rest'
      if (isLast && removed.length !== added.length) break
      const found = added.find((next) => (isLast ? areFree(old, next) : keysMeet(old, next, pass)))
      if (!found) continue
      pairs.push({ old: old.schema, new: found.schema })
      removed = removed.filter((candidate) => candidate !== old)
      added = added.filter((candidate) => candidate !== found)
    }
  }
  return { pairs, removed: removed.map(({ schema }) => schema), added: added.map(({ schema }) => schema) }
}

/** Returns true if two lists have a schema in common, either equal or with the same name. */
export function haveCommon(
  before: readonly LocatedSchema[],
  after: readonly LocatedSchema[],
  { oldSource, newSource }: Sources,
): boolean {
  const others = after.map((schema) => describe(schema, newSource, oldSource))
  return before
    .map((schema) => describe(schema, oldSource, newSource))
    .some((old) => others.some((next) => sureKeys.some((key) => keysMeet(old, next, key))))
}

/** Keys that identify a schema, and keys that make a match likely. */
const sureKeys = ['text', 'name', 'meaning'] as const
const likelyKeys = ['title', 'types'] as const
const keys = [...sureKeys, ...likelyKeys] as const

/** The keys of a schema. An undefined key matches nothing. */
interface Described extends Readonly<Record<(typeof keys)[number], string | undefined>> {
  readonly schema: LocatedSchema
  /** True for a reference to a component of both documents. It only matches itself. */
  readonly isBound: boolean
}

function describe(schema: LocatedSchema, source: SchemaSource, other: SchemaSource): Described {
  const end = source.end(schema)
  const title = keyword(end, 'title')
  const types = typesOf(end)
  const isTyped = types.size < allTypes.size && !unionOf(end)
  return {
    schema,
    text: canonicalSchema(schema, source),
    name: /^#\/components\/schemas\/[^/]+$/.test(end.pointer) ? end.pointer : undefined,
    meaning: canonicalSchema(end, source),
    title: typeof title === 'string' ? title : undefined,
    types: isTyped ? typeText(types) : undefined,
    isBound: isPureReference(schema) && other.has(end.pointer),
  }
}

function keysMeet(old: Described, next: Described, key: (typeof keys)[number]): boolean {
  if ((key === 'title' || key === 'types') && !areFree(old, next)) return false
  return old[key] !== undefined && old[key] === next[key]
}

/** Returns true unless both schemas refer to components that exist in both documents. */
function areFree(old: Described, next: Described): boolean {
  return !old.isBound || !next.isBound
}
