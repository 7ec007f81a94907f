/** A request that a step wants to send. */
export interface Outgoing {
  readonly verb: string
  /** The whole URL, key included. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** Method names that it calls, where it was made of calls; undefined for raw bytes. */
  readonly methods: readonly string[] | undefined
  /** What it counts against the budget: 1, or the number of a batch's items. */
  readonly billed: number
  /** The case belongs to this package: it may send method names that the contract does not have. */
  readonly builtIn: boolean
  /** `read` for all but the cases that say otherwise. */
  readonly effect: 'read' | 'write' | 'spends-quota'
  /** The step looks for status 429 or 503 itself: such an answer is handed on instead of waited for. */
  readonly expectsLimit?: boolean
  /** Where in the body nothing is sent for a time: after so many bytes of it. */
  readonly pauses?: readonly { readonly at: number; readonly milliseconds: number }[]
}

/** What was sent and what came. */
export interface Exchange {
  readonly outgoing: Outgoing
  /** Undefined where no whole answer came. */
  readonly reply: Reply | undefined
  /** Why no whole answer came. */
  readonly trouble: TransportTrouble | undefined
  /** What it counted against the budget in the end; undefined for what the request counts. */
  readonly charged?: number
  readonly milliseconds: number
}

/** A whole HTTP answer. */
export interface Reply {
  readonly status: number
  /** Names in lower case; a header that came several times is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** The bytes as UTF-8 text, undefined where they are none. */
  readonly text: string | undefined
}

/** Why no whole answer came. */
export interface TransportTrouble {
  readonly kind: 'unreachable' | 'reset' | 'timeout' | 'too-large' | 'bad-encoding' | 'other'
  /** One sentence, without secrets. */
  readonly message: string
}

/** Sends one request; the only way out of the runner. */
export type Send = (outgoing: Outgoing) => Promise<Exchange>

/** A request was not sent: nothing left this machine. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
  readonly reason: 'not-allowed' | 'budget'

  constructor(reason: 'not-allowed' | 'budget', message: string) {
    super(message)
    this.reason = reason
  }
}
