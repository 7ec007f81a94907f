import type { JsonObject, JsonValue } from '@concordat/rpc'

/** A parsed response object (JSON-RPC 2.0, section 5), or the reason why it is invalid. */
export type ReadResponse =
  | { readonly id: JsonValue; readonly result: JsonValue }
  | { readonly id: JsonValue; readonly error: RpcErrorObject }
  | { readonly id: JsonValue; readonly problem: string }

/** An error object (JSON-RPC 2.0, section 5.1). */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue | undefined
}

/** How often a client accepted answers that do not follow JSON-RPC 2.0 exactly. */
export interface Tolerances {
  /** Answers without `jsonrpc`. */
  missingVersion: number
  /** Results beside `error: null`. */
  nullError: number
}

/**
 * Parses a response object. An absent id is read as null.
 * @param value the parsed JSON
 * @param tolerances counts deviations. Undefined if none are accepted.
 */
export function readResponse(value: JsonValue | undefined, tolerances: Tolerances | undefined): ReadResponse {
  if (!isObject(value)) return { id: null, problem: 'no response object' }
  const { jsonrpc, id = null, result, error } = value
  const bad = (problem: string) => ({ id, problem })
  const hasResult = result !== undefined
  const isNullError = tolerances && hasResult && error === null
  const hasError = error !== undefined && !isNullError
  const lacksVersion = tolerances && jsonrpc === undefined
  if (!lacksVersion && jsonrpc !== '2.0') return bad('the member "jsonrpc" is not "2.0"')
  if (hasError === hasResult) return bad(hasError ? 'a result and an error' : 'neither a result nor an error')
  if (lacksVersion) tolerances.missingVersion += 1
  if (isNullError) tolerances.nullError += 1
  if (hasResult) return Object.hasOwn(value, 'id') ? { id, result } : bad('a result without id')
  const { code, message, data } = isObject(error) ? error : {}
  return Number.isInteger(code) && typeof message === 'string'
    ? { id, error: { code: code as number, message, data } }
    : bad('an error without an integer code and a message')
}

/** True for a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
