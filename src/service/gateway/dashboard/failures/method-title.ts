import { errorTable } from '@concordat/node-access-contract/errors'

/**
 * Returns the text for the method of calls: its name, or why there is none. A call without a method of the contract
 * names an unknown method, or its body is no request and names no method.
 * @param method name of a method of the contract; empty for calls without one
 * @param codes error codes of the calls
 */
export function methodTitle(method: string, codes: readonly number[]): string {
  if (method !== '') return method
  const unknown = codes.filter((code) => code === errorTable.methodNotFound.code).length
  if (unknown === codes.length) return 'Unknown method'
  return unknown === 0 ? 'No method' : 'Unknown or no method'
}
