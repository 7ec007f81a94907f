import { callOf } from './call-of.js'
import type { ClientContract } from './client-contract.js'
import type { CallOptions, MiddlewareCall, Next } from './client-options.js'
import type { Tolerances } from './http/read-response.js'
import type { WireParams } from './wire-params.js'

/** What the functions below need of the connection of a client. */
interface Wire {
  /** Sends one call with values of the wire. */
  readonly wire: Next
  readonly tolerances: Tolerances
}

/** The client's member with its connection, shared by all copies of the package. */
export const connectionKey: unique symbol = Symbol.for('concordat.connection')

/** A method that is not in the contract, with types from the caller. */
export interface OwnMethod {
  /** The name on the wire. */
  readonly method: string
  readonly params: WireParams
  readonly result: unknown
}

/**
 * Sends a request of any method, including methods that the contract does not have. Parameters and result
 * are those of the wire. `sendRequest<{ method: 'other'; params: readonly [number]; result: string }>` types them.
 * @param client a client of `createClient`, or a copy of its members
 * @param method the name on the wire
 * @param params a list, or an object by name
 * @param options options of this call
 * @throws CallError the error response of the service
 * @throws TransportError when no valid answer is received
 */
export async function sendRequest<Own extends OwnMethod = OwnMethod>(
  client: object,
  method: Own['method'],
  params: Own['params'] = [],
  options: CallOptions = {},
): Promise<Own['result']> {
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

/** A value and its path, the outermost member first. */
type Placed = readonly [path: readonly string[], value: unknown]

/** Converts the arguments of a function to a call. */
type CallOf = (...given: readonly unknown[]) => MiddlewareCall

/**
 * Creates a function for each method.
 * @param contract the contract
 * @param create creates it from the function that converts its arguments to a call
 */
export function functionsOf(
  { methods }: Pick<ClientContract, 'methods'>,
  create: (callOf: CallOf, name: string) => unknown,
): readonly Placed[] {
  return Object.entries(methods).map(([name, method]) => [
    method.path ?? [name],
    create((...given) => callOf(name, method, given), name),
  ])
}

/** Returns the function that converts its arguments to a call and sends it. */
export function sending(call: Next): (callOf: CallOf) => (...given: readonly unknown[]) => Promise<unknown> {
  return (callOf) =>
    async (...given: readonly unknown[]) =>
      call(callOf(...given))
}

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
