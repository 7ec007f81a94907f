import type { TypeNames } from './type-names.js'

/**
 * Renames types of the contract that clash with names that a file declares or imports, by appending `_`.
 * @param ownNames names that the file declares or imports
 */
export function localNames(names: TypeNames, ownNames: readonly string[]): TypeNames {
  const taken = new Set([...ownNames, ...names.values()])
  return new Map(
    [...names].map(([pointer, name]) => {
      if (!ownNames.includes(name)) return [pointer, name]
      const free = freeName(`${name}_`, taken)
      taken.add(free)
      return [pointer, free]
    }),
  )
}

/** Appends `_` to a name until it is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}
