import { type ClientMethod, type ClientParam, paramName } from './client-contract.js'
import type { CallOptions, MiddlewareCall } from './client-options.js'
import type { WireParams } from './wire-params.js'

/**
 * Converts the arguments of a client method to a call. Options follow the parameters. An object with an `AbortSignal`
 * counts as options even if optional parameters before it are omitted.
 * @param method name of the method
 * @param description the method's entry in the client contract
 * @param given arguments, with the options last
 * @throws TypeError when a parameter without default is omitted before others
 */
export function callOf(
  method: string,
  { params = [], paramStructure }: ClientMethod,
  given: readonly unknown[],
): MiddlewareCall {
  const isNamed = paramStructure === 'by-name'
  const count = isNamed ? Math.min(params.length, 1) : params.length
  const end = given.findIndex(
    (value, at) => at === count || (value as CallOptions | null)?.signal instanceof AbortSignal,
  )
  const values = end < 0 ? given : given.slice(0, end)
  return {
    method,
    params: isNamed ? ((values[0] ?? {}) as WireParams) : listed(method, params, values, paramStructure),
    options: (given[end] ?? {}) as CallOptions,
  }
}

/**
 * Converts positional arguments to parameters. Undefined ones are omitted. An omitted parameter before others gets its
 * default; without a default, names are sent if the method allows them.
 */
function listed(
  method: string,
  params: readonly ClientParam[],
  given: readonly unknown[],
  paramStructure: ClientMethod['paramStructure'],
): WireParams {
  const list = given.slice(0, given.findLastIndex((value) => value !== undefined) + 1)
  const hole = params.find((param, at) => at < list.length && list[at] === undefined && !Array.isArray(param))
  if (hole === undefined) return list.map((value, at) => (value === undefined ? params[at]?.[1] : value))
  if (paramStructure === 'either') {
    return Object.fromEntries(params.map((param, at) => [paramName(param), list[at]]))
  }
  throw new TypeError(
    `${method}: "${paramName(hole)}" cannot be omitted because another parameter follows; pass a value`,
  )
}
