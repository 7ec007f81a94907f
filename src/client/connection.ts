import type { ClientContract } from './client-contract.js'
import {
  type CallOptions,
  type ClientOptions,
  checkedAnswerBytes,
  checkedTimeout,
  clientDefaults,
  type Fetch,
  type Next,
  type Quota,
} from './client-options.js'
import { createEndpoint } from './endpoint.js'
import { layeredCall } from './layers.js'
import { postRequest, type Sender } from './post-request.js'
import { type Outcome, readBatch, readSingle, type SentCall } from './read-answer.js'
import type { WireParams } from './wire-params.js'

/** A call before encoding, of any method. */
export interface WireCall {
  readonly method: string
  readonly params: WireParams
}

/** Sends requests to one URL and reads their answers. */
export interface Connection {
  /** Sends one call of the application. */
  readonly call: Next
  /** Sends one call with values of the wire. */
  readonly wire: Next
  /** Sends several calls in one HTTP request. Sends nothing for an empty list. */
  readonly batch: (calls: readonly WireCall[], options: CallOptions) => Promise<readonly Outcome<unknown>[]>
  /** Returns the state of the quota. */
  readonly quota: () => Quota | undefined
}

/**
 * Creates a connection without sending anything.
 * @param url the service's URL with its key
 * @param contract the generated contract
 * @param options options of the client
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when the timeout or answer size is not greater than 0
 */
export function createConnection(
  url: string | URL,
  contract: ClientContract,
  options: ClientOptions = {},
): Connection {
  const {
    headers,
    timeoutMilliseconds = clientDefaults.timeoutMilliseconds,
    maxAnswerBytes = clientDefaults.maxAnswerBytes,
    fetch = globalFetch,
  } = options
  const endpoint = createEndpoint(url, headers)
  const sender: Sender = {
    endpoint,
    fetch,
    timeoutMilliseconds: checkedTimeout(timeoutMilliseconds),
    maxAnswerBytes: checkedAnswerBytes(maxAnswerBytes),
  }
  let lastId = 0

  const sent = ({ method }: WireCall): SentCall => {
    const known = Object.hasOwn(contract.methods, method) ? contract.methods[method] : undefined
    if (known?.notification) return { method, id: undefined }
    lastId += 1
    return { method, id: lastId }
  }

  return {
    ...layeredCall(options, async ({ options, ...call }) => {
      const waiting = sent(call)
      const body = encoded([call], contract, () => requestOf(call, waiting))
      const http = await postRequest(sender, { body, method: call.method }, options)
      return readSingle({ http, contract, endpoint }, waiting)
    }),
    quota: () => undefined,
    batch: async (calls, options) => {
      if (calls.length === 0) return []
      const waiting = calls.map(sent)
      const body = encoded(calls, contract, () => calls.map((call, at) => requestOf(call, waiting[at])))
      const http = await postRequest(sender, { body, method: undefined }, options)
      return readBatch({ http, contract, endpoint }, waiting)
    },
  }
}

/** Builds a request object (JSON-RPC 2.0, section 4). Notifications have no id. */
function requestOf({ method, params }: WireCall, waiting: SentCall | undefined): object {
  return { jsonrpc: '2.0', id: waiting?.id, method, params }
}

/**
 * Encodes a message as JSON.
 * @throws TypeError that names the parameter that JSON does not support, such as a BigInt
 */
function encoded(calls: readonly WireCall[], contract: ClientContract, message: () => object): string {
  try {
    return JSON.stringify(message())
  } catch (error) {
    const problem = calls.map((call) => unencodable(call, contract)).find((found) => found !== undefined)
    throw problem ?? error
  }
}

/** Returns an error for the first parameter that JSON does not support, or undefined. */
function unencodable({ method, params }: WireCall, { methods }: ClientContract): TypeError | undefined {
  const known = Object.hasOwn(methods, method) ? methods[method]?.params : undefined
  for (const [key, value] of Object.entries(params)) {
    const param = Array.isArray(params) ? (known?.[Number(key)] ?? Number(key)) : key
    try {
      JSON.stringify(value)
    } catch (error) {
      const [reason] = String((error as Error).message).split('\n')
      return new TypeError(
        `${method}: the parameter ${JSON.stringify(typeof param === 'object' ? param[0] : param)} cannot be encoded as JSON (${reason}). Convert it to a value that the contract allows, such as a string.`,
      )
    }
  }
  return undefined
}

/** Reads the global `fetch` on each call, so that it can be replaced later. */
const globalFetch: Fetch = (url, request) => fetch(url, request)
