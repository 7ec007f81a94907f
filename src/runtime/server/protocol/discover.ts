import { type MethodDescriptor, RawJson } from '@concordat/rpc'
import type { DocumentOption, Methods } from './protocol-options.js'
import { serviceOf } from './service-settings.js'

/** The method that returns the contract (OpenRPC 1.3, service discovery method). */
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

/** Returns the document. A generated document is loaded on the first call. */
export type Discover = () => RawJson | Promise<RawJson>

/**
 * Creates the function that answers `rpc.discover`.
 * @returns undefined if there is no document, or the contract declares a method of that name
 */
export function createDiscover(methods: Methods, document?: DocumentOption): Discover | undefined {
  const isDeclared = Object.values(methods).some(({ name }) => name === discoverMethod.name)
  if (isDeclared || document === false) return undefined
  if (document !== undefined) {
    const isText = typeof document === 'string' || document instanceof Uint8Array
    const answer = new RawJson(isText ? document : JSON.stringify(document))
    return () => answer
  }
  const load = serviceOf(methods)?.document
  return load && (async () => new RawJson(await load()))
}
