import type { JsonValue } from '@concordat/rpc'

/** A contract as the client runtime sees it. Generated, never written by hand. */
export interface ClientContract {
  /** The methods by name on the wire. */
  readonly methods: Readonly<Record<string, ClientMethod>>
  /** The codes of the contract's errors by name. */
  readonly errors: Readonly<Record<string, number>>
  /** Codes of errors that mean that the service is unavailable for a while (`x-failures`). */
  readonly transient?: readonly number[]
  /** Limits of a request (`x-limits`): the requests of a batch, and the bytes of a body. */
  readonly limits?: { readonly batchItems?: number; readonly bodyBytes?: number }
  /** The names of the client's own members that are renamed, because a method has the name. */
  readonly names?: Partial<MemberNames>
}

/** The names of the members of a client that are not methods of the contract. */
export type MemberNames = Readonly<Record<'batch' | 'request' | 'quota', string>>

/** A method as the client runtime sees it (OpenRPC 1.3, method object). */
export interface ClientMethod {
  /** The path of its function in a client, namespaces first. Absent if it is the method's name. */
  readonly path?: readonly string[]
  /** The parameters in the contract's order. Absent if there are none. */
  readonly params?: readonly ClientParam[]
  /** Absent for `by-position`. */
  readonly paramStructure?: 'by-name' | 'either'
  /** True for a method without a result: it is sent as a notification. */
  readonly notification?: true
  /** Declared errors whose code belongs to several errors of the contract. */
  readonly errors?: readonly string[]
  /** Present for a method that changes nothing (`x-effect`). */
  readonly effect?: 'read'
  /** True for a method whose calls travel in batches (`x-batchable`). */
  readonly batchable?: true
}

/** The name of a parameter, or its name and the default of its schema. */
export type ClientParam = string | readonly [name: string, preset: JsonValue]

/** Returns a method. Undefined if the contract does not have it. */
export function methodOf({ methods }: ClientContract, name = ''): ClientMethod | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

/** Returns the name of a parameter. */
export function paramName(param: ClientParam): string {
  return typeof param === 'string' ? param : param[0]
}

/**
 * Returns the name of a parameter.
 * @param contract the contract's methods
 * @param method the method's name
 * @param place the parameter's position, or already its name
 */
export function paramAt(contract: ClientContract, method: string | undefined, place: string): string {
  return paramName(methodOf(contract, method)?.params?.[Number(place)] ?? place)
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
  const names = Object.keys(contract.errors).filter((name) => contract.errors[name] === code)
  const declared = methodOf(contract, method)?.errors
  return names.find((name) => declared?.includes(name)) ?? names[0]
}
