import type { ClientMethod } from './client-contract.js'

/** Parameters on the wire: a list, or an object by name. */
export type WireParams = readonly unknown[] | { readonly [name: string]: unknown }

/**
 * Converts arguments to parameters. Undefined arguments are omitted. In a list, an omitted parameter before
 * others gets its default; without a default, names are sent if the method allows them.
 * @param name the method
 * @param method its description
 * @param given the arguments without call options
 * @throws TypeError when a parameter without default is omitted before others
 */
export function wireParams(name: string, method: ClientMethod, given: readonly unknown[]): WireParams {
  const { params, paramStructure } = method
  if (paramStructure === 'by-name') return (given[0] ?? {}) as WireParams
  const list = given.slice(0, given.findLastIndex((value) => value !== undefined) + 1)
  const holes = params.filter(
    (param, at) => at < list.length && list[at] === undefined && !('default' in param),
  )
  const [hole] = holes
  if (hole === undefined) return list.map((value, at) => (value === undefined ? params[at]?.default : value))
  if (paramStructure === 'either') {
    return Object.fromEntries(params.map((param, at) => [param.name, list[at]]))
  }
  throw new TypeError(
    `${name}: "${hole.name}" cannot be omitted because another parameter follows; pass a value`,
  )
}

/** Returns how many arguments of a client's function are parameters. Call options follow them. */
export function argumentCount({ params, paramStructure }: ClientMethod): number {
  return paramStructure === 'by-name' ? Math.min(params.length, 1) : params.length
}
