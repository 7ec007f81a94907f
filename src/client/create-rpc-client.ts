import type { ClientContract, ClientMethod } from './client-contract.js'
import type { CallOptions, ClientOptions } from './client-options.js'
import { type Connection, createConnection, type WireCall } from './connection.js'
import { nestedMembers } from './nested-members.js'
import type { Outcome } from './read-answer.js'
import { argumentCount, type WireParams, wireParams } from './wire-params.js'

/** A call that is to be sent in a batch; the function that a client's `batch` is given makes them. */
export interface BatchCall<Result> extends WireCall {
  /** Never there: it carries the type of the answer. */
  readonly result?: Result
}

/** What becomes of the calls of a batch, one for one. */
export type Outcomes<Calls extends readonly BatchCall<unknown>[], Reason> = {
  readonly [At in keyof Calls]: Calls[At] extends BatchCall<infer Result> ? Outcome<Result, Reason> : never
}

/** The member of a client that holds its connection, the same in every copy of the package. */
const connectionOf = Symbol.for('concordat.connection')

/**
 * A client of a contract: a function for each method, with the options of the call behind its parameters, and one
 * for batches; functions whose path has several members stand in namespaces. It is the generated `createClient` that gives it its type.
 * @throws TypeError for a URL or a header that cannot be sent, RangeError for a time-out that is none
 */
export function createRpcClient<Client extends object>(
  url: string | URL,
  contract: ClientContract,
  options?: ClientOptions,
): Client {
  const connection = createConnection(url, contract, options)
  const methods = Object.entries(contract.methods)
  const calls = nestedMembers(
    methods.map(([name, method]) => [method.path ?? [name], batchFunction(name, method)]),
  )
  const batch = async (build: (call: object) => readonly WireCall[], options: CallOptions = {}) =>
    connection.batch(build(calls), options)
  const functions = methods.map(
    ([name, method]) => [method.path ?? [name], callFunction(connection, name, method)] as const,
  )
  const client = nestedMembers([...functions, [[contract.batch], batch]])
  return Object.freeze({ ...client, [connectionOf]: connection }) as Client
}

/**
 * Sends a request of any method over a client, also of one that the contract does not have.
 * @param params a list or an object by name, sent as they are
 * @throws CallError the error that was answered
 * @throws TransportError where no answer came
 */
export async function sendRequest(
  client: object,
  method: string,
  params: WireParams = [],
  options: CallOptions = {},
): Promise<unknown> {
  const connection: Connection | undefined = Reflect.get(Object(client), connectionOf)
  if (connection === undefined)
    throw new TypeError('sendRequest: the first argument is not a client of createClient')
  return connection.request({ method, params }, options)
}

function callFunction(connection: Connection, name: string, method: ClientMethod) {
  const count = argumentCount(method)
  return async (...given: readonly unknown[]) => {
    const params = wireParams(name, method, given.slice(0, count))
    return connection.request({ method: name, params }, (given[count] ?? {}) as CallOptions)
  }
}

function batchFunction(name: string, method: ClientMethod) {
  const count = argumentCount(method)
  return (...given: readonly unknown[]): WireCall => ({
    method: name,
    params: wireParams(name, method, given.slice(0, count)),
  })
}
