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
  if (!isObject(value)) return { id: null, problem: `${kindOf(value)} instead of a response object` }
  const { jsonrpc, id = null, result, error } = value
  const bad = (problem: string) => ({ id, problem })
  const isNullError = error === null && result !== undefined && tolerances !== undefined
  if (jsonrpc !== '2.0' && (jsonrpc !== undefined || !tolerances)) {
    return bad('the member "jsonrpc" is not "2.0"')
  }
  if (result === undefined && error === undefined) return bad('neither a result nor an error')
  if (tolerances && jsonrpc === undefined) tolerances.missingVersion += 1
  if (tolerances && isNullError) tolerances.nullError += 1
  if (error === undefined || isNullError) {
    return result === undefined || !Object.hasOwn(value, 'id') ? bad('a result without id') : { id, result }
  }
  if (result !== undefined) return bad('a result and an error')
  const { code, message, data } = isObject(error) ? error : {}
  return Number.isInteger(code) && typeof message === 'string'
    ? { id, error: { code: code as number, message, data } }
    : bad('an error without an integer code and a message')
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: JsonValue | undefined): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
