import type { ClientMethod } from './client-contract.js'

/** Parameters as they are sent: a list, or an object by name. */
export type WireParams = readonly unknown[] | { readonly [name: string]: unknown }

/**
 * The parameters of a call as they are sent. One that is undefined is left out; by position, where others stand
 * behind it, its default takes its place, and where the method takes names too, names are sent.
 * @param given the arguments of the client's function, options left aside
 * @throws TypeError where one that has no default cannot be left out
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
    `${name}: "${hole.name}" cannot be left out where a parameter follows it; give it a value`,
  )
}

/** How many arguments of a client's function are parameters; the options follow them. */
export function argumentCount({ params, paramStructure }: ClientMethod): number {
  return paramStructure === 'by-name' ? Math.min(params.length, 1) : params.length
}
