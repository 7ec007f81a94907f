import { type ClientMethod, paramName } from './client-contract.js'

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
  const { params = [], paramStructure } = method
  if (paramStructure === 'by-name') return (given[0] ?? {}) as WireParams
  const list = given.slice(0, given.findLastIndex((value) => value !== undefined) + 1)
  if (!list.includes(undefined)) return list
  const hole = params.find((param, at) => at < list.length && list[at] === undefined && !Array.isArray(param))
  if (hole === undefined) return list.map((value, at) => (value === undefined ? params[at]?.[1] : value))
  if (paramStructure === 'either') {
    return Object.fromEntries(params.map((param, at) => [paramName(param), list[at]]))
  }
  throw new TypeError(
    `${name}: "${paramName(hole)}" cannot be omitted because another parameter follows; pass a value`,
  )
}

/** Returns how many arguments of a client's function are parameters. Call options follow them. */
export function argumentCount({ params = [], paramStructure }: ClientMethod): number {
  return paramStructure === 'by-name' ? Math.min(params.length, 1) : params.length
}
