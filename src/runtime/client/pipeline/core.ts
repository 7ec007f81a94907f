import { type ClientContract, methodOf } from '../client-contract.js'
import {
  type ClientOptions,
  defaultMaxAnswerBytes,
  defaultTimeoutMilliseconds,
  type Fetch,
  type Headers,
  type MiddlewareCall,
  positive,
} from '../client-options.js'
import { createEndpoint } from '../http/endpoint.js'
import type { Sender } from '../http/post-request.js'
import type { Reader } from '../http/read-answer.js'
import type { Tolerances } from '../http/read-response.js'
import { createPendingCall, type PendingCall, type TimeLimit } from './pending-call.js'

/** The options of every client. */
export interface CoreOptions
  extends Pick<ClientOptions, 'fetch' | 'timeoutMilliseconds' | 'maxAnswerBytes' | 'strict'> {
  /** Headers for every request, such as `authorization`. */
  readonly headers?: Headers | undefined
}

/** What every client needs to send calls and to read their answers. */
export interface Core extends Reader, Sender {
  /** Deviations from JSON-RPC 2.0 that were accepted. */
  readonly counts: Tolerances
  /** Milliseconds for each attempt. */
  readonly timeoutMilliseconds: number
  /** Encodes a call and starts its time. */
  readonly start: (call: MiddlewareCall, limit: TimeLimit) => PendingCall
}

/**
 * Creates the core of a client, without sending anything.
 * @param url the service's URL with its key
 * @param contract the generated contract
 * @param options options of the client
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when a number is not greater than 0
 */
export function createCore(url: string | URL, contract: ClientContract, options: CoreOptions): Core {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds, maxAnswerBytes = defaultMaxAnswerBytes } = options
  const counts = { missingVersion: 0, nullError: 0 }
  let lastId = 0
  return {
    contract,
    endpoint: createEndpoint(url, options.headers),
    fetch: options.fetch ?? globalFetch,
    ...positive({ maxAnswerBytes, timeoutMilliseconds }),
    tolerances: options.strict ? undefined : counts,
    counts,
    start: (call, limit) => {
      const id = methodOf(contract, call.method)?.notification ? undefined : ++lastId
      return createPendingCall(call, id, contract, limit)
    },
  }
}

/** Reads the global `fetch` on each call, so that it can be replaced later. */
const globalFetch: Fetch = (url, request) => fetch(url, request)
