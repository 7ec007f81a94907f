import type { JsonObject, JsonValue, MethodDescriptor, ValidationProblem } from '../rpc/index.js'
import type { PositionalParams } from './protocol-options.js'

/** Parameters ready to be called with, or what is wrong with them. */
export type ReadParams =
  | { readonly params: PositionalParams; readonly problems?: undefined }
  | { readonly problems: readonly ValidationProblem[] }

/**
 * Checks a request's parameters as they were sent, brings them into the contract's order, and fills in the
 * contract's defaults (OpenRPC 1.3, `paramStructure`; JSON-RPC 2.0, section 4.2). Absent ones count as none.
 */
export function readParams(
  method: MethodDescriptor,
  sent: readonly JsonValue[] | JsonObject = method.paramStructure === 'by-name' ? {} : [],
): ReadParams {
  const problems = method.validateParams(sent)
  if (problems.length > 0) return { problems }
  return { params: withDefaults(method, isList(sent) ? sent : inOrder(method, sent)) }
}

function inOrder(method: MethodDescriptor, named: JsonObject): PositionalParams {
  return method.params.map(({ name }) => (Object.hasOwn(named, name) ? named[name] : undefined))
}

function withDefaults(method: MethodDescriptor, params: PositionalParams): PositionalParams {
  let filled: (JsonValue | undefined)[] | undefined
  const declared = method.params
  for (let position = 0; position < declared.length; position++) {
    const preset = declared[position]?.default
    if (preset === undefined || params[position] !== undefined) continue
    filled ??= [...params]
    while (filled.length < position) filled.push(undefined)
    filled[position] = preset
  }
  return filled ?? params
}

function isList(params: readonly JsonValue[] | JsonObject): params is readonly JsonValue[] {
  return Array.isArray(params)
}
