import type { JsonObject, JsonValue } from '@concordat/rpc'

/** A parsed response object (JSON-RPC 2.0, section 5), or the reason why it is invalid. */
export type ReadResponse =
  | { readonly id: JsonValue; readonly result: JsonValue }
  | { readonly id: JsonValue; readonly error: RpcErrorObject }
  | { readonly problem: string }

/** An error object (JSON-RPC 2.0, section 5.1). */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue | undefined
}

/** Parses a response object. An absent id of an error is read as null. */
export function readResponse(value: JsonValue | undefined): ReadResponse {
  if (!isObject(value)) return { problem: `${kindOf(value)} instead of a response object` }
  if (own(value, 'jsonrpc') !== '2.0') return { problem: 'the member "jsonrpc" is not "2.0"' }
  const id = own(value, 'id')
  const result = own(value, 'result')
  const error = own(value, 'error')
  if (result !== undefined && error !== undefined) return { problem: 'a result and an error' }
  if (result !== undefined) return id === undefined ? { problem: 'a result without id' } : { id, result }
  if (error === undefined) return { problem: 'neither a result nor an error' }
  const read = readError(error)
  return read === undefined
    ? { problem: 'an error without an integer code and a message' }
    : { id: id ?? null, error: read }
}

function readError(error: JsonValue): RpcErrorObject | undefined {
  if (!isObject(error)) return undefined
  const code = own(error, 'code')
  const message = own(error, 'message')
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined
  return { code, message, data: own(error, 'data') }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined
}

function kindOf(value: JsonValue | undefined): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
