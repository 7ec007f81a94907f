/**
 * Why no answer to the request came: `network` no connection, or one that broke; `timeout` not in time; `http` an
 * HTTP answer that is no JSON-RPC, such as a proxy's page; `malformed` JSON that is no answer to this request.
 */
export type TransportTrouble = 'network' | 'timeout' | 'http' | 'malformed'

/** What a {@link TransportError} is made of. */
export interface TransportErrorOptions {
  readonly kind: TransportTrouble
  readonly message: string
  readonly method?: string | undefined
  readonly httpStatus?: number | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** No answer to the request came: nobody knows whether it was carried out. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportTrouble
  /** The method that was called; undefined for a whole batch. */
  readonly method: string | undefined
  /** HTTP status of what was answered, undefined where nothing was. */
  readonly httpStatus: number | undefined
  /** The answer's `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(options: TransportErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = options.kind
    this.method = options.method
    this.httpStatus = options.httpStatus
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
