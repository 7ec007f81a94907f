import { randomBytes } from 'node:crypto'
import { RpcError, type ValidationProblem } from '../rpc/index.js'
import { type Failures, failureError } from './failures.js'
import type { ErrorReport } from './protocol-options.js'

const REFERENCE_BYTES = 5

/** Turns what went wrong inside into what a caller may see, and tells the log the rest. */
export interface Reporter<Context> {
  /** The error for something thrown: an RpcError as it is, anything else as `handlerFailed`. */
  thrown(cause: unknown, method: string | undefined, context: Context | undefined): RpcError
  /** The error for a thrown RpcError that breaks the contract. */
  errorInvalid(
    cause: RpcError,
    problems: readonly ValidationProblem[],
    method: string,
    context: Context,
  ): RpcError
  /** The error for a result that breaks the contract. */
  resultInvalid(problems: readonly ValidationProblem[], method: string, context: Context): RpcError
}

/** Makes the reporter of one protocol handler; what `onError` throws is ignored. */
export function createReporter<Context>(
  failures: Failures,
  onError: ((report: ErrorReport<Context>) => void) | undefined,
): Reporter<Context> {
  function report(entry: ErrorReport<Context>): void {
    try {
      onError?.(entry)
    } catch {
      // A log that fails must not cost the caller the answer.
    }
  }

  function failed(entry: Omit<ErrorReport<Context>, 'reference'>): RpcError {
    const reference = randomBytes(REFERENCE_BYTES).toString('hex')
    report({ ...entry, reference })
    const { handlerFailed } = failures
    const told = handlerFailed.withoutData ? { detail: `reference ${reference}` } : { data: { reference } }
    return failureError(handlerFailed, { ...told, cause: entry.cause })
  }

  return {
    thrown(cause, method, context) {
      if (!(cause instanceof RpcError)) {
        return failed({ kind: 'handlerFailed', method, cause, problems: [], context })
      }
      if (cause.cause !== undefined) {
        report({ kind: 'errorWithCause', reference: undefined, method, cause, problems: [], context })
      }
      return cause
    },
    errorInvalid(cause, problems, method, context) {
      return failed({ kind: 'errorInvalid', method, cause, problems, context })
    },
    resultInvalid(problems, method, context) {
      return failed({ kind: 'resultInvalid', method, cause: undefined, problems, context })
    },
  }
}
