import {
  isAnnotation,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  sameJson,
} from '../../contract/index.js'
import { type Effect, effects } from '../effect.js'
import { isShared } from '../places.js'
import { listed, shown } from '../words.js'
import type { Comparison, Side } from './comparison.js'
import { keywordsOf } from './schema-view.js'

/** Keywords that hold schemas for references. These schemas are compared where they are used. */
const holders: ReadonlySet<string> = new Set(['definitions', '$defs'])

/** A descriptive keyword and its place. */
interface Found extends Side {
  readonly value: JsonValue
}

/**
 * Compares keywords that do not affect the allowed values. Texts are documentation. A changed `default`
 * changes the meaning of an absent parameter. Along a chain of references, the nearest description counts.
 * @param comparison the two schemas
 * @param reach `own` compares descriptions next to the schemas only; `nearest` also follows references
 */
export function compareDescriptions(comparison: Comparison, reach: 'own' | 'nearest'): void {
  if (comparison.isDescribed) return
  const [before, after] = reach === 'own' ? [[comparison.old], [comparison.new]] : chains(comparison)
  compareFound(comparison, nearest(before), nearest(after))
}

/** Returns the reference chains of both sides, without the schemas that they share. */
function chains({ old, new: next, oldSource, newSource }: Comparison) {
  const before = oldSource.chain(old)
  const after = newSource.chain(next)
  const common = new Set(before.map(({ pointer }) => pointer))
  const shared = new Set(after.map(({ pointer }) => pointer).filter((pointer) => common.has(pointer)))
  const isOwn = ({ pointer }: LocatedSchema) => !isShared(pointer) || !shared.has(pointer)
  return [before.filter(isOwn), after.filter(isOwn)] as const
}

function nearest(chain: readonly LocatedSchema[]): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  for (const side of chain) {
    for (const [name, value] of Object.entries(keywordsOf(side))) {
      if (value === undefined || !isAnnotation(name) || found.has(name)) continue
      found.set(name, { pointer: joinPointer(side.pointer, name), value })
    }
  }
  return found
}

function compareFound(
  comparison: Comparison,
  before: ReadonlyMap<string, Found>,
  after: ReadonlyMap<string, Found>,
): void {
  compareDefault(comparison, before.get('default'), after.get('default'))
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => name !== 'default' && !holders.has(name),
  )
  const changed = names.filter((name) => !sameJson(before.get(name)?.value, after.get(name)?.value))
  if (changed.length > 0) {
    comparison.note('documentation-changed', effects.none, `${listed(changed.sort())} changed`)
  }
}

const defaultEffects: Readonly<Record<'added' | 'removed' | 'changed', Effect>> = {
  added: { params: ['servers'], results: [] },
  removed: { params: ['clients', 'servers'], results: [] },
  changed: { params: ['clients', 'servers'], results: [] },
}

function compareDefault(comparison: Comparison, before: Found | undefined, after: Found | undefined): void {
  if (sameJson(before?.value, after?.value)) return
  const [word, reason] = !before
    ? (['added', `gained the default ${shown(after?.value)}`] as const)
    : !after
      ? (['removed', `lost the default ${shown(before.value)}`] as const)
      : (['changed', `the default ${shown(before.value)} became ${shown(after.value)}`] as const)
  const place = ({ pointer }: LocatedSchema): Side => ({ pointer: joinPointer(pointer, 'default') })
  comparison.note(`default-${word}`, defaultEffects[word], reason, {
    old: before ?? place(comparison.old),
    new: after ?? place(comparison.new),
  })
}
