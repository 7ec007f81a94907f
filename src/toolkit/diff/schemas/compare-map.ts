import { isArray, isObject, isSchema, joinPointer, type LocatedSchema } from '../../contract/index.js'
import type { Effect } from '../effect.js'
import { shown } from '../words.js'
import { type Comparison, noteKeyword } from './comparison.js'
import { keyword } from './schema-view.js'

/** How to report an entry that only one side has. */
interface Entries {
  readonly words: (key: string) => string
  readonly added: Effect
  readonly removed: Effect
}

/**
 * Compares the schemas of a keyword by key: `patternProperties` and `dependencies` (draft-07 validation, sections 6.5.5
 * and 6.5.7). A dependency that lists members is a schema that requires them.
 */
export function compareMap(comparison: Comparison, name: string, { words, added, removed }: Entries): void {
  const [before, after] = [entriesOf(comparison.old, name), entriesOf(comparison.new, name)]
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(key), after.get(key)]
    if (old && next) comparison.descend(old, next, [name, key])
    else if (next) noteKeyword(comparison, name, 'constraint-added', added, `gained a ${words(shown(key))}`)
    else noteKeyword(comparison, name, 'constraint-removed', removed, `lost the ${words(shown(key))}`)
  }
}

function entriesOf(side: LocatedSchema, name: string): ReadonlyMap<string, LocatedSchema> {
  const value = keyword(side, name)
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([key, item]) => {
      const schema = isArray(item) ? { required: item } : item
      return isSchema(schema) ? [[key, { pointer: joinPointer(side.pointer, name, key), schema }]] : []
    }),
  )
}
