import { type MethodDescriptor, RawJson } from '../rpc/index.js'
import type { Call } from './protocol-options.js'

/** The method that answers the contract itself (OpenRPC 1.3, service discovery method). */
export const discoverMethod: MethodDescriptor = {
  name: 'rpc.discover',
  params: [],
  paramStructure: 'either',
  notification: false,
  extensions: {},
  validateParams: (params) =>
    Object.keys(Object(params)).length === 0
      ? []
      : [{ path: '', rule: 'maxItems', message: 'takes no parameters' }],
  validateResult: () => [],
}

/** Puts `rpc.discover` in front of the contract's methods, answering the document as authored. */
export function withDiscover<Context>(call: Call<Context>, document: string | Uint8Array): Call<Context> {
  const answer = new RawJson(document)
  return (method, params, context) => (method === discoverMethod ? answer : call(method, params, context))
}
