import type { JsonValue } from './json.js'

/** What an {@link RpcError} is made of. */
export interface RpcErrorOptions {
  /** The JSON-RPC error code, an integer. */
  readonly code: number
  /** One sentence for the person who reads the answer; it goes on the wire. */
  readonly message: string
  /** The error object's `data` member; left out of the answer when undefined. */
  readonly data?: JsonValue | undefined
  /** What went wrong underneath: for the log, never on the wire. */
  readonly cause?: unknown
  /** The name of the failure in the contract (`x-failures`): for logs and metrics, never on the wire. */
  readonly failure?: string | undefined
  /** HTTP status of the answer when the call stands alone, 200 when not given; inside a batch it has no effect. */
  readonly httpStatus?: number | undefined
  /** `Retry-After` in whole seconds, sent when the call stands alone. */
  readonly retryAfterSeconds?: number | undefined
}

/** The one error class: an error that a caller is meant to see (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: JsonValue | undefined
  readonly failure: string | undefined
  readonly httpStatus: number
  readonly retryAfterSeconds: number | undefined

  constructor(options: RpcErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    this.data = options.data
    this.failure = options.failure
    this.httpStatus = options.httpStatus ?? 200
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
