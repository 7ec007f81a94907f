import type { JsonValue } from '@concordat/rpc'

/** A contract as the client runtime sees it. Generated, never written by hand. */
export interface ClientContract {
  /** The methods by name on the wire. */
  readonly methods: Readonly<Record<string, ClientMethod>>
  /** The codes of the contract's errors by name. */
  readonly errors: Readonly<Record<string, number>>
  /** The client's function for batches: `batch`, or another name if a method has this name. */
  readonly batch: string
}

/** A method as the client runtime sees it (OpenRPC 1.3, method object). */
export interface ClientMethod {
  /** The path of its function in a client, namespaces first. Absent if it is the method's name. */
  readonly path?: readonly string[]
  /** The parameters in the contract's order, with the defaults of their schemas. */
  readonly params: readonly ClientParam[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** True for a method without a result: it is sent as a notification. */
  readonly notification?: true
  /** Declared errors whose code belongs to several errors of the contract. */
  readonly errors?: readonly string[]
}

/** A parameter of a method. */
export interface ClientParam {
  readonly name: string
  readonly default?: JsonValue
}

/**
 * Returns the name of an error code. If several errors share the code, prefers the one that the method
 * declares.
 * @param contract the contract's errors and methods
 * @param code the code of the response
 * @param method the called method
 * @returns undefined if the contract has no such code
 */
export function errorName(
  contract: ClientContract,
  code: number,
  method: string | undefined,
): string | undefined {
  const { errors, methods } = contract
  const names = Object.keys(errors).filter((name) => errors[name] === code)
  if (names.length < 2 || method === undefined || !Object.hasOwn(methods, method)) return names[0]
  return names.find((name) => methods[method]?.errors?.includes(name)) ?? names[0]
}
