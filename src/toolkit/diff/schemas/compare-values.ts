import { allTypes, type JsonValue, listChanges, type TypeAtom } from '../../contract/index.js'
import { effectOf, effects } from '../effect.js'
import { counted, listed, shown } from '../words.js'
import { type Comparison, noteKeyword } from './comparison.js'
import { keyword } from './schema-view.js'
import { finiteValues, typesOf, typeText } from './type-set.js'

/** Compares `type`, `enum` and `const` (draft-07 validation, section 6.1) by the values that they allow. */
export function compareValues(comparison: Comparison): void {
  const before = finiteValues(comparison.old)
  const after = finiteValues(comparison.new)
  if (before && after) {
    compareLists(comparison, before, after)
    return
  }
  compareTypes(comparison)
  if (before && listsValues(comparison.old)) {
    const reason = `is no longer limited to ${listed(before.map(shown))}`
    noteKeyword(comparison, listing(comparison.old), 'values-unlimited', effects.widened, reason)
  }
  if (after && listsValues(comparison.new)) {
    const reason = `is limited to ${listed(after.map(shown))}`
    noteKeyword(comparison, listing(comparison.new), 'values-limited', effects.narrowed, reason)
  }
}

function compareLists(comparison: Comparison, before: readonly JsonValue[], after: readonly JsonValue[]) {
  const { added, removed } = listChanges(before, after)
  const name = [comparison.new, comparison.old].map(listing).find((keyword) => keyword !== 'type') ?? 'type'
  if (added.length > 0) {
    const reason = isNull(added) ? 'may be null' : `gained the ${counted('value', added)}`
    noteKeyword(comparison, name, 'values-added', effects.widened, reason)
  }
  if (removed.length > 0) {
    const reason = isNull(removed) ? 'may no longer be null' : `lost the ${counted('value', removed)}`
    noteKeyword(comparison, name, 'values-removed', effects.narrowed, reason)
  }
}

function isNull(values: readonly JsonValue[]): boolean {
  return values.length === 1 && values[0] === null
}

function listing(located: Comparison['old']): 'enum' | 'const' | 'type' {
  if (keyword(located, 'enum') !== undefined) return 'enum'
  return keyword(located, 'const') === undefined ? 'type' : 'const'
}

function listsValues(located: Comparison['old']): boolean {
  return listing(located) !== 'type'
}

function compareTypes(comparison: Comparison): void {
  const [before, after] = [typesOf(comparison.old), typesOf(comparison.new)]
  const added = [...after].filter((type) => !before.has(type))
  const removed = [...before].filter((type) => !after.has(type))
  const effect = effectOf({ added: added.length > 0, removed: removed.length > 0 })
  if (effect === effects.none) return
  noteKeyword(comparison, 'type', typeKind(added, removed), effect, typeReason(before, after))
}

function typeKind(added: readonly TypeAtom[], removed: readonly TypeAtom[]) {
  if (added.length === 0) return 'type-narrowed'
  return removed.length === 0 ? 'type-widened' : 'type-changed'
}

function typeReason(before: ReadonlySet<TypeAtom>, after: ReadonlySet<TypeAtom>): string {
  const changed = [...allTypes].filter((type) => before.has(type) !== after.has(type))
  if (changed.length === 1 && changed[0] === 'null') {
    return after.has('null') ? 'may be null' : 'may no longer be null'
  }
  return `type ${typeText(before)} became ${typeText(after)}`
}
