import type { ClientContract } from './client-contract.js'
import { connectionKey, functionsOf, nestedMembers, sending } from './client-members.js'
import type { CallOptions, ClientOptions } from './client-options.js'
import { createConnection, type WireCall } from './pipeline/connection.js'
import type { Outcome } from './pipeline/explicit-batch.js'
import type { WireParams } from './wire-params.js'

/** A call for a batch, created by the function that `batch` receives. */
export interface BatchCall<Result> extends WireCall {
  /** Never present: it carries the type of the result. */
  readonly result?: Result
}

/** The outcomes of the calls of a batch, in the same order. */
export type Outcomes<Calls extends readonly BatchCall<unknown>[], Reason> = {
  readonly [At in keyof Calls]: Calls[At] extends BatchCall<infer Result> ? Outcome<Result, Reason> : never
}

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
  const { call } = connection
  const { batch: batchName = 'batch', request = 'request', quota = 'quota' } = contract.names ?? {}
  const items = nestedMembers(functionsOf(contract, (callOf) => callOf))
  const functions = functionsOf(contract, sending(call))
  const batch = async (build: (items: object) => readonly WireCall[], options: CallOptions = {}) =>
    connection.batch(build(items), options)
  const anyMethod = async (method: string, params: WireParams = [], options: CallOptions = {}) =>
    call({ method, params, options })
  const client = nestedMembers([...functions, [[batchName], batch], [[request], anyMethod]])
  Object.defineProperty(client, quota, { get: connection.quota, enumerable: true, configurable: true })
  return Object.assign(client, { [connectionKey]: connection }) as Client
}
