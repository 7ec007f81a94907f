import { type JsonValue, RpcError } from '../rpc/index.js'

/** One way in which a request fails, as a contract states it under `x-failures`. */
export interface Failure {
  readonly code: number
  readonly message: string
  /** Status of the answer when the failure is the answer to the whole HTTP request. */
  readonly httpStatus: number
  /** `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /** True where the contract has no form for the data that the server would add: its message says it then. */
  readonly withoutData?: boolean | undefined
}

/** The failures that the server itself can end in. */
export type FailureId =
  | 'missingKey'
  | 'methodNotFound'
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

/** Every failure of the server with its code, text and status. */
export type Failures = { readonly [Id in FailureId]: Failure }

/** What a contract without `x-failures` answers: the codes and texts of JSON-RPC 2.0, section 5.1. */
export const defaultFailures: Failures = {
  missingKey: { code: -32600, message: 'Nothing is served at this path', httpStatus: 404 },
  methodNotFound: { code: -32601, message: 'Method not found', httpStatus: 200 },
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
}

/** What one occurrence of a failure adds to its contract's text. */
export interface FailureDetails {
  /** Appended to the message behind a colon. */
  readonly detail?: string
  readonly data?: JsonValue
  readonly cause?: unknown
}

/** Makes the error of a failure, with code, status and `Retry-After` of the contract. */
export function failureError(failure: Failure, details: FailureDetails = {}): RpcError {
  const { detail, cause } = details
  const { code, message, httpStatus, retryAfterSeconds, withoutData } = failure
  const data = withoutData ? undefined : details.data
  const text = detail === undefined ? message : `${message.replace(/[.:\s]+$/, '')}: ${detail}`
  return new RpcError({ code, message: text, httpStatus, retryAfterSeconds, data, cause })
}
