import type { JsonValue } from '../../rpc/index.js'
import type { HttpReply, HttpRequest } from './http-message.js'
import type { Call, CallAnswer } from './rpc-message.js'

/** A mistake that an implementation could make: what the judge must notice. */
export interface Fault {
  /** In lower case, with hyphens. */
  readonly name: string
  /** Id of the contract's rule that it breaks. */
  readonly rule: string
  /** One sentence: what the service does instead. */
  readonly description: string
  /** Makes what it changes, with a state of its own: one proxy, one state. */
  readonly begin: () => FaultHooks
}

/** Asks the service behind the proxy for something else, on the same path. */
export type Ask = (method: string, params: readonly JsonValue[]) => Promise<CallAnswer>

/** Sends a whole request to the service behind the proxy. */
export type Forward = (request: HttpRequest) => Promise<HttpReply>

/** Where a fault may change an exchange; each hook gives back what it was given where it changes nothing. */
export interface FaultHooks {
  /** The HTTP request, before it is looked into. */
  readonly request?: (request: HttpRequest) => HttpRequest
  /** Each call, alone or in a batch, before the service sees it. */
  readonly call?: (call: Call) => Call
  /** The answer to each call, in order; `call` is as the caller sent it. */
  readonly answer?: (answer: CallAnswer, call: Call, ask: Ask) => CallAnswer | Promise<CallAnswer>
  /** The whole HTTP answer, last; `request` is as the caller sent it. */
  readonly reply?: (
    reply: HttpReply,
    request: HttpRequest,
    forward: Forward,
  ) => HttpReply | Promise<HttpReply>
}

const NO_HOOKS: FaultHooks = {}

/** What a fault changes, from a fresh state; nothing without a fault. */
export function beginFault(fault: Fault | undefined): FaultHooks {
  return fault === undefined ? NO_HOOKS : fault.begin()
}
