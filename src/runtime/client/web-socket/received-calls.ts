import { type JsonObject, type JsonValue, RpcError } from '@concordat/rpc'
import { type ClientMethod, paramName } from '../client-contract.js'
import { jsonProblem } from '../json-problem.js'
import { whenAborted } from '../pipeline/when-aborted.js'
import type { ReceivedCall, SocketContract, SocketOptions } from './connect-options.js'

/** A handler of the application. */
type Handler = (params: JsonObject, call: ReceivedCall) => unknown

const methodNotFound = -32601
const internalError = -32603

/**
 * Creates the function that answers calls of the server by the handlers of the application. Notifications without a
 * handler are ignored.
 * @param contract the methods that the server calls, and the notification that cancels these calls
 * @param handlers the functions, at the paths of the methods
 * @param onError receives unexpected errors of handlers
 * @returns a function of the request and its connection's signal. It resolves to the text of the response; undefined
 *   for a notification, and for a cancelled call that is not answered
 */
export function createCallHandler(
  { received = {}, cancelled }: SocketContract,
  handlers: unknown,
  onError: SocketOptions['onHandlerError'] = rejectUnhandled,
): (request: JsonObject, connection: AbortSignal) => Promise<string | undefined> {
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

  const failed = (error: unknown, name: string): object => {
    // An error of the callback must not leave the call without an answer.
    queueMicrotask(() => onError(error, name))
    return { error: { code: internalError, message: 'Internal error' } }
  }

  /** Returns the members of the response; undefined for a cancelled call that is not answered. */
  const outcome = async (
    name: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<object | undefined> => {
    const handler = handlerOf(name)
    if (handler === undefined) return { error: { code: methodNotFound, message: 'Method not found' } }
    const isCancelled = () => signal.reason instanceof CancelledError
    const isUnanswered = () => isCancelled() && cancelled?.error === undefined
    try {
      const result = (await handler(params, { method: name, signal })) ?? null
      checkJson(`${name}: the result`, result)
      return isUnanswered() ? undefined : { result }
    } catch (error) {
      if (isUnanswered()) return undefined
      if (!(error instanceof RpcError))
        return isCancelled() ? { error: cancelled?.error } : failed(error, name)
      const { code, message, data } = error
      try {
        checkJson(`${name}: the data of the error`, data ?? null)
        return { error: { code, message, data } }
      } catch (problem) {
        return failed(problem, name)
      }
    }
  }

  const calls = new Map<string, AbortController>()
  const cancel = (sent: JsonValue | undefined): void => {
    if (cancelled === undefined) return
    const { [cancelled.id]: id } = namedParams(received[cancelled.method] ?? {}, sent)
    calls.get(JSON.stringify(id))?.abort(new CancelledError())
  }

  return async ({ id, method, params }, connection) => {
    const name = String(method)
    const named = (params ?? {}) as JsonObject
    if (id === undefined) {
      if (name === cancelled?.method) cancel(params)
      else await outcome(name, named, connection)
      return undefined
    }
    const controller = new AbortController()
    const forget = whenAborted(connection, () => controller.abort(connection.reason))
    const key = JSON.stringify(id)
    calls.set(key, controller)
    try {
      const answered = await outcome(name, named, controller.signal)
      return answered && JSON.stringify({ jsonrpc: '2.0', id, ...answered })
    } finally {
      forget()
      // A later connection may use the id again.
      if (calls.get(key) === controller) calls.delete(key)
    }
  }
}

/** The reason of the signal of a call that the server has cancelled (`x-cancels`). */
class CancelledError extends DOMException {
  constructor() {
    super('The server has cancelled the call', 'AbortError')
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

/** @throws TypeError for a value that JSON would lose or change; RangeError for one with cycles */
function checkJson(what: string, value: unknown): void {
  const problem = jsonProblem(value)
  if (problem !== undefined) throw new TypeError(`${what} cannot be encoded as JSON (${problem})`)
}

/** Makes an error visible as the runtime shows those of other listeners. */
function rejectUnhandled(error: unknown): void {
  Promise.reject(error)
}
