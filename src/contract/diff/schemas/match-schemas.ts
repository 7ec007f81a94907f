import type { LocatedSchema } from '../../model/schema.js'
import { canonicalSchema } from './canonical-schema.js'
import type { SchemaSource } from './schema-source.js'
import { isPureReference, keyword, unionOf } from './schema-view.js'
import { allTypes, typesOf, typeText } from './type-set.js'

/** Which schema of one list stands for which of the other; the rest came or went. */
export interface SchemaMatch {
  readonly pairs: readonly { readonly old: LocatedSchema; readonly new: LocatedSchema }[]
  readonly removed: readonly LocatedSchema[]
  readonly added: readonly LocatedSchema[]
}

/** The two documents that the lists come from. */
export interface Sources {
  readonly oldSource: SchemaSource
  readonly newSource: SchemaSource
}

/**
 * Matches two lists whose order means nothing, such as those of `anyOf`: first what is equal, then what has one name,
 * one title, or the same types, and at last by position where as many are left on both sides.
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
      removed = removed.filter((other) => other !== old)
      added = added.filter((other) => other !== found)
    }
  }
  return { pairs, removed: removed.map(({ schema }) => schema), added: added.map(({ schema }) => schema) }
}

/** True where two lists hold one schema that is equal or has one name: enough to say that they are alike. */
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

/** What makes two schemas one for sure, and what makes it likely where nothing else is left. */
const sureKeys = ['text', 'name', 'meaning'] as const
const likelyKeys = ['title', 'types'] as const
const keys = [...sureKeys, ...likelyKeys] as const

/** By what a schema is matched; what is undefined matches nothing. */
interface Described extends Readonly<Record<(typeof keys)[number], string | undefined>> {
  readonly schema: LocatedSchema
  /** True for a reference to something that both documents have: it stands for itself alone. */
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

/** Two schemas that both documents have are two, however alike they look. */
function areFree(old: Described, next: Described): boolean {
  return !old.isBound || !next.isBound
}
