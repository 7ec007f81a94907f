import type { Reply, SubscriptionMethods } from './exchange.js'

/** A request over HTTP, or over a connection to a WebSocket or a program. */
export interface AttemptRequest {
  readonly verb: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** The subscription that this call starts. */
  readonly subscription?: SubscriptionMethods | undefined
  /** The case whose requests have a connection of their own. */
  readonly session?: number | undefined
  /** Pauses while the body is sent, each after a number of bytes. */
  readonly pauses: readonly { readonly at: number; readonly milliseconds: number }[]
}

/** Limits of one attempt. */
export interface AttemptLimits {
  /** Maximum size of the response body in bytes, both compressed and decompressed. */
  readonly maximumBytes: number
  readonly timeoutMilliseconds: number
  /** Aborts the attempt. */
  readonly signal: AbortSignal
}

/** The connections of one transport to services. */
export interface Connections {
  /**
   * Sends a request once and reads the whole response.
   * @throws StaleConnection if the server may never have read the request
   * @throws AnswerRefused or a network error; `transportTrouble` describes both
   */
  attempt(request: AttemptRequest, limits: AttemptLimits): Promise<Reply>
  close(): void
}
