import type { JsonValue } from '../rpc/json.js'
import { CallError } from './call-error.js'
import { type ClientContract, errorName } from './client-contract.js'
import type { Endpoint } from './endpoint.js'
import { called, type HttpAnswer } from './exchange.js'
import { type ReadResponse, type RpcErrorObject, readResponse } from './read-response.js'
import { redactJson } from './redactor.js'
import { TransportError } from './transport-error.js'

/** An HTTP answer, and what is known of where it came from. */
export interface Received {
  readonly http: HttpAnswer
  readonly contract: ClientContract
  readonly endpoint: Endpoint
}

/** What became of one call: as `Promise.allSettled` tells it. */
export type Outcome<Result, Reason = unknown> =
  | { readonly status: 'fulfilled'; readonly value: Result }
  | { readonly status: 'rejected'; readonly reason: Reason }

/** A call that waits for its answer; without id where nothing is answered. */
export interface SentCall {
  readonly method: string
  readonly id: number | undefined
}

/**
 * The result of a call that was sent alone.
 * @throws CallError the error that was answered
 * @throws TransportError `http` or `malformed`
 */
export function readSingle(received: Received, { method, id }: SentCall): JsonValue | undefined {
  if (id === undefined) return readNothing(received, method)
  const value = jsonOf(received, method)
  const read = readResponse(value)
  if ('problem' in read) throw noResponse(received, method, read.problem)
  return resultOf(received, method, id, read)
}

/** A notification has no answer; an error object in its place is one of the whole request. */
function readNothing(received: Received, method: string): undefined {
  const { status, text } = received.http
  if (text.trim() === '' && status >= 200 && status <= 299) return undefined
  const read = readResponse(jsonOf(received, method))
  if ('error' in read) throw callError(received, method, read.error)
  throw noResponse(received, method, 'problem' in read ? read.problem : 'a result, to a notification')
}

/**
 * What became of the calls of a batch, by their ids, in the order in which they were sent.
 * @throws CallError where the batch was refused as a whole
 * @throws TransportError `http` or `malformed` where the answer is none to a batch
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
      // Servers answer in order: the errors go to the calls without an answer one by one, the last to all that remain.
      const error = errors.length > 1 ? errors.shift() : errors[0]
      if (error) throw callError(received, method, error)
      throw malformed(received, method, 'no answer to this call')
    } catch (reason) {
      return { status: 'rejected', reason }
    }
  })
}

/** The answers of a batch. */
interface Answers {
  /** By their ids; `undefined` stands where an id came twice. */
  readonly byId: ReadonlyMap<JsonValue, ReadResponse | undefined>
  /** Errors whose id the server could not read (JSON-RPC 2.0, section 5), in the order in which they came. */
  readonly withoutId: readonly RpcErrorObject[]
}

/** Notifications alone are answered by nothing. */
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
    throw noResponse(received, undefined, 'no list of answers')
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
  if (read === undefined) throw malformed(received, method, 'two answers to this call')
  if ('problem' in read) throw malformed(received, method, read.problem)
  return resultOf(received, method, id, read)
}

type Response = Exclude<ReadResponse, { readonly problem: string }>

function resultOf(received: Received, method: string, id: number, read: Response): JsonValue {
  const isUnread = 'error' in read && read.id === null
  if (read.id !== id && !isUnread) {
    // Cut last: a piece of a secret is not known for one.
    const came = received.endpoint.redact(JSON.stringify(read.id)).slice(0, 40)
    throw malformed(received, method, `the id ${came} in place of ${id}`)
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

/** JSON that is no response object: with an HTTP status of failure it is somebody else's page. */
function noResponse(received: Received, method: string | undefined, problem: string): TransportError {
  const { status } = received.http
  return status >= 200 && status <= 299 ? malformed(received, method, problem) : notRpc(received, method)
}

function notRpc({ http, endpoint }: Received, method: string | undefined): TransportError {
  const { status, contentType, text } = http
  const what = text.trim() === '' ? 'without a body' : `with ${contentType ?? 'a body of no type'}`
  const message = `${called(method)}: ${endpoint.origin} answered HTTP ${status} ${endpoint.redact(what)}, and no JSON-RPC. Check the URL, and what stands before the service.`
  return transportError('http', { http, endpoint }, method, message)
}

function malformed(
  { http, endpoint }: Omit<Received, 'contract'>,
  method: string | undefined,
  problem: string,
) {
  const message = `${called(method)}: ${endpoint.origin} answered JSON that is no answer to the request: ${endpoint.redact(problem)}.`
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
