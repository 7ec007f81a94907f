import type { JsonValue } from '../rpc/json.js'

/** What the runtime knows of a contract. Generated, never written by hand. */
export interface ClientContract {
  /** The methods, by their names on the wire. */
  readonly methods: Readonly<Record<string, ClientMethod>>
  /** The codes of the contract's errors, by name. */
  readonly errors: Readonly<Record<string, number>>
  /** The client's member that sends batches: `batch`, or another name where a method is called that. */
  readonly batch: string
}

/** What the runtime knows of a method (OpenRPC 1.3, method object). */
export interface ClientMethod {
  /** The members of a client that lead to it, the namespaces first; absent where that is its name. */
  readonly path?: readonly string[]
  /** The parameters in the contract's order, each with its schema's default. */
  readonly params: readonly ClientParam[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** True for a method without a result: it is notified, and nothing is answered. */
  readonly notification?: true
  /** Declared errors whose code another error of the contract has too. */
  readonly errors?: readonly string[]
}

/** A parameter of a method. */
export interface ClientParam {
  readonly name: string
  readonly default?: JsonValue
}

/**
 * The contract's name of an error code: of several errors with one code, the one that the method declares.
 * @returns undefined where the contract has no such code
 */
export function errorName(
  { errors, methods }: ClientContract,
  code: number,
  method: string | undefined,
): string | undefined {
  const names = Object.keys(errors).filter((name) => errors[name] === code)
  if (names.length < 2 || method === undefined || !Object.hasOwn(methods, method)) return names[0]
  return names.find((name) => methods[method]?.errors?.includes(name)) ?? names[0]
}
