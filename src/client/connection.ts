import type { JsonValue } from '../rpc/json.js'
import type { ClientContract } from './client-contract.js'
import {
  type CallOptions,
  type ClientOptions,
  checkedAnswerBytes,
  checkedTimeout,
  clientDefaults,
  type Fetch,
} from './client-options.js'
import { createEndpoint } from './endpoint.js'
import { exchange, type Sender } from './exchange.js'
import { type Outcome, readBatch, readSingle, type SentCall } from './read-answer.js'
import type { WireParams } from './wire-params.js'

/** A request to be: of the contract's methods, or of any other. */
export interface WireCall {
  readonly method: string
  readonly params: WireParams
}

/** Sends requests to one URL and reads their answers. */
export interface Connection {
  /** One request; nothing is answered where the contract says that its method has no result. */
  readonly request: (call: WireCall, options: CallOptions) => Promise<JsonValue | undefined>
  /** Several in one HTTP request; none where there are none. */
  readonly batch: (calls: readonly WireCall[], options: CallOptions) => Promise<readonly Outcome<unknown>[]>
}

/**
 * A connection; nothing is sent by making it.
 * @throws TypeError for a URL or a header that cannot be sent, RangeError for a time-out or an answer size that is not above 0
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
    request: async (call, options) => {
      const waiting = sent(call)
      const body = encoded([call], contract, () => requestOf(call, waiting))
      const http = await exchange(sender, { body, method: call.method }, options)
      return readSingle({ http, contract, endpoint }, waiting)
    },
    batch: async (calls, options) => {
      if (calls.length === 0) return []
      const waiting = calls.map(sent)
      const body = encoded(calls, contract, () => calls.map((call, at) => requestOf(call, waiting[at])))
      const http = await exchange(sender, { body, method: undefined }, options)
      return readBatch({ http, contract, endpoint }, waiting)
    },
  }
}

/** A request object (JSON-RPC 2.0, section 4); a notification has no id. */
function requestOf({ method, params }: WireCall, waiting: SentCall | undefined): object {
  return { jsonrpc: '2.0', id: waiting?.id, method, params }
}

/**
 * A message as JSON.
 * @throws TypeError with the method and the parameter that JSON cannot hold, such as a BigInt
 */
function encoded(calls: readonly WireCall[], contract: ClientContract, message: () => object): string {
  try {
    return JSON.stringify(message())
  } catch (error) {
    const problem = calls.map((call) => unencodable(call, contract)).find((found) => found !== undefined)
    throw problem ?? error
  }
}

/** The error for the first parameter of a call that JSON cannot hold; undefined where all can be sent. */
function unencodable({ method, params }: WireCall, { methods }: ClientContract): TypeError | undefined {
  const known = Object.hasOwn(methods, method) ? methods[method]?.params : undefined
  for (const [key, value] of Object.entries(params)) {
    const name = Array.isArray(params) ? (known?.[Number(key)]?.name ?? Number(key)) : key
    try {
      JSON.stringify(value)
    } catch (error) {
      const [reason] = String((error as Error).message).split('\n')
      return new TypeError(
        `${method}: the parameter ${JSON.stringify(name)} cannot be sent as JSON (${reason}). Convert it to a value of the contract, such as text.`,
      )
    }
  }
  return undefined
}

/** The global `fetch` of the moment in which something is sent. */
const globalFetch: Fetch = (url, request) => fetch(url, request)
