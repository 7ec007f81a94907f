import type { ClientContract } from './client-contract.js'
import { connectionKey, functionsOf, nestedMembers, sending } from './client-members.js'
import { type CallOptions, type Next, positive } from './client-options.js'
import { timeoutFault } from './fault.js'
import { postRequest } from './http/post-request.js'
import { readAnswer } from './http/read-answer.js'
import { type CoreOptions, createCore } from './pipeline/core.js'
import { failWith } from './pipeline/pending-call.js'

/** The options of a plain client. */
export type PlainClientOptions = CoreOptions

/** The options of a call of a plain client. */
export type PlainCallOptions = Pick<CallOptions, 'signal' | 'timeoutMilliseconds'>

/**
 * Creates a plain client: a function for each method, whose calls are sent alone and once. The code of
 * batches, retries, quota, concurrency and middleware is not part of it. The generated `createPlainClient`
 * adds the type.
 * @param url the service's URL with its key
 * @param contract the generated contract
 * @param options options of the client
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when a number is not greater than 0
 */
export function createPlainRpcClient<Client extends object>(
  url: string | URL,
  contract: ClientContract,
  options: PlainClientOptions = {},
): Client {
  const core = createCore(url, contract, options)
  const fault = (milliseconds: number) => timeoutFault(core.endpoint.origin, milliseconds)
  const wire: Next = async (given) => {
    const { timeoutMilliseconds = core.timeoutMilliseconds } = given.options
    positive({ timeoutMilliseconds })
    const call = core.start(given, { milliseconds: timeoutMilliseconds, fault })
    const controller = new AbortController()
    call.onSettled = () => controller.abort()
    const http = postRequest(core, call.text, controller.signal)
    http.then((http) => {
      const answer = typeof http === 'object' ? readAnswer(core, http, call.id) : http
      if (typeof answer === 'object') call.resolve(answer.value)
      else failWith(call, answer)
    })
    return call.promise
  }
  return Object.assign(nestedMembers(functionsOf(contract, sending(wire))), {
    [connectionKey]: { wire, tolerances: core.counts },
  }) as Client
}
