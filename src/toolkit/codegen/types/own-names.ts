import type { Emitter, Source } from '../generated-file.js'
import { freeName } from './identifiers.js'
import { TypeNames } from './type-writer.js'

/**
 * Wraps the emitter of a TypeScript file. Types of the contract get names of this file where it uses their names for
 * something else: `Client` of the contract is `Client_` in the file that declares `Client`.
 */
export function inOwnNames(emit: Emitter): Emitter {
  return (source) => {
    if (source.problemsOnly) return emit(source)
    const own = ownNames(emit, source)
    return own && emit({ ...source, names: localNames(source.names, own) })
  }
}

/**
 * Returns the names that a file declares, imports or uses beside the types of the contract. They are read from the file
 * itself, emitted with names for these types that nothing else has.
 * @returns undefined if there is no file
 */
export function ownNames(emit: Emitter, source: Source): ReadonlySet<string> | undefined {
  const others = new Map([...source.names.all()].map((name, at) => [name, `${marker}${at}`] as const))
  const draft = emit({ ...source, names: source.names.renamed((name) => others.get(name) ?? name) })
  return draft && identifiersIn(draft.content)
}

/** A letter that no tool writes into a name. */
const marker = '\u01c2'

/** Appends `_` to the names of types that clash with others. */
export function freeTypeNames(names: TypeNames, taken: ReadonlySet<string>): TypeNames {
  const renamed = clashing(names, taken)
  return renamed.size === 0 ? names : names.renamed((name) => renamed.get(name) ?? name)
}

/** Does the same in one file, which imports the types under other names. */
function localNames(names: TypeNames, taken: ReadonlySet<string>): TypeNames {
  const renamed = clashing(names, taken)
  if (renamed.size === 0) return names
  const local = names.renamed((name) => renamed.get(name) ?? name)
  return new TypeNames(local, { ...local, exported: new Map([...renamed].map(([name, own]) => [own, name])) })
}

function clashing(names: TypeNames, taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const all = new Set([...taken, ...names.all()])
  const renamed = new Map<string, string>()
  for (const name of names.all()) {
    if (!taken.has(name)) continue
    const free = freeName(`${name}_`, all)
    all.add(free)
    renamed.set(name, free)
  }
  return renamed
}

/** Comments and texts, in which names are not used. */
const ignored = /\/\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gs

/** Names that are neither read from an object, as in `a.name`, nor the name of a member, as in `name?: type`. */
const identifiers =
  /(?<![\p{ID_Continue}$]|(?<!\.)\.)[\p{ID_Start}$_][\p{ID_Continue}$]*(?!\??:|[\p{ID_Continue}$])/gu

const declarations = /\b(?:class|const|function|interface|let|type)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu

/** Returns the names that code declares or uses, except those of members. */
export function identifiersIn(code: string): ReadonlySet<string> {
  const bare = code.replaceAll(ignored, "''")
  const used = (bare.match(identifiers) ?? []).filter((name) => !name.startsWith(marker))
  return new Set([...used, ...Array.from(bare.matchAll(declarations), ([, name = '']) => name)])
}
