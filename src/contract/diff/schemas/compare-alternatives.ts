import type { LocatedSchema } from '../../model/schema.js'
import { schemaList } from '../../model/schema.js'
import { effects } from '../effect.js'
import { shown } from '../words.js'
import { type Comparison, noteKeyword } from './comparison.js'
import { matchSchemas } from './match-schemas.js'
import type { SchemaSource } from './schema-source.js'
import { isPureReference, keyword, takesAnything, unionOf } from './schema-view.js'
import { typesOf, typeText } from './type-set.js'

/** `anyOf` and `oneOf` (draft-07 validation, section 6.7): an alternative more takes more, one less takes less. */
export function compareAlternatives(comparison: Comparison): void {
  for (const name of ['anyOf', 'oneOf'] as const) {
    const other = name === 'anyOf' ? 'oneOf' : 'anyOf'
    const [before, after] = [schemaList(comparison.old, name), schemaList(comparison.new, name)]
    const [otherBefore, otherAfter] = [schemaList(comparison.old, other), schemaList(comparison.new, other)]
    if (before.length > 0 && after.length > 0) compareLists(comparison, before, after, name)
    else if (before.length > 0 && otherAfter.length > 0 && otherBefore.length === 0) {
      compareLists(comparison, before, otherAfter, other)
      noteCombiner(comparison, name, other, otherAfter)
    } else if (after.length > 0 && (otherBefore.length === 0 || otherAfter.length > 0)) {
      noteKeyword(comparison, name, 'constraint-added', effects.narrowed, `gained alternatives (${name})`)
    } else if (before.length > 0 && after.length === 0) {
      noteKeyword(comparison, name, 'constraint-removed', effects.widened, `lost its alternatives (${name})`)
    }
  }
}

/** Alternatives of which no value fits two are the same whether one or any of them must fit. */
function noteCombiner(
  comparison: Comparison,
  before: string,
  after: 'anyOf' | 'oneOf',
  alternatives: readonly LocatedSchema[],
): void {
  const types = alternatives.map((item) => typesOf(comparison.newSource.end(item)))
  const areApart = types.every((set, at) =>
    types.every((other, index) => at === index || [...set].every((type) => !other.has(type))),
  )
  if (areApart) return
  const reason = `${before} became ${after}: whether a value fits several alternatives cannot be decided`
  noteKeyword(comparison, after, 'constraint-changed', effects.undecided, reason)
}

/** The alternatives of two unions, or of a union and the one schema that stood or stands in its place. */
export function compareLists(
  comparison: Comparison,
  before: readonly LocatedSchema[],
  after: readonly LocatedSchema[],
  name: 'anyOf' | 'oneOf',
): void {
  const { pairs, added, removed } = matchSchemas(before, after, comparison)
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

/** `allOf` and references with conditions beside them: one condition more takes less. */
export function compareConditions(
  comparison: Comparison,
  before: readonly LocatedSchema[],
  after: readonly LocatedSchema[],
): void {
  const { pairs, added, removed } = matchSchemas(before, after, comparison)
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

/** What an alternative is called: the component that it refers to, its title, its values or its type. */
export function alternativeText(item: LocatedSchema, source: SchemaSource): string {
  const end = source.end(item)
  if (isPureReference(item)) return source.named(end.pointer)
  for (const name of ['title', 'const', 'enum']) {
    const value = keyword(end, name)
    if (value !== undefined && value !== null) return shown(value)
  }
  const alternatives = unionOf(end)?.alternatives ?? []
  if (alternatives.length === 0) return typeText(typesOf(end))
  const shownOnes = alternatives.slice(0, 3).map((alternative) => briefText(alternative, source))
  return [...shownOnes, ...(alternatives.length > 3 ? ['others'] : [])].join(' or ')
}

function briefText(item: LocatedSchema, source: SchemaSource): string {
  const end = source.end(item)
  if (isPureReference(item)) return source.named(end.pointer)
  return unionOf(end) ? 'others' : typeText(typesOf(end))
}
