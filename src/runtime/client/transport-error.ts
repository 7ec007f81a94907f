import type { ValidationProblem } from '@concordat/rpc'

/**
 * Why no valid answer was received. `network`: no connection, or it broke. `timeout`: too late. `http`: an
 * HTTP answer without JSON-RPC, such as a proxy's page or a redirect. `malformed`: an answer that does not
 * match the request, is not UTF-8, or is too large. `invalid`: a result that `validate` or `decode` refuses.
 */
export type TransportTrouble = 'network' | 'timeout' | 'http' | 'malformed' | 'invalid'

/** The parts of a {@link TransportError}. */
export interface TransportErrorOptions {
  readonly kind: TransportTrouble
  readonly message: string
  readonly method?: string | undefined
  readonly httpStatus?: number | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly problem?: ValidationProblem | undefined
  readonly cause?: unknown
}

/** Shared by all copies of the package, so that each recognizes the errors of the others. */
const brand = Symbol.for('concordat.TransportError')

/** No valid answer was received. The server may have executed the request. */
export class TransportError extends Error {
  static {
    Object.assign(TransportError.prototype, { [brand]: true })
  }
  override readonly name = 'TransportError'
  declare readonly kind: TransportTrouble
  /** The called method. Undefined for a batch. */
  declare readonly method: string | undefined
  /** HTTP status of the answer. Undefined if there was none. */
  declare readonly httpStatus: number | undefined
  /** The answer's `Retry-After`, in seconds. */
  declare readonly retryAfterSeconds: number | undefined
  /** The first problem of an `invalid` result, with its path in the result. */
  declare readonly problem: ValidationProblem | undefined

  constructor({ message, cause, ...members }: TransportErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, members)
  }
}

/** Returns true for a {@link TransportError} of any copy of this package, optionally of the given kind. */
export function isTransportError(error: unknown, kind?: TransportTrouble): error is TransportError {
  return (
    error instanceof Error &&
    brand in error &&
    (kind === undefined || (error as Partial<TransportError>).kind === kind)
  )
}

/** Creates the error for a result that is received and not usable. */
export function invalidResult(method: string, problem: ValidationProblem): TransportError {
  const place = problem.path === '' ? '' : ` at ${problem.path}`
  const message = `${method}: the result${place} is invalid: ${problem.message}`
  return new TransportError({ kind: 'invalid', message, method, problem })
}
