import type { TransportTrouble } from '../report/index.js'

/** The methods of a subscription (`x-subscription`). */
export interface SubscriptionMethods {
  readonly notification: string
  readonly end: string | undefined
  readonly unsubscribe: string
  /** Name of the unsubscribe method's parameter. Undefined if it is sent by position. */
  readonly unsubscribeParam: string | undefined
}

/** A request of a step. */
export interface Outgoing {
  readonly verb: string
  /** The full URL, including the key. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** Names of the called methods. Undefined for raw bytes. */
  readonly methods: readonly string[] | undefined
  /** Cost in budget units: 1, or the number of items in a batch. */
  readonly billed: number
  /** True for a case of this package, which can send method names that the contract does not have. */
  readonly builtIn: boolean
  /** True for a request on behalf of the run, such as that of a fixture. No case judges its answer. */
  readonly isOfRun?: boolean
  /** Effect of the case; `read` by default. */
  readonly effect: 'read' | 'write' | 'spends-quota'
  /** True if the step expects status 429 or 503. Such a response is returned instead of retried. */
  readonly expectsLimit?: boolean
  /** Pauses while the body is sent, each after a number of bytes. */
  readonly pauses?: readonly { readonly at: number; readonly milliseconds: number }[]
  /** The subscription that this call starts. Its items and its end belong to the exchange. */
  readonly subscription?: SubscriptionMethods | undefined
  /** The case whose requests have a connection of their own; undefined for the connections that cases share. */
  readonly session?: number | undefined
}

/** A request and its outcome. */
export interface Exchange {
  readonly outgoing: Outgoing
  /** Undefined if no complete response arrived. */
  readonly reply: Reply | undefined
  /** The reason why no complete response arrived. */
  readonly trouble: TransportTrouble | undefined
  /** The actual cost in budget units. Undefined if it is the cost of the request. */
  readonly charged?: number
  readonly milliseconds: number
  /** Time of sending, on the clock of `performance.now()`. Undefined if nothing was sent. */
  readonly sentAt?: number
  /** Earlier attempts, after which the service asked to wait. */
  readonly earlier?: readonly Exchange[]
  /** True if the request was sent again on a new connection, so that the service may have received it twice. */
  readonly isRepeated?: boolean
  /** True if a parameter was sent in another, equivalent spelling than in the body. */
  readonly isRespelled?: boolean
}

/** A complete HTTP response. */
export interface Reply {
  readonly status: number
  /** Header values by lower-case name. Repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** The body as UTF-8 text; undefined if it is not UTF-8. */
  readonly text: string | undefined
  /** All messages of a subscription in order of arrival, responses included. */
  readonly messages?: readonly string[]
  /** Over a connection: the messages since the reply before that are no part of an exchange. */
  readonly besides?: readonly BesideMessage[]
  /** Milliseconds between the response to the subscribe call and the end of the subscription. */
  readonly afterMilliseconds?: number
}

/** A call of the server, a response to no request, or a call that opens a session with its response. */
export interface BesideMessage {
  /** The call that the runner sent; undefined for a call of the server and for a response to no request. */
  readonly sent?: string
  readonly received: string
}

/** Errors without any response. Other kinds include a partial response, which can be judged. */
const SILENT: ReadonlySet<TransportTrouble['kind']> = new Set(['unreachable', 'reset', 'timeout'])

/** True when a request got no response. Such a request proves nothing about any rule. */
export function isUnanswered(trouble: TransportTrouble | undefined): boolean {
  return trouble !== undefined && SILENT.has(trouble.kind)
}

/** Sends one request. All traffic of the runner goes through this function. */
export type Send = (outgoing: Outgoing) => Promise<Exchange>

/** A request was not sent. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
  readonly reason: 'not-allowed' | 'budget'

  constructor(reason: 'not-allowed' | 'budget', message: string) {
    super(message)
    this.reason = reason
  }
}
