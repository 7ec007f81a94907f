import { randomBytes } from 'node:crypto'
import { RpcError, type ValidationProblem } from '@concordat/rpc'
import { errorAnswer, type ItemAnswer } from './encode-answer.js'
import { checkStatus, type Failures, failureError } from './failures.js'
import type { ErrorReport } from './protocol-options.js'

const REFERENCE_BYTES = 5

/** The abort reason of a call that exceeded its deadline. */
export class DeadlineError extends DOMException {
  constructor() {
    super('The deadline of the call has passed', 'TimeoutError')
  }
}

/** The abort reason of a call that its caller has cancelled (`x-cancels`). */
export class CancelledError extends DOMException {
  /** False if nothing is sent after the cancellation. */
  readonly isAnswered: boolean

  constructor(isAnswered: boolean) {
    super('The caller has cancelled the call', 'AbortError')
    this.isAnswered = isAnswered
  }
}

/** Turns internal errors into errors that callers may see, and reports the details. */
export interface Reporter<Context> {
  /**
   * Returns an RpcError unchanged. Converts an exceeded deadline to `deadlineExceeded`, a cancellation to `cancelled`,
   * and other values to `handlerFailed`.
   */
  thrown(cause: unknown, method: string | undefined, context: Context | undefined): RpcError
  /** Creates the error for a result or a thrown RpcError that violates the contract. */
  invalid(
    kind: 'resultInvalid' | 'errorInvalid',
    problems: readonly ValidationProblem[],
    details: Pick<ErrorReport<Context>, 'method' | 'cause' | 'context'>,
  ): RpcError
}

/** Creates the reporter of one protocol handler. Errors thrown by `onError` are ignored. */
export function createReporter<Context>(
  failures: Failures,
  onError: ((report: ErrorReport<Context>) => void) | undefined,
): Reporter<Context> {
  function report(entry: ErrorReport<Context>): void {
    try {
      onError?.(entry)
    } catch {
      // The caller gets an answer even when logging fails.
    }
  }

  function failed(entry: Omit<ErrorReport<Context>, 'reference'>): RpcError {
    const reference = randomBytes(REFERENCE_BYTES).toString('hex')
    report({ ...entry, reference })
    const { handlerFailed } = failures
    const referenceDetails = handlerFailed.withoutData
      ? { detail: `reference ${reference}` }
      : { data: { reference } }
    return failureError(handlerFailed, { ...referenceDetails, cause: entry.cause })
  }

  return {
    thrown(cause, method, context) {
      if (isDeadline(cause)) return failureError(failures.deadlineExceeded)
      if (cause instanceof CancelledError) return failureError(failures.cancelled)
      if (!(cause instanceof RpcError)) {
        return failed({ kind: 'handlerFailed', method, cause, problems: [], context })
      }
      if (cause.cause !== undefined) {
        report({ kind: 'errorWithCause', reference: undefined, method, cause, problems: [], context })
      }
      return cause
    },
    invalid: (kind, problems, details) => failed({ kind, problems, ...details }),
  }
}

/** True for a deadline's abort reason, or an error caused by it, such as the AbortError of Node's timers. */
function isDeadline(cause: unknown): boolean {
  return cause instanceof DeadlineError || (cause instanceof Error && cause.cause instanceof DeadlineError)
}

/** Writes the response with an error. An error with an invalid HTTP status, or `data` that is not JSON, is reported as a failed handler. */
export function reportedErrorAnswer<Context>(
  idText: string | undefined,
  error: RpcError,
  reporter: Reporter<Context>,
): ItemAnswer {
  try {
    checkStatus(error.httpStatus)
    return errorAnswer(idText, error)
  } catch (cause) {
    return errorAnswer(idText, reporter.thrown(cause, undefined, undefined))
  }
}
