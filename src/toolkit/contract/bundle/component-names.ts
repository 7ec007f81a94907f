import { contractError } from '../contract-error.js'
import { isObject, type JsonValue, objectMember } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import { type Documents, documentOf, lookUp, pointerOf } from '../load/documents.js'
import type { Kind } from './reference-kinds.js'

/** An object in another file, to which a reference of a kind leads. */
export interface Target {
  readonly kind: Kind
  readonly place: string
  readonly value: JsonValue
}

/** Identifies a target. */
export function targetKey({ kind, place }: Pick<Target, 'kind' | 'place'>): string {
  return `${kind} ${place}`
}

/** The names of components. */
interface ComponentNames {
  /** The name of each target, by its key. */
  readonly names: ReadonlyMap<string, string>
  /** Pointers of components of the main document that the targets replace, because they only refer to them. */
  readonly owned: ReadonlySet<string>
}

/**
 * Names targets after their last reference token, or after their file. Targets that would share a name, or have the
 * name of another component, get the name of their file in front.
 * @param chosen names by place, which come first
 * @throws ContractError if a chosen name cannot be used
 */
export function componentNames(
  targets: readonly Target[],
  documents: Documents,
  chosen: ReadonlyMap<string, string> = new Map(),
): ComponentNames {
  const aliases = aliasesIn(documents)
  const names = new Map<string, string>()
  const owned = new Set<string>()
  for (const kind of new Set(targets.map((target) => target.kind))) {
    const own = targets.filter((target) => target.kind === kind).sort((a, b) => (a.place < b.place ? -1 : 1))
    const used = new Set(Object.keys(objectMember(objectMember(documents.root, 'components'), kind)))
    const others = own.filter((target) => {
      const wanted = chosen.get(target.place)
      if (wanted !== undefined) {
        if (used.has(wanted))
          throw contractError(target.place, `the name "${wanted}" is taken: choose another one`)
        if (!/^[\w.-]+$/.test(wanted)) {
          const message = `"${wanted}" cannot be the name of a component: use letters, digits, ".", "-" and "_"`
          throw contractError(target.place, message)
        }
        used.add(wanted)
        names.set(targetKey(target), wanted)
        return false
      }
      const alias = aliases.get(targetKey(target))
      if (alias === undefined) return true
      names.set(targetKey(target), alias)
      owned.add(joinPointer('#/components', kind, alias))
      return false
    })
    const plain = others.map(({ place }) => plainName(place))
    for (const [at, target] of others.entries()) {
      const name = plain[at] ?? ''
      const isFree = !used.has(name) && plain.indexOf(name) === plain.lastIndexOf(name)
      const free = isFree ? name : numbered(`${fileWord(target.place)}${upper(name)}`, used)
      used.add(free)
      names.set(targetKey(target), free)
    }
  }
  return { names, owned }
}

/** Finds components of the main document that are only a reference to another file: targets take their names. */
function aliasesIn(documents: Documents): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>()
  for (const [kind, items] of Object.entries(objectMember(documents.root, 'components'))) {
    for (const [name, value] of Object.entries(isObject(items) ? items : {})) {
      if (!isObject(value) || typeof value['$ref'] !== 'string' || Object.keys(value).length > 1) continue
      const target = lookUp(documents, value['$ref'], joinPointer('#/components', kind, name))
      if (typeof target === 'string' || documentOf(target.pointer) === '') continue
      const key = targetKey({ kind: kind as Kind, place: target.pointer })
      if (!aliases.has(key)) aliases.set(key, name)
    }
  }
  return aliases
}

/** Component names have letters, digits, dots, hyphens and underscores (OpenRPC 1.3, components object). */
function plainName(place: string): string {
  const last = pointerTokens(pointerOf(place))?.at(-1)
  if (last === undefined || /^\d*$/.test(last)) return upper(fileWord(place))
  return last.replaceAll(/[^\w.-]/g, '_')
}

/** `common/unit-types.json#/A` is `unitTypes`. */
function fileWord(place: string): string {
  const file = documentOf(place).split('/').at(-1) ?? ''
  const words = file
    .replace(/\.\w+$/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return words.map((word, at) => (at === 0 ? word : upper(word))).join('') || 'file'
}

function upper(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function numbered(name: string, used: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; used.has(free); number++) free = `${name}${number}`
  return free
}
