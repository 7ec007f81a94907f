import type { JsonObject, JsonValue, MethodDescriptor, ValidationProblem } from '../rpc/index.js'
import type { PositionalParams } from './protocol-options.js'

/** Parameters ready to be called with, or what is wrong with them. */
export type ReadParams =
  | { readonly params: PositionalParams; readonly problems?: undefined }
  | { readonly problems: readonly ValidationProblem[] }

/**
 * Checks a request's parameters as they were sent, brings them into the contract's order, fills in the contract's
 * defaults and removes members that it ignores (OpenRPC 1.3, `paramStructure`; JSON-RPC 2.0, section 4.2). Absent ones
 * count as none.
 */
export function readParams(
  method: MethodDescriptor,
  sent: readonly JsonValue[] | JsonObject = method.paramStructure === 'by-name' ? {} : [],
): ReadParams {
  const problems = method.validateParams(sent)
  if (problems.length > 0) return { problems }
  return { params: prepared(method, isList(sent) ? sent : inOrder(method, sent)) }
}

function inOrder(method: MethodDescriptor, named: JsonObject): PositionalParams {
  return method.params.map(({ name }) => (Object.hasOwn(named, name) ? named[name] : undefined))
}

/** The parameters with defaults and without ignored members; the same list where nothing changes. */
function prepared(method: MethodDescriptor, params: PositionalParams): PositionalParams {
  let changed: (JsonValue | undefined)[] | undefined
  const declared = method.params
  for (let position = 0; position < declared.length; position++) {
    const { default: preset, ignored } = declared[position] ?? {}
    const sent = params[position]
    const given = sent === undefined ? preset : sent
    const value = ignored === undefined ? given : withoutMembers(given, ignored)
    if (value === sent) continue
    changed ??= [...params]
    while (changed.length < position) changed.push(undefined)
    changed[position] = value
  }
  return changed ?? params
}

function withoutMembers(value: JsonValue | undefined, names: readonly string[]): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (!names.some((name) => Object.hasOwn(value, name))) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function isList(params: readonly JsonValue[] | JsonObject): params is readonly JsonValue[] {
  return Array.isArray(params)
}
