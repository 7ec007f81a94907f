import type { JsonValue } from './json.js'
import type { RpcPeer } from './peer.js'

/** A log with one line for each entry, such as pino's. */
export interface Logger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Headers that a handler adds to the response of a request; compatible with `Headers` of the Fetch standard. */
export interface ResponseHeaders {
  append(name: string, value: string): void
  set(name: string, value: string): void
}

/** What a handler knows about its call, besides parameters and context. */
export interface HandlerCall<ClientMethods = Readonly<Record<never, never>>> {
  /** The method's name on the wire. */
  readonly method: string
  /** The id of the request; undefined for a notification. A number beyond 2^53 is rounded. */
  readonly id: string | number | null | undefined
  /**
   * Aborted when the caller disconnects or cancels the call (`x-cancels`), or at the deadline of the server.
   */
  readonly signal: AbortSignal
  /** Headers for the HTTP response. Ignored on other transports. */
  readonly headers: ResponseHeaders
  /** The server's log. Each entry contains the method's name. */
  readonly log: Logger
  /**
   * The caller's side of a connection, for the methods that clients provide. Over HTTP its functions reject with
   * PeerClosedError.
   */
  readonly peer: RpcPeer<ClientMethods>
  /** The parameters in the contract's order, for a handler that forwards its call; undefined for an omitted one. */
  readonly positional: readonly (JsonValue | undefined)[]
  /** Position of the call in its batch; 0 for a single call. */
  readonly index: number
  /** Number of calls of the message: those of a batch, otherwise 1. */
  readonly calls: number
  /** True once the caller has disconnected. Reading it costs less than the signal. */
  readonly isDisconnected: boolean
  /**
   * Reserves memory for data that the handler holds, until the answer is sent.
   * @param bytes negative to release it
   * @returns false when the memory for all callers is used up; always true without the server's option `sharing`
   */
  readonly reserve: (bytes: number) => boolean
  /** Counts the request among the caller's concurrent ones until the work has ended, also after the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void
}
