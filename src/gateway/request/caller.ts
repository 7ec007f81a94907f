import type { RpcError } from '../../rpc/index.js'
import type { EdgeResponse } from '../../server/index.js'
import type { KeyNotes } from '../keys/key-notes.js'
import type { Network } from '../networks/network.js'
import type { NodeTrace } from '../nodes/node-call.js'
import type { Place } from '../quota/request-queue.js'
import type { AccessRules } from '../store/access-rules.js'

/** What a trace tells of a request. */
export interface RequestTrace extends NodeTrace {
  /** A response of it is ready. */
  responded(method: string | undefined, code: number | undefined): void
  /** Its answer is ready. */
  end(httpStatus: number): void
}

/** Whom a request is from: an accepted key. */
export interface Caller {
  /** The key's id, which logs may hold. */
  readonly id: string
  readonly userId: string
  readonly network: Network
  /** Requests per UTC day that the key may make, beside its user's limit; null where it has no limit of its own. */
  readonly dailyLimit: number | null
  /** The same per UTC month. */
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  /** What parts hold of the key between its requests. */
  readonly notes?: KeyNotes | undefined
  /** The page's origin, where the key has a list of them: the answer is for pages of this origin alone. */
  readonly origin: string | undefined
  /** The answer that is being made. */
  readonly response: EdgeResponse
  /** When the body had been read, in milliseconds by `performance.now()`; 0 before that. */
  startedAt: number
  /** Takes the size of the body when it was read, in bytes; undefined for a small one. */
  bodyRead?: ((bytes: number) => void) | undefined
  /** Where requests are traced. */
  trace?: RequestTrace | undefined
  /** The request's place among those of its user that are worked on; undefined until it has one. */
  place?: Place | undefined
  /** Why the queue has refused the request. */
  refusal?: RpcError | undefined
  /** True when the caller has left before the answer; it costs nothing until it is looked at. */
  readonly hasLeft?: boolean | undefined
  /** Gives a signal that is aborted when the caller leaves before the answer. */
  readonly left?: (() => AbortSignal) | undefined
  /** True when the request is a batch. */
  inBatch: boolean
  /** Size of the answers of eth_getLogs that the request holds so far, in bytes. */
  heldBytes: number
  /** Size of the responses that are made of it so far and wait for the others of a batch or the caller, in bytes. */
  answerBytes: number
  /** Takes another room for them; undefined while they need none. */
  resizeAnswer?: ((bytes: number) => boolean) | undefined
}
