import { type LocatedSchema, schemaList, takesAnything } from '../../contract/index.js'
import { effects } from '../effect.js'
import { shown } from '../words.js'
import { type Comparison, noteKeyword, notePresence } from './comparison.js'
import { matchSchemas, type SchemaMatch } from './match-schemas.js'
import type { SchemaSource } from './schema-source.js'
import { isPureReference, keyword, unionOf } from './schema-view.js'
import { typesOf, typeText } from './type-set.js'

/**
 * Compares `anyOf` and `oneOf` (draft-07 validation, section 6.7). An additional alternative widens the
 * schema.
 */
export function compareAlternatives(comparison: Comparison): void {
  for (const name of ['anyOf', 'oneOf'] as const) {
    const other = name === 'anyOf' ? 'oneOf' : 'anyOf'
    const [before, after] = [schemaList(comparison.old, name), schemaList(comparison.new, name)]
    const [otherBefore, otherAfter] = [schemaList(comparison.old, other), schemaList(comparison.new, other)]
    if (before.length > 0 && after.length > 0) compareLists(comparison, before, after, name)
    else if (before.length > 0 && otherAfter.length > 0 && otherBefore.length === 0) {
      compareLists(comparison, before, otherAfter, other)
      if (!comparison.newSource.areDisjoint(otherAfter))
        noteKeyword(comparison, other, 'constraint-changed', effects.undecided, `${name} became ${other}`)
    } else if (before.length > 0 || (after.length > 0 && (otherBefore.length === 0 || otherAfter.length > 0)))
      notePresence(comparison, name, after.length > 0, `alternatives (${name})`)
  }
}

/** Compares the alternatives of two unions, or of a union and a single schema. */
export function compareLists(
  comparison: Comparison,
  before: readonly LocatedSchema[],
  after: readonly LocatedSchema[],
  name: 'anyOf' | 'oneOf',
): void {
  const { pairs, added, removed } = matchSchemas(before, after, comparison)
  if (pairs.length === 0 && added.length > 0 && removed.length > 0 && added.length !== removed.length) {
    noteKeyword(comparison, name, 'constraint-changed', effects.undecided, `has other alternatives (${name})`)
    return
  }
  for (const { old, new: next } of pairs) {
    const at = after.length > 1 ? after.indexOf(next) : before.indexOf(old)
    comparison.descend(old, next, [name, String(at)])
  }
  for (const item of added) {
    const text = alternativeText(item, comparison.newSource)
    const reason = text === 'null' ? 'may be null' : `gained the alternative ${text}`
    comparison.note('alternative-added', effects.widened, reason, { new: { pointer: item.pointer } })
  }
  for (const item of removed) {
    const text = alternativeText(item, comparison.oldSource)
    const reason = text === 'null' ? 'may no longer be null' : `lost the alternative ${text}`
    comparison.note('alternative-removed', effects.narrowed, reason, { old: { pointer: item.pointer } })
  }
}

/**
 * Compares `allOf` and references with other keywords. An additional condition narrows the schema.
 * @param after all conditions of the new schema
 */
export function compareConditions(
  comparison: Comparison,
  { pairs, added, removed }: SchemaMatch,
  after: readonly LocatedSchema[],
): void {
  for (const { old, new: next } of pairs) {
    comparison.descend(old, next, ['allOf', String(after.indexOf(next))])
  }
  for (const item of added) {
    const reason = `must also be ${alternativeText(item, comparison.newSource)} (allOf)`
    comparison.note('constraint-added', takesAnything(item) ? effects.none : effects.narrowed, reason, {
      new: { pointer: item.pointer },
    })
  }
  for (const item of removed) {
    const reason = `need no longer be ${alternativeText(item, comparison.oldSource)} (allOf)`
    comparison.note('constraint-removed', takesAnything(item) ? effects.none : effects.widened, reason, {
      old: { pointer: item.pointer },
    })
  }
}

/** Names an alternative for a message: by its component, title, values or type. */
export function alternativeText(item: LocatedSchema, source: SchemaSource): string {
  const end = source.end(item)
  if (isPureReference(item)) return source.named(end.pointer)
  for (const name of ['title', 'const', 'enum']) {
    const value = keyword(end, name)
    if (value !== undefined && value !== null) return shown(value)
  }
  const alternatives = unionOf(end)?.alternatives ?? []
  if (alternatives.length === 0) return typeText(typesOf(end))
  const names = alternatives.slice(0, 3).map((alternative) => briefText(alternative, source))
  return [...names, ...(alternatives.length > 3 ? ['others'] : [])].join(' or ')
}

function briefText(item: LocatedSchema, source: SchemaSource): string {
  const end = source.end(item)
  if (isPureReference(item)) return source.named(end.pointer)
  return unionOf(end) ? 'others' : typeText(typesOf(end))
}
