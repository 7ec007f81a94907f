import type { RpcError } from './rpc-error.js'

/**
 * Returns the text before a result; `}` follows the result (JSON-RPC 2.0, section 5).
 * @param idText the id as JSON text
 */
export function resultHead(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":`
}

/**
 * Encodes an error response with code, message and data, but without cause and stack (JSON-RPC 2.0, section
 * 5.1).
 * @param idText the id as JSON text, `null` if the request's id is unreadable
 * @param error the error
 * @throws the error of `JSON.stringify` when `data` is not JSON
 */
export function errorResponse(idText: string, error: RpcError): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code, message, data })}}`
}
