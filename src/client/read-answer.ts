import type { JsonValue } from '@concordat/rpc'
import { CallError } from './call-error.js'
import { type ClientContract, errorName } from './client-contract.js'
import type { Endpoint } from './endpoint.js'
import { called, type HttpAnswer } from './post-request.js'
import { type ReadResponse, type RpcErrorObject, readResponse } from './read-response.js'
import { redactJson } from './redactor.js'
import { TransportError } from './transport-error.js'

/** An HTTP answer and its context. */
export interface Received {
  readonly http: HttpAnswer
  readonly contract: ClientContract
  readonly endpoint: Endpoint
}

/** The outcome of one call, as in `Promise.allSettled`. */
export type Outcome<Result, Reason = unknown> =
  | { readonly status: 'fulfilled'; readonly value: Result }
  | { readonly status: 'rejected'; readonly reason: Reason }

/** A sent call. It has no id if no answer is expected. */
export interface SentCall {
  readonly method: string
  readonly id: number | undefined
}

/**
 * Reads the result of a single call.
 * @param received the HTTP answer
 * @param call the sent call
 * @throws CallError the error response of the service
 * @throws TransportError `http` or `malformed`
 */
export function readSingle(received: Received, call: SentCall): JsonValue | undefined {
  const { method, id } = call
  if (id === undefined) return readNothing(received, method)
  const value = jsonOf(received, method)
  const read = readResponse(value)
  if ('problem' in read) throw noResponse(received, method, read.problem)
  return resultOf(received, method, id, read)
}

/** Checks the answer to a notification: it must be empty. An error object concerns the whole request. */
function readNothing(received: Received, method: string): undefined {
  const { status, text } = received.http
  if (text.trim() === '' && status >= 200 && status <= 299) return undefined
  const read = readResponse(jsonOf(received, method))
  if ('error' in read) throw callError(received, method, read.error)
  throw noResponse(received, method, 'problem' in read ? read.problem : 'a result, to a notification')
}

/**
 * Reads the outcomes of the calls of a batch, in the order in which they were sent.
 * @param received the HTTP answer
 * @param calls the sent calls
 * @throws CallError when the whole batch was rejected
 * @throws TransportError `http` or `malformed` when the answer is not a batch response
 */
export function readBatch(received: Received, calls: readonly SentCall[]): readonly Outcome<unknown>[] {
  const { byId, withoutId } = calls.some(({ id }) => id !== undefined)
    ? responsesOf(received)
    : nothingOf(received)
  const errors = [...withoutId]
  return calls.map(({ method, id }) => {
    if (id === undefined) return { status: 'fulfilled', value: undefined }
    try {
      if (byId.has(id)) return { status: 'fulfilled', value: itemResult(received, { method, id }, byId) }
      // Errors without id belong to unanswered calls. They are assigned in order, and the last one to all
      // that remain.
      const error = errors.length > 1 ? errors.shift() : errors[0]
      if (error) throw callError(received, method, error)
      throw malformed(received, method, 'no response for this call')
    } catch (reason) {
      return { status: 'rejected', reason }
    }
  })
}

/** The responses of a batch. */
interface Answers {
  /** Responses by id. Undefined marks a duplicate id. */
  readonly byId: ReadonlyMap<JsonValue, ReadResponse | undefined>
  /** Errors whose id the server could not read (JSON-RPC 2.0, section 5), in the order received. */
  readonly withoutId: readonly RpcErrorObject[]
}

/** Reads the answer to a batch of notifications only, which should be empty. */
function nothingOf(received: Received): Answers {
  const { status, text } = received.http
  return text.trim() === '' && status >= 200 && status <= 299
    ? { byId: new Map(), withoutId: [] }
    : responsesOf(received)
}

function responsesOf(received: Received): Answers {
  const value = jsonOf(received, undefined)
  if (!isList(value)) {
    const read = readResponse(value)
    if ('error' in read) throw callError(received, undefined, read.error)
    throw noResponse(received, undefined, 'not a list of responses')
  }
  const byId = new Map<JsonValue, ReadResponse | undefined>()
  const withoutId: RpcErrorObject[] = []
  for (const item of value) {
    const read = readResponse(item)
    const id = 'problem' in read ? idOf(item) : read.id
    if (id === null && 'error' in read) withoutId.push(read.error)
    else byId.set(id, byId.has(id) ? undefined : read)
  }
  return { byId, withoutId }
}

function itemResult(
  received: Received,
  { method, id }: SentCall & { readonly id: number },
  byId: Answers['byId'],
): JsonValue {
  const read = byId.get(id)
  if (read === undefined) throw malformed(received, method, 'two responses for this call')
  if ('problem' in read) throw malformed(received, method, read.problem)
  return resultOf(received, method, id, read)
}

type Response = Exclude<ReadResponse, { readonly problem: string }>

function resultOf(received: Received, method: string, id: number, read: Response): JsonValue {
  const isUnread = 'error' in read && read.id === null
  if (read.id !== id && !isUnread) {
    // Redacted before it is cut, because a cut secret would not be recognized.
    const found = received.endpoint.redact(JSON.stringify(read.id)).slice(0, 40)
    throw malformed(received, method, `the id ${found} instead of ${id}`)
  }
  if ('error' in read) throw callError(received, method, read.error)
  return read.result
}

function callError(
  { http, contract, endpoint }: Received,
  method: string | undefined,
  { code, message, data }: RpcErrorObject,
): CallError {
  return new CallError({
    code,
    message: endpoint.redact(message),
    data: data === undefined ? undefined : redactJson(data, endpoint.redact),
    error: errorName(contract, code, method),
    method,
    httpStatus: http.status,
    retryAfterSeconds: http.retryAfterSeconds,
  })
}

function jsonOf(received: Received, method: string | undefined): JsonValue {
  try {
    return JSON.parse(received.http.text) as JsonValue
  } catch {
    throw notRpc(received, method)
  }
}

/**
 * Creates the error for JSON that is not a response object. With an HTTP error status it is the page of a
 * proxy.
 */
function noResponse(received: Received, method: string | undefined, problem: string): TransportError {
  const { status } = received.http
  return status >= 200 && status <= 299 ? malformed(received, method, problem) : notRpc(received, method)
}

function notRpc({ http, endpoint }: Received, method: string | undefined): TransportError {
  const { status, contentType, text } = http
  const content =
    text.trim() === '' ? 'without a body' : `with ${contentType ?? 'a body without a content type'}`
  const message = `${called(method)}: ${endpoint.origin} answered HTTP ${status} ${endpoint.redact(content)}, but no JSON-RPC. Check the URL and any proxy in front of the service.`
  return transportError('http', { http, endpoint }, method, message)
}

function malformed(
  { http, endpoint }: Omit<Received, 'contract'>,
  method: string | undefined,
  problem: string,
) {
  const message = `${called(method)}: ${endpoint.origin} returned JSON that does not answer the request: ${endpoint.redact(problem)}.`
  return transportError('malformed', { http, endpoint }, method, message)
}

function transportError(
  kind: 'http' | 'malformed',
  { http }: Omit<Received, 'contract'>,
  method: string | undefined,
  message: string,
): TransportError {
  const { status, retryAfterSeconds } = http
  return new TransportError({ kind, message, method, httpStatus: status, retryAfterSeconds })
}

function idOf(value: JsonValue): JsonValue {
  const hasId = typeof value === 'object' && value !== null && !isList(value) && Object.hasOwn(value, 'id')
  return hasId ? (value['id'] ?? null) : null
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
