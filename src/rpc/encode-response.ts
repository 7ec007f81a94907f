import type { RpcError } from './rpc-error.js'

/**
 * What is written in front of a result's own text; `}` comes behind it (JSON-RPC 2.0, section 5).
 *
 * @param idText the id as JSON text
 */
export function resultHead(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":`
}

/**
 * Writes an error response: code, message and data, never cause or stack (JSON-RPC 2.0, section 5.1).
 *
 * @param idText the id as JSON text, `null` when the request's could not be read
 * @throws whatever `JSON.stringify` throws when `data` is no JSON
 */
export function errorResponse(idText: string, error: RpcError): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code, message, data })}}`
}
