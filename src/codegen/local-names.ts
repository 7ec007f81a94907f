import type { TypeNames } from './type-names.js'

/**
 * The names of the contract's types in a file that declares or imports names of its own: a type that is called like one
 * of those gets `_` behind its name there.
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

/** A name that is not taken: with `_` behind it until it is not. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}
