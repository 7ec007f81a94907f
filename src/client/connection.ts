import type { JsonValue } from '../rpc/json.js'
import type { ClientContract } from './client-contract.js'
import {
  type CallOptions,
  type ClientOptions,
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
 * @throws TypeError for a URL or a header that cannot be sent, RangeError for a time-out that is none
 */
export function createConnection(
  url: string | URL,
  contract: ClientContract,
  options: ClientOptions = {},
): Connection {
  const { headers, timeoutMilliseconds = clientDefaults.timeoutMilliseconds, fetch = globalFetch } = options
  const endpoint = createEndpoint(url, headers)
  const sender: Sender = { endpoint, fetch, timeoutMilliseconds: checkedTimeout(timeoutMilliseconds) }
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
      const body = JSON.stringify(requestOf(call, waiting))
      const http = await exchange(sender, { body, method: call.method }, options)
      return readSingle({ http, contract, endpoint }, waiting)
    },
    batch: async (calls, options) => {
      if (calls.length === 0) return []
      const waiting = calls.map(sent)
      const body = JSON.stringify(calls.map((call, at) => requestOf(call, waiting[at])))
      const http = await exchange(sender, { body, method: undefined }, options)
      return readBatch({ http, contract, endpoint }, waiting)
    },
  }
}

/** A request object (JSON-RPC 2.0, section 4); a notification has no id. */
function requestOf({ method, params }: WireCall, waiting: SentCall | undefined): object {
  return { jsonrpc: '2.0', id: waiting?.id, method, params }
}

/** The global `fetch` of the moment in which something is sent. */
const globalFetch: Fetch = (url, request) => fetch(url, request)
