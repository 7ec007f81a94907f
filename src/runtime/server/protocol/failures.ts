import { type JsonValue, RpcError } from '@concordat/rpc'

/** A failure of a request, as declared in `x-failures`. */
export interface Failure {
  /** Name of the failure, for logs and metrics. */
  readonly id?: string | undefined
  readonly code: number
  readonly message: string
  /** HTTP status if the failure concerns the whole HTTP request. */
  readonly httpStatus: number
  /** `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /**
   * True if the contract has no schema for the data that the server would add. The message then contains it.
   */
  readonly withoutData?: boolean | undefined
}

/** Failures that the server itself can report. */
export type FailureId =
  | 'missingKey'
  | 'methodNotFound'
  | 'forbidden'
  | 'invalidParams'
  | 'parseError'
  | 'invalidRequest'
  | 'tooDeep'
  | 'tooManyValues'
  | 'bodyTooLarge'
  | 'batchTooLarge'
  | 'slowBody'
  | 'headersTooLarge'
  | 'unsupportedMediaType'
  | 'wrongVerb'
  | 'draining'
  | 'handlerFailed'
  | 'deadlineExceeded'
  | 'tooManyCallsAtOnce'
  | 'tooManyLargeBodies'
  | 'queuedTooLong'
  | 'queueFull'
  | 'overloaded'

/** Code, message and status of every failure of the server. */
export type Failures = { readonly [Id in FailureId]: Failure }

/** Failures of a contract without `x-failures`: codes and messages of JSON-RPC 2.0, section 5.1. */
export const defaultFailures: Failures = {
  missingKey: { code: -32600, message: 'Nothing is served at this path', httpStatus: 404 },
  methodNotFound: { code: -32601, message: 'Method not found', httpStatus: 200 },
  forbidden: { code: -32016, message: 'Forbidden', httpStatus: 403 },
  invalidParams: { code: -32602, message: 'Invalid params', httpStatus: 200 },
  parseError: { code: -32700, message: 'Parse error', httpStatus: 400 },
  invalidRequest: { code: -32600, message: 'Invalid request', httpStatus: 400 },
  tooDeep: { code: -32600, message: 'The body is nested too deeply', httpStatus: 400 },
  tooManyValues: { code: -32600, message: 'The body holds too many JSON values', httpStatus: 413 },
  bodyTooLarge: { code: -32600, message: 'The body is too large', httpStatus: 413 },
  batchTooLarge: { code: -32600, message: 'The batch has too many requests', httpStatus: 413 },
  slowBody: { code: -32600, message: 'The request took too long to arrive', httpStatus: 408 },
  headersTooLarge: { code: -32600, message: 'The headers are too large', httpStatus: 431 },
  unsupportedMediaType: {
    code: -32600,
    message: 'The body must be application/json in UTF-8, without content encoding',
    httpStatus: 415,
  },
  wrongVerb: { code: -32600, message: 'Only POST is served here', httpStatus: 405 },
  draining: { code: -32002, message: 'The server is stopping', httpStatus: 503, retryAfterSeconds: 1 },
  handlerFailed: { code: -32603, message: 'Internal error', httpStatus: 500 },
  deadlineExceeded: { code: -32603, message: 'The call took too long', httpStatus: 504 },
  tooManyCallsAtOnce: {
    code: -32005,
    message: 'Too many calls at once',
    httpStatus: 429,
    retryAfterSeconds: 1,
  },
  tooManyLargeBodies: {
    code: -32005,
    message: 'Too many large requests at once',
    httpStatus: 429,
    retryAfterSeconds: 1,
  },
  queuedTooLong: {
    code: -32005,
    message: 'The request waited too long',
    httpStatus: 429,
    retryAfterSeconds: 1,
  },
  queueFull: {
    code: -32002,
    message: 'Too many requests are waiting',
    httpStatus: 503,
    retryAfterSeconds: 1,
  },
  overloaded: { code: -32002, message: 'The service is overloaded', httpStatus: 503, retryAfterSeconds: 1 },
}

/** Returns failures whose errors carry their names. */
export const withNames = (failures: Failures): Failures =>
  Object.fromEntries(Object.entries(failures).map(([id, failure]) => [id, { ...failure, id }])) as Failures

/** Details of one occurrence of a failure. */
export interface FailureDetails {
  /** Appended to the message after a colon, unless the message has placeholders. */
  readonly detail?: string
  /** Values by placeholder of the message: `{ method: 'm' }` replaces `{method}`. */
  readonly values?: Readonly<Record<string, string>>
  readonly data?: JsonValue
  readonly cause?: unknown
}

/** Creates the error of a failure, with the contract's code, status and `Retry-After`. */
export function failureError(failure: Failure, details: FailureDetails = {}): RpcError {
  const { detail, cause, values = {} } = details
  const { id, code, httpStatus, retryAfterSeconds, withoutData } = failure
  const data = withoutData ? undefined : details.data
  const message = filled(failure.message, values)
  const isComplete = detail === undefined || message !== failure.message
  const text = isComplete ? message : `${message.replace(/[.:\s]+$/, '')}: ${detail}`
  return new RpcError({ failure: id, code, message: text, httpStatus, retryAfterSeconds, data, cause })
}

function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (braces, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : braces,
  )
}
