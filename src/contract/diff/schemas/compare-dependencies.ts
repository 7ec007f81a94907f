import { isArray, isObject, type JsonValue, member } from '../../json.js'
import { joinPointer } from '../../json-pointer.js'
import { isSchema } from '../../model/schema.js'
import { listChanges } from '../canonical.js'
import { effects } from '../effect.js'
import { counted, shown } from '../words.js'
import { bothValues, type Comparison, noteKeyword } from './comparison.js'

/**
 * Compares `dependencies` (draft-07 validation, section 6.5.7): conditions that apply if a member is present.
 */
export function compareDependencies(comparison: Comparison): void {
  const { before, after } = bothValues(comparison, 'dependencies')
  const [old, next] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    compareDependency(comparison, name, member(old, name), member(next, name))
  }
}

function compareDependency(
  comparison: Comparison,
  name: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  const where = `values with member ${shown(name)}`
  if (isArray(before) && isArray(after)) compareNames(comparison, name, before, after)
  else if (isSchema(before) && isSchema(after)) {
    const place = (side: Comparison['old']) => joinPointer(side.pointer, 'dependencies', name)
    comparison.descend(
      { pointer: place(comparison.old), schema: before },
      { pointer: place(comparison.new), schema: after },
      ['dependencies', name],
    )
  } else if (before === undefined) {
    const reason = `gained a condition for ${where}`
    noteKeyword(comparison, 'dependencies', 'constraint-added', effects.narrowed, reason)
  } else if (after === undefined) {
    const reason = `lost its condition for ${where}`
    noteKeyword(comparison, 'dependencies', 'constraint-removed', effects.widened, reason)
  } else {
    const reason = `the condition for ${where} has another form: cannot tell which accepts more values`
    noteKeyword(comparison, 'dependencies', 'constraint-changed', effects.undecided, reason)
  }
}

function compareNames(
  comparison: Comparison,
  name: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  const { added, removed } = listChanges(before, after)
  if (added.length > 0) {
    const reason = `member ${shown(name)} now requires ${counted('member', added)}`
    noteKeyword(comparison, 'dependencies', 'constraint-tightened', effects.narrowed, reason)
  }
  if (removed.length > 0) {
    const reason = `member ${shown(name)} no longer requires ${counted('member', removed)}`
    noteKeyword(comparison, 'dependencies', 'constraint-loosened', effects.widened, reason)
  }
}
