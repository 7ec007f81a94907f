import { type JsonValue, RpcError } from '@concordat/rpc'
import { defaultLimits, type Limits, positiveInteger } from './limits.js'

/** A limit and its unit, as errors state them. */
export interface Bound {
  readonly limit: number
  readonly unit: string
}

/** A failure of a request, as declared in `x-failures`. */
export interface Failure {
  /** Name of the failure, for logs and metrics. */
  readonly id?: string | undefined
  readonly code: number
  /** May contain placeholders. Errors about a limit fill in `{limit}`, `{unit}` and `{sent}`. */
  readonly message: string
  /** The exceeded limit. The message and `data` state it. */
  readonly bound?: Bound | undefined
  /** HTTP status if the failure concerns the whole HTTP request. */
  readonly httpStatus: number
  /** `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /** True if the server adds no `data` to this error, for example because the contract has no schema for it. */
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
  | 'cancelled'
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
  tooDeep: {
    code: -32600,
    message: 'The body is nested {sent} levels deep: the limit is {limit}',
    httpStatus: 400,
  },
  tooManyValues: {
    code: -32600,
    message: 'The body holds {sent} JSON values and members: the limit is {limit}',
    httpStatus: 413,
  },
  bodyTooLarge: { code: -32600, message: 'The body has {sent} bytes: the limit is {limit}', httpStatus: 413 },
  batchTooLarge: {
    code: -32600,
    message: 'The batch has {sent} requests: the limit is {limit}',
    httpStatus: 413,
  },
  slowBody: { code: -32600, message: 'The request did not arrive within {limit} seconds', httpStatus: 408 },
  headersTooLarge: {
    code: -32600,
    message: 'The headers are too large: {sent} {unit}, the limit is {limit}',
    httpStatus: 431,
  },
  unsupportedMediaType: {
    code: -32600,
    message: 'The body must be application/json in UTF-8, without content encoding',
    httpStatus: 415,
  },
  wrongVerb: { code: -32600, message: 'Only POST is served here', httpStatus: 405 },
  draining: { code: -32002, message: 'The server is stopping', httpStatus: 503, retryAfterSeconds: 1 },
  handlerFailed: { code: -32603, message: 'Internal error', httpStatus: 500 },
  deadlineExceeded: { code: -32603, message: 'The call took too long', httpStatus: 504 },
  cancelled: { code: -32800, message: 'Request cancelled', httpStatus: 499 },
  tooManyCallsAtOnce: {
    code: -32005,
    message: 'Too many calls at once: {sent} {unit} would wait, the limit is {limit}',
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
    message: 'The request waited for {limit} seconds and was not started',
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

/** The limit that each failure enforces, and its unit. */
const limitOf: { readonly [Id in FailureId]?: readonly [name: keyof Limits, unit: string] } = {
  tooDeep: ['nestingDepth', 'levels'],
  tooManyValues: ['bodyValues', 'values and members'],
  bodyTooLarge: ['bodyBytes', 'bytes'],
  batchTooLarge: ['batchItems', 'requests'],
  slowBody: ['requestTimeoutSeconds', 'seconds'],
  headersTooLarge: ['headerBytes', 'bytes'],
  tooManyCallsAtOnce: ['queuedRequestsPerUser', 'requests'],
  queuedTooLong: ['queueSeconds', 'seconds'],
}

/** Failures caused by the caller's other requests. They have no `data`: a smaller request would fail as well. */
const ofQueue: readonly FailureId[] = ['tooManyCallsAtOnce', 'queuedTooLong']

/**
 * Returns the failures of a server: those of its contract, and defaults for the rest. Adds the name of each failure and
 * the limit that it enforces.
 * @param stated failures of the contract
 * @param limits limits that the errors state
 * @throws RangeError for a status or a `Retry-After` that cannot be sent
 */
export function serverFailures(stated: Partial<Failures> = {}, limits: Limits = defaultLimits): Failures {
  const all = { ...defaultFailures, ...stated }
  const named = (Object.keys(defaultFailures) as FailureId[]).map((id) => {
    const [limit, unit = ''] = limitOf[id] ?? []
    checkFailure(id, all[id])
    return [
      id,
      {
        ...all[id],
        id,
        bound: limit && { limit: limits[limit], unit },
        ...(ofQueue.includes(id) && { withoutData: true }),
      },
    ] as const
  })
  return Object.fromEntries(named) as unknown as Failures
}

function checkFailure(id: FailureId, { httpStatus, retryAfterSeconds }: Failure): void {
  checkStatus(httpStatus, true, `failures.${id}: `)
  if (retryAfterSeconds !== undefined && retryAfterSeconds !== 0)
    positiveInteger(`failures.${id}.retryAfterSeconds`, retryAfterSeconds)
}

/** HTTP statuses of responses without a body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const withoutBody: readonly number[] = [204, 205, 304]

/**
 * Checks the HTTP status of an answer (RFC 9110, section 15).
 * @param hasBody true if the answer has a body, which some statuses forbid
 * @param place prefix of the message
 * @throws RangeError if the status is not an integer from 200 to 599, or forbids the body
 */
export function checkStatus(status: number, hasBody = true, place = ''): void {
  if (
    status >= 200 &&
    status <= 599 &&
    Number.isInteger(status) &&
    !(hasBody && withoutBody.includes(status))
  )
    return
  throw new RangeError(
    `${place}The HTTP status ${status} cannot be sent: use one from 200 to 599 for an answer with a body`,
  )
}

/** Details of one occurrence of a failure. */
export interface FailureDetails {
  /** Appended to the message after a colon, unless the message has placeholders. */
  readonly detail?: string
  /** Values by placeholder of the message: `{ method: 'm' }` replaces `{method}`. */
  readonly values?: Readonly<Record<string, string>>
  /** Amount in the request, in the unit of the limit; undefined if counting stopped at the limit. */
  readonly sent?: number
  /** Overrides the limit of a failure that has several limits. */
  readonly bound?: Bound
  readonly data?: JsonValue
  readonly cause?: unknown
}

/** Creates the error of a failure, with the contract's code, status and `Retry-After`. */
export function failureError(failure: Failure, details: FailureDetails = {}): RpcError {
  const { detail, cause, bound = failure.bound, sent } = details
  const { id, code, httpStatus, retryAfterSeconds, withoutData } = failure
  const values = { ...(bound && boundValues(bound, sent)), ...details.values }
  const exceeded = bound && { ...bound, ...(sent !== undefined && { sent }) }
  const data = withoutData ? undefined : (details.data ?? exceeded)
  const message = filled(failure.message, values)
  const isComplete = detail === undefined || message !== failure.message
  const text = isComplete ? message : `${message.replace(/[.:\s]+$/, '')}: ${detail}`
  return new RpcError({ failure: id, code, message: text, httpStatus, retryAfterSeconds, data, cause })
}

const boundValues = ({ limit, unit }: Bound, sent: number | undefined) => ({
  limit: String(limit),
  unit,
  sent: sent === undefined ? `more than ${limit}` : String(sent),
})

function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (braces, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : braces,
  )
}
