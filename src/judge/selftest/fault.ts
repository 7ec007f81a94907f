import type { JsonValue } from '@concordat/rpc'
import type { HttpReply, HttpRequest } from './http-message.js'
import type { Call, CallAnswer } from './rpc-message.js'

/** A defect that an implementation could have and that the cases must detect. */
export interface Fault {
  /** Name in kebab-case. */
  readonly name: string
  /** Id of the violated rule of the contract. */
  readonly rule: string
  /** Faulty behaviour in one sentence. */
  readonly description: string
  /** Creates hooks with fresh state, one set for each run. */
  readonly begin: () => FaultHooks
}

/** Sends another call to the service, on the same path. */
export type Ask = (method: string, params: readonly JsonValue[]) => Promise<CallAnswer>

/** Sends a whole request to the service. */
export type Forward = (request: HttpRequest) => Promise<HttpReply>

/** An answer, with a flag for changes to it or to its request. */
export interface ChangedReply {
  readonly reply: HttpReply
  readonly isChanged: boolean
}

/** Hooks through which a fault changes an exchange. A hook returns its argument to leave it unchanged. */
export interface FaultHooks {
  /** Changes the HTTP request before it is parsed. */
  readonly request?: (request: HttpRequest) => HttpRequest
  /** Changes each call, single or in a batch, before the service receives it. */
  readonly call?: (call: Call) => Call
  /** Changes the answer to each call, in order. `call` is the client's original call. */
  readonly answer?: (answer: CallAnswer, call: Call, ask: Ask) => CallAnswer | Promise<CallAnswer>
  /** Changes the whole HTTP response at the end. `request` is the client's original request. */
  readonly reply?: (
    reply: HttpReply,
    request: HttpRequest,
    forward: Forward,
  ) => HttpReply | Promise<HttpReply>
  /** Handles the whole exchange. The other hooks are then ignored. */
  readonly exchange?: (request: HttpRequest, forward: Forward) => Promise<ChangedReply>
}

const NO_HOOKS: FaultHooks = {}

/** Creates the hooks of a fault with fresh state. Without a fault there are no hooks. */
export function beginFault(fault: Fault | undefined): FaultHooks {
  return fault === undefined ? NO_HOOKS : fault.begin()
}
