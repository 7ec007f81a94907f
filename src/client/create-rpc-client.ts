import type { ClientContract, ClientMethod } from './client-contract.js'
import type { CallOptions, ClientOptions } from './client-options.js'
import type { Tolerances } from './http/read-response.js'
import { type Connection, createConnection, type WireCall } from './pipeline/connection.js'
import type { Outcome } from './pipeline/explicit-batch.js'
import { argumentCount, type WireParams, wireParams } from './wire-params.js'

/** A call for a batch, created by the function that `batch` receives. */
export interface BatchCall<Result> extends WireCall {
  /** Never present: it carries the type of the result. */
  readonly result?: Result
}

/** The outcomes of the calls of a batch, in the same order. */
export type Outcomes<Calls extends readonly BatchCall<unknown>[], Reason> = {
  readonly [At in keyof Calls]: Calls[At] extends BatchCall<infer Result> ? Outcome<Result, Reason> : never
}

/** The client's member with its connection, shared by all copies of the package. */
const connectionOf = Symbol.for('concordat.connection')

/**
 * Creates a client: a function for each method, which takes the parameters and then the call options, and a
 * function for batches. Paths with several members become namespaces. The generated `createClient` adds the
 * type.
 * @param url the service's URL with its key
 * @param contract the generated contract
 * @param options options of the client
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when the timeout is invalid
 */
export function createRpcClient<Client extends object>(
  url: string | URL,
  contract: ClientContract,
  options?: ClientOptions,
): Client {
  const connection = createConnection(url, contract, options)
  const { batch: batchName = 'batch', request = 'request', quota = 'quota' } = contract.names ?? {}
  const methods = Object.entries(contract.methods)
  const items = nestedMembers(
    methods.map(([name, method]) => [method.path ?? [name], itemFunction(name, method)]),
  )
  const functions = methods.map(
    ([name, method]) => [method.path ?? [name], callFunction(connection, name, method)] as const,
  )
  const batch = async (build: (items: object) => readonly WireCall[], options: CallOptions = {}) =>
    connection.batch(build(items), options)
  const anyMethod = async (method: string, params: WireParams = [], options: CallOptions = {}) =>
    connection.call({ method, params, options })
  const client = nestedMembers([...functions, [[batchName], batch], [[request], anyMethod]])
  Object.defineProperty(client, quota, { get: connection.quota, enumerable: true, configurable: true })
  return Object.assign(client, { [connectionOf]: connection }) as Client
}

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

function connectionTo(client: object): Connection {
  const connection: Connection | undefined = Reflect.get(Object(client), connectionOf)
  if (connection) return connection
  throw new TypeError('sendRequest: the first argument must be a client created by createClient')
}

function callFunction({ call }: Connection, name: string, method: ClientMethod) {
  const count = argumentCount(method)
  return async (...given: readonly unknown[]) => {
    const params = wireParams(name, method, given.slice(0, count))
    return call({ method: name, params, options: (given[count] ?? {}) as CallOptions })
  }
}

function itemFunction(name: string, method: ClientMethod) {
  const count = argumentCount(method)
  return (...given: readonly unknown[]): WireCall => ({
    method: name,
    params: wireParams(name, method, given.slice(0, count)),
  })
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
