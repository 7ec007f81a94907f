import { type JsonObject, type JsonValue, RpcError } from '@concordat/rpc'
import { type ClientMethod, paramName } from '../client-contract.js'
import { jsonProblem } from '../json-problem.js'
import type { ReceivedCall, SocketContract, SocketOptions } from './connect-options.js'

/** A handler of the application. */
type Handler = (params: JsonObject, call: ReceivedCall) => unknown

const methodNotFound = -32601
const internalError = -32603

/**
 * Creates the function that answers calls of the server by the handlers of the application. Notifications without a
 * handler are ignored.
 * @param contract the methods that the server calls
 * @param handlers the functions, at the paths of the methods
 * @param onError receives unexpected errors of handlers
 * @returns a function that resolves to the text of the response; undefined for a notification
 */
export function createCallHandler(
  { received = {} }: SocketContract,
  handlers: unknown,
  onError: SocketOptions['onHandlerError'] = rejectUnhandled,
): (request: JsonObject, signal: AbortSignal) => Promise<string | undefined> {
  const handlerOf = (name: string): Handler | undefined => {
    const method = Object.hasOwn(received, name) ? received[name] : undefined
    if (method === undefined) return undefined
    const found = (method.path ?? [name]).reduce<unknown>(
      (from, key) => (typeof from === 'object' && from !== null ? Reflect.get(from, key) : undefined),
      handlers,
    )
    return typeof found === 'function'
      ? (params, call) => found(namedParams(method, params), call)
      : undefined
  }

  const outcome = async (name: string, params: JsonObject, signal: AbortSignal): Promise<object> => {
    const handler = handlerOf(name)
    if (handler === undefined) return { error: { code: methodNotFound, message: 'Method not found' } }
    try {
      const result = (await handler(params, { method: name, signal })) ?? null
      const problem = jsonProblem(result)
      if (problem !== undefined)
        throw new TypeError(`${name}: the result cannot be encoded as JSON (${problem})`)
      return { result }
    } catch (error) {
      if (error instanceof RpcError) {
        const { code, message, data } = error
        return { error: { code, message, data } }
      }
      onError(error, name)
      return { error: { code: internalError, message: 'Internal error' } }
    }
  }

  return async ({ id, method, params }, signal) => {
    const answered = await outcome(String(method), (params ?? {}) as JsonObject, signal)
    return id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, ...answered })
  }
}

/** Returns parameters by name, with defaults filled in. */
export function namedParams(
  { params: declared = [] }: ClientMethod,
  sent: JsonValue | undefined,
): JsonObject {
  const values = Array.isArray(sent)
    ? Object.fromEntries(declared.slice(0, sent.length).map((param, at) => [paramName(param), sent[at]]))
    : ((sent ?? {}) as JsonObject)
  const presets = declared.filter((param) => typeof param === 'object')
  return { ...Object.fromEntries(presets), ...values } as JsonObject
}

/** Makes an error visible as the runtime shows those of other listeners. */
function rejectUnhandled(error: unknown): void {
  Promise.reject(error)
}
