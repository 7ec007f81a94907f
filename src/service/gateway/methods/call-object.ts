import { failure, failures } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isObject } from '../ethereum/index.js'

/**
 * Converts a call object for a node. Null members count as absent, and `input` is an alias of `data`
 * (specification 2.8).
 * @param call valid, so it has only members of the contract
 * @throws RpcError callDataConflict when `data` and `input` differ
 */
export function callObject(call: JsonValue | undefined): JsonObject {
  const { input, ...given } = withoutNulls(isObject(call) ? call : {})
  const { data } = given
  if (input === undefined) return given
  if (data !== undefined && String(data).toLowerCase() !== String(input).toLowerCase()) {
    const { message } = failures.callDataConflict
    const problem = { path: '/0/input', rule: 'call.input-alias', message }
    throw failure('callDataConflict', { data: [problem] })
  }
  return { ...given, data: input }
}

/** Returns an object without its null members. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
