import type { TypeNames } from './type-writer.js'

/**
 * Renames types of the contract that clash with names that a file declares or imports, by appending `_`.
 * @param ownNames names that the file declares or imports
 */
export function localNames(names: TypeNames, ownNames: readonly string[]): TypeNames {
  const taken = new Set([...ownNames, ...names.all()])
  const renamed = new Map<string, string>()
  for (const name of names.all()) {
    if (!ownNames.includes(name)) continue
    const free = freeName(`${name}_`, taken)
    taken.add(free)
    renamed.set(name, free)
  }
  return names.renamed((name) => renamed.get(name) ?? name)
}

/** Appends `_` to a name until it is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}
