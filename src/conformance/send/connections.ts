import type { Reply, SubscriptionMethods } from './exchange.js'

/** A request over HTTP or a WebSocket. */
export interface AttemptRequest {
  readonly verb: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** The subscription that this call starts. */
  readonly subscription?: SubscriptionMethods | undefined
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

/** Connections to services, with keep-alive and a bounded number. */
export interface Connections {
  /**
   * Sends a request once and reads the whole response.
   * @throws StaleConnection if the server may never have read the request
   * @throws other errors that `transportTrouble` describes
   */
  attempt(request: AttemptRequest, limits: AttemptLimits): Promise<Reply>
  close(): void
}
