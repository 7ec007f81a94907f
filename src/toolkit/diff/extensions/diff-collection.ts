import { type JsonObject, type JsonValue, joinPointer, member } from '../../contract/index.js'
import type { Change } from '../change.js'
import { byName, change, changedMembers, everybody, objectMap, sidesAt } from '../diff-context.js'
import type { Party } from '../effect.js'
import { listed, shown } from '../words.js'

/** Members of entries that are documentation. */
const texts: ReadonlySet<string> = new Set([
  ...['title', 'description', 'section', 'message', 'summary', 'rules', 'chain', 'nativeCurrency'],
])

/** A named collection, and the parties that added and removed entries break. */
interface Collection {
  readonly noun: 'network' | 'failure'
  readonly added: readonly Party[]
  readonly removed: readonly Party[]
}

/** Entries by name. */
type Entries = ReadonlyMap<string, { readonly pointer: string; readonly value: JsonObject }>

function entries(place: string, value: JsonValue | undefined): Entries {
  return new Map(
    [...objectMap(value)].map(([name, item]) => [name, { pointer: joinPointer(place, name), value: item }]),
  )
}

/** Compares `x-networks`. A removed network breaks its clients, and an added one is compatible. */
export function diffNetworks(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'network', added: [], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-networks', before, after)
}

/** Compares `x-failures`. Like errors, a removed failure breaks servers, and an added one is compatible. */
export function diffFailures(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'failure', added: [], removed: ['servers'] }
  return diffCollection(rule, '#/info/x-failures', before, after)
}

/** Compares the entries of a collection. A changed member breaks both parties unless it is documentation. */
function diffCollection(
  { noun, added: onAdded, removed: onRemoved }: Collection,
  place: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const { added, removed, kept } = byName(entries(place, before), entries(place, after))
  return [
    ...added.map(([name, { pointer }]) =>
      change(`${noun}-added`, joinPointer(place, name), onAdded, `${noun} added`, { new: { pointer } }),
    ),
    ...removed.map(([name, { pointer }]) =>
      change(`${noun}-removed`, joinPointer(place, name), onRemoved, `${noun} removed`, { old: { pointer } }),
    ),
    ...kept.flatMap(({ name, old, new: next }) => {
      const changed = changedMembers(old.value, next.value)
      const pointer = joinPointer(place, name)
      const sides = { old: { pointer: old.pointer }, new: { pointer: next.pointer } }
      const words = changed.filter((member) => texts.has(member))
      return [
        ...changed
          .filter((item) => !texts.has(item))
          .map((item) => {
            const reason = `${item} ${shown(member(old.value, item))} became ${shown(member(next.value, item))}`
            return change(`${noun}-changed`, pointer, everybody, reason, {
              ...sidesAt(joinPointer(old.pointer, item), member(old.value, item), undefined),
              ...sidesAt(joinPointer(next.pointer, item), undefined, member(next.value, item)),
            })
          }),
        ...(words.length > 0
          ? [change('documentation-changed', pointer, [], `${listed(words)} changed`, sides)]
          : []),
      ]
    }),
  ]
}
