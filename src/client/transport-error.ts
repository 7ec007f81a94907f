/**
 * Why no answer to the request came: `network`, no connection or a broken one; `timeout`, not in time; `http`, an
 * HTTP answer without JSON-RPC, such as a proxy's page or a redirect; `malformed`, an answer that does not fit the
 * request, is not UTF-8, or is too large.
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

/** The same in every copy of the package, so that each recognises the errors of the others. */
const brand = Symbol.for('concordat.TransportError')

/** No answer to the request came. Whether the server carried it out is unknown. */
export class TransportError extends Error {
  static {
    Object.defineProperty(TransportError.prototype, brand, { value: true })
  }
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

/** True for a {@link TransportError} of any copy of this package, or only for one of that kind. */
export function isTransportError(error: unknown, kind?: TransportTrouble): error is TransportError {
  return (
    error instanceof Error && brand in error && (kind === undefined || Reflect.get(error, 'kind') === kind)
  )
}
