import type { ClientMethod } from './client-contract.js'
import type { CallOptions, Next } from './client-options.js'
import type { Tolerances } from './http/read-response.js'
import { argumentCount, type WireParams, wireParams } from './wire-params.js'

/** What the functions below need of the connection of a client. */
interface Wire {
  /** Sends one call with values of the wire. */
  readonly wire: Next
  readonly tolerances: Tolerances
}

/** The client's member with its connection, shared by all copies of the package. */
export const connectionKey: unique symbol = Symbol.for('concordat.connection')

/**
 * Sends a request of any method, including methods that the contract does not have. Parameters and result
 * are those of the wire.
 * @param client a client of `createClient`, or a copy of its members
 * @param method the name on the wire
 * @param params a list, or an object by name
 * @param options options of this call
 * @throws CallError the error response of the service
 * @throws TransportError when no valid answer is received
 */
export async function sendRequest(
  client: object,
  method: string,
  params: WireParams = [],
  options: CallOptions = {},
): Promise<unknown> {
  return connectionTo(client).wire({ method, params, options })
}

/**
 * Returns how often a client accepted answers that do not follow JSON-RPC 2.0 exactly.
 * @param client a client of `createClient`, or a copy of its members
 */
export function tolerances(client: object): Readonly<Tolerances> {
  return { ...connectionTo(client).tolerances }
}

function connectionTo(client: object): Wire {
  const connection: Wire | undefined = Reflect.get(Object(client), connectionKey)
  if (connection) return connection
  throw new TypeError('sendRequest: the first argument must be a client created by createClient')
}

/**
 * Creates the function of a method.
 * @param call sends a call
 * @param name the method
 * @param method its description
 */
export function callFunction(
  call: Next,
  name: string,
  method: ClientMethod,
): (...given: readonly unknown[]) => Promise<unknown> {
  const count = argumentCount(method)
  return async (...given: readonly unknown[]) => {
    const params = wireParams(name, method, given.slice(0, count))
    return call({ method: name, params, options: (given[count] ?? {}) as CallOptions })
  }
}

/** Returns the path of the function of a method. */
export function pathOf(name: string, { path = [name] }: ClientMethod): readonly string[] {
  return path
}

/** A value and its path, the outermost member first. */
type Placed = readonly [path: readonly string[], value: unknown]

/** Builds nested objects with every value at its path. They are not frozen, so that tests can spy on them. */
export function nestedMembers(placed: readonly Placed[]): object {
  const byKey = new Map<string, Placed[]>()
  for (const [[key = '', ...rest], value] of placed) {
    byKey.set(key, [...(byKey.get(key) ?? []), [rest, value]])
  }
  const members = [...byKey].map(([key, inside]) => {
    const [first] = inside
    return [key, first?.[0].length === 0 ? first[1] : nestedMembers(inside)]
  })
  return Object.fromEntries(members)
}
