import type { JsonValue } from './json.js'

/** The parts of an {@link RpcError}. */
export interface RpcErrorOptions {
  /** The JSON-RPC error code, an integer. */
  readonly code: number
  /** One sentence for the caller. It is sent on the wire. */
  readonly message: string
  /** The error's `data`. Omitted from the response if undefined. */
  readonly data?: JsonValue | undefined
  /** The underlying error. It is logged and never sent. */
  readonly cause?: unknown
  /** Name of the failure in the contract (`x-failures`), for logs and metrics. It is never sent. */
  readonly failure?: string | undefined
  /** HTTP status of the response to a single call, 200 by default. It has no effect in a batch. */
  readonly httpStatus?: number | undefined
  /** `Retry-After` in whole seconds for a single call. */
  readonly retryAfterSeconds?: number | undefined
}

/** An error that is sent to the caller (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  declare readonly code: number
  declare readonly data: JsonValue | undefined
  declare readonly failure: string | undefined
  declare readonly httpStatus: number
  declare readonly retryAfterSeconds: number | undefined

  /** Classes that extend this one may pass members of their own. */
  constructor({ message, cause, httpStatus = 200, ...members }: RpcErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, members, { httpStatus })
  }
}
