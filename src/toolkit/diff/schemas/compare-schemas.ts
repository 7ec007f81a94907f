import { type LocatedSchema, schemaList, takesAnything, tupleKeywords } from '../../contract/index.js'
import { type Effect, effects } from '../effect.js'
import {
  alternativeText,
  compareAlternatives,
  compareConditions,
  compareLists,
} from './compare-alternatives.js'
import { compareBounds } from './compare-bounds.js'
import { compareLogic, compareOptional, compareTexts, compareUnknown } from './compare-conditions.js'
import { compareDescriptions } from './compare-descriptions.js'
import { compareMap } from './compare-map.js'
import { compareNamedMembers, compareSharedMembers } from './compare-named-members.js'
import { compareValues } from './compare-values.js'
import { type Comparison, noteKeyword, shares } from './comparison.js'
import { haveCommon } from './match-schemas.js'
import { type MergedSide, mergedMembers } from './merged-members.js'
import {
  conjunctionOf,
  isPureReference,
  keyword,
  keywordsOf,
  onlyItem,
  schemaOrAnything,
  unionOf,
} from './schema-view.js'

/** Compares two schemas one level deep. Subschemas and reference targets are queued in the comparison. */
export function compareSchemas(comparison: Comparison): void {
  const { old, new: next } = comparison
  const [oldItem, newItem] = [onlyItem(old), onlyItem(next)]
  if (oldItem || newItem) {
    compareDescriptions(comparison, 'nearest')
    comparison.follow(oldItem ?? old, newItem ?? next)
  } else if (isPureReference(old) && isPureReference(next)) compareReferences(comparison)
  else if (isPureReference(old) || isPureReference(next)) compareReference(comparison)
  else compareBodies(comparison)
}

function compareReferences(comparison: Comparison): void {
  const { old, new: next, oldSource, newSource } = comparison
  compareDescriptions(comparison, 'own')
  const [oldTarget, newTarget] = [oldSource.target(old), newSource.target(next)]
  if (oldTarget && newTarget) comparison.refer(oldTarget, newTarget)
  else if (keyword(old, '$ref') !== keyword(next, '$ref')) noteLost(comparison)
}

/**
 * Compares a reference with an inline schema: with one of its alternatives or conditions, or with the whole
 * schema.
 */
function compareReference(comparison: Comparison): void {
  const { old, new: next, oldSource, newSource } = comparison
  const union = unionOf(old) ?? unionOf(next)
  const lists = [old, next].map((side) =>
    isPureReference(side) ? [side] : (unionOf(side)?.alternatives ?? []),
  )
  const [before = [], after = []] = lists
  if (union && haveCommon(before, after, comparison)) {
    compareDescriptions(comparison, 'own')
    compareLists(comparison, before, after, union.keyword)
    return
  }
  if (haveCommon(conjunctionOf(old).others, conjunctionOf(next).others, comparison)) {
    compareDescriptions(comparison, 'own')
    compareConjunctions(comparison)
    return
  }
  const [oldTarget, newTarget] = [oldSource.target(old), newSource.target(next)]
  if (!oldTarget && !newTarget) {
    noteLost(comparison)
    return
  }
  noteInlined(comparison)
  compareDescriptions(comparison, 'nearest')
  comparison.follow(oldTarget ?? old, newTarget ?? next)
}

function noteLost(comparison: Comparison): void {
  comparison.note('reference-changed', effects.undecided, 'the reference target does not exist')
}

function noteInlined(comparison: Comparison): void {
  const { old, new: next, oldSource, newSource, isDescribed } = comparison
  if (isDescribed || [old, next].some((side) => side.schema === false || takesAnything(side))) return
  const reason = isPureReference(old)
    ? `replaced the reference to ${alternativeText(old, oldSource)} with an inline schema`
    : `replaced the inline schema with a reference to ${alternativeText(next, newSource)}`
  comparison.note('reference-changed', effects.none, reason)
}

function compareBodies(comparison: Comparison): void {
  const { old, new: next } = comparison
  compareDescriptions(comparison, 'own')
  if (compareExtremes(comparison)) return
  const [before, after] = [unionOf(old), unionOf(next)]
  if (before && !hasAlternatives(next)) {
    compareLists(comparison, before.alternatives, [next], before.keyword)
  } else if (after && !hasAlternatives(old)) {
    compareLists(comparison, [old], after.alternatives, after.keyword)
  } else compareConjunctions(comparison)
}

/** Compares schemas that allow everything or nothing. One message replaces those of all keywords. */
function compareExtremes(comparison: Comparison): boolean {
  const { old, new: next, oldSource, newSource, note } = comparison
  const [before, after] = [extremeOf(old), extremeOf(next)]
  if (before === undefined && after === undefined) return false
  if (before === after) return true
  if (before === 'nothing') note('schema-opened', effects.widened, 'accepted no value and accepts some now')
  else if (after === 'nothing') note('schema-closed', effects.narrowed, 'no longer accepts any value')
  else if (before) {
    note('schema-limited', effects.narrowed, `anything became ${alternativeText(next, newSource)}`)
  } else note('schema-unlimited', effects.widened, `${alternativeText(old, oldSource)} became anything`)
  return true
}

function extremeOf(side: LocatedSchema): 'anything' | 'nothing' | undefined {
  if (side.schema === false) return 'nothing'
  return takesAnything(side) ? 'anything' : undefined
}

function hasAlternatives(side: LocatedSchema): boolean {
  return ['anyOf', 'oneOf'].some((name) => keyword(side, name) !== undefined)
}

function compareConjunctions(comparison: Comparison): void {
  const { conditions, after, old, new: next } = mergedMembers(comparison)
  compareConditions(comparison, conditions, after)
  const own = { ...comparison, old: old.own, new: next.own }
  compareValues(own)
  compareBounds(own)
  compareTexts(own)
  compareLogic(own)
  compareItems(own)
  compareMembers(own, old, next)
  compareSharedMembers(own, conditions, old, next)
  compareAlternatives(own)
  compareUnknown(own)
}

/** The item schemas of an array: those by position, then the schema of all other items. */
interface Items {
  readonly tuple: readonly LocatedSchema[]
  readonly rest: LocatedSchema
  readonly restKeyword: 'items' | 'additionalItems'
}

/**
 * Compares `items`, `additionalItems` and `contains` (draft-07 validation, section 6.4), tuples by position, and
 * `unevaluatedItems` (2020-12 core, section 11.2).
 */
function compareItems(comparison: Comparison): void {
  if (!shares(comparison, ['array'])) return
  const [before, after] = [itemsOf(comparison.old), itemsOf(comparison.new)]
  const length = Math.max(before.tuple.length, after.tuple.length)
  for (let at = 0; at < length; at++) {
    comparison.descend(itemAt(before, at), itemAt(after, at), ['items', String(at)])
  }
  comparison.descend(before.rest, after.rest, [after.restKeyword])
  const [unevaluated, next] = bothSchemas(comparison, 'unevaluatedItems')
  comparison.descend(unevaluated, next, ['unevaluatedItems'])
  compareOptional(comparison, 'contains', 'same')
}

function itemsOf(side: LocatedSchema): Items {
  if (tupleKeywords(keywordsOf(side))) {
    const rest = schemaOrAnything(side, 'additionalItems')
    return { tuple: schemaList(side, 'items'), rest, restKeyword: 'additionalItems' }
  }
  return { tuple: [], rest: schemaOrAnything(side, 'items'), restKeyword: 'items' }
}

function itemAt({ tuple, rest }: Items, at: number): LocatedSchema {
  return tuple[at] ?? rest
}

/** Compares the keywords for objects (draft-07 validation, section 6.5) except counts of members. */
function compareMembers(comparison: Comparison, old: MergedSide, next: MergedSide): void {
  if (!shares(comparison, ['object'])) return
  compareNamedMembers(comparison, old, next)
  comparePatterns(comparison)
  compareOthers(comparison, 'additionalProperties')
  compareOthers(comparison, 'unevaluatedProperties')
  compareOptional(comparison, 'propertyNames', 'same')
  for (const name of ['dependencies', 'dependentRequired', 'dependentSchemas'])
    compareMap(comparison, name, {
      words: (member) => `condition for values with member ${member}`,
      added: effects.narrowed,
      removed: effects.widened,
    })
}

/** Compares the schemas of members that no other keyword describes. */
function compareOthers(comparison: Comparison, name: 'additionalProperties' | 'unevaluatedProperties'): void {
  const [before, after] = bothSchemas(comparison, name)
  if (before.schema !== false && after.schema === false) {
    const reason = 'no longer accepts undescribed members'
    noteKeyword(comparison, name, 'members-closed', effects.narrowed, reason)
  } else if (before.schema === false && takesAnything(after)) {
    const reason = 'accepts undescribed members now'
    noteKeyword(comparison, name, 'members-opened', effects.widened, reason)
  } else comparison.descend(before, after, [name])
}

function bothSchemas({ old, new: next }: Comparison, name: string): readonly [LocatedSchema, LocatedSchema] {
  return [schemaOrAnything(old, name), schemaOrAnything(next, name)]
}

function comparePatterns(comparison: Comparison): void {
  const [before, after] = bothSchemas(comparison, 'additionalProperties')
  compareMap(comparison, 'patternProperties', {
    words: (pattern) => `schema for members matching ${pattern}`,
    added: againstRest(before, true),
    removed: againstRest(after, false),
  })
}

/** Returns the effect of adding or removing a pattern, which depends on the schema of the other members. */
function againstRest(rest: LocatedSchema, isAdded: boolean): Effect {
  if (rest.schema === false) return isAdded ? effects.widened : effects.narrowed
  if (takesAnything(rest)) return isAdded ? effects.narrowed : effects.widened
  return effects.undecided
}
