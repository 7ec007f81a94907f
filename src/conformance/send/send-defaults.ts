/** What a sender does where nobody says otherwise. */
export const sendDefaults = {
  /** The longest `Retry-After` that is waited for; an answer that asks for more is handed on. */
  longestWaitMilliseconds: 60_000,
  /** How often one request is sent again because the service asked to wait. */
  waitsPerRequest: 3,
  /** An idle connection is closed before a server's usual five seconds end it under the next request. */
  idleConnectionMilliseconds: 4_000,
  /** Compressed bytes that are to be sent are looked into up to this size; larger ones are not sent. */
  inspectedBytes: 64 * 1024 * 1024,
  /** Codings that may lie within one another, in a request's or an answer's `content-encoding`. */
  codings: 3,
  userAgent: 'concordat-conform',
} as const
