import type { JsonValue } from '@concordat/rpc'
import { CallError } from '../call-error.js'
import { type ClientContract, errorName } from '../client-contract.js'
import { type Fault, transportFault } from '../fault.js'
import type { Endpoint } from './endpoint.js'
import { type HttpAnswer, retryAfterSeconds } from './post-request.js'
import { type ReadResponse, type RpcErrorObject, readResponse, type Tolerances } from './read-response.js'
import { redactJson } from './redactor.js'

/** What the reading of answers depends on. */
export interface Reader {
  readonly contract: ClientContract
  readonly endpoint: Endpoint
  /** Counts accepted deviations. Undefined if none are accepted. */
  readonly tolerances: Tolerances | undefined
}

/** The result of a call, undefined for a method without a result. Or its fault. */
export type Answered = { readonly value: JsonValue | undefined } | Fault

/**
 * Reads an answer (JSON-RPC 2.0, sections 5 and 6).
 * @param reader the contract and endpoint
 * @param http the HTTP answer
 * @param ids the ids of the sent calls. Calls without a result have none.
 * @param isBatch true if the request was a list
 * @returns what each call was answered, or the fault of the whole request
 */
export function readAnswer(
  reader: Reader,
  http: HttpAnswer,
  ids: readonly (number | undefined)[],
  isBatch: boolean,
): readonly Answered[] | Fault {
  const faults = faultsOf(reader, http)
  const nothing = { value: undefined }
  if (http.text.trim() === '' && isOk(http) && ids.every((id) => id === undefined))
    return ids.map(() => nothing)
  let value: JsonValue
  try {
    value = JSON.parse(http.text) as JsonValue
  } catch {
    return faults.noRpc()
  }
  const answered = (read: ReadResponse): Answered => {
    if ('problem' in read) return faults.malformed(read.problem)
    if ('error' in read) return faults.refused(read.error)
    return isOk(http) ? { value: read.result } : faults.unavailable()
  }
  if (isBatch && Array.isArray(value)) {
    const responseTo = responsesById(value.map((item) => readResponse(item, reader.tolerances)))
    return ids.map((id) => (id === undefined ? nothing : answered(responseTo(id))))
  }
  const read = readResponse(value, reader.tolerances)
  if ('error' in read && (isBatch || read.id === null)) return faults.refused(read.error)
  if (isBatch) return faults.malformed('not a list of responses')
  if ('problem' in read || read.id === ids[0]) return [answered(read)]
  // Redacted before it is cut, because a cut secret would not be recognized.
  const found = reader.endpoint.redact(JSON.stringify(read.id)).slice(0, 40)
  return faults.malformed(ids[0] ? `the id ${found} instead of ${ids[0]}` : 'a result, to a notification')
}

/**
 * Returns a function that finds the response to a call. Errors without id belong to unanswered calls: they
 * are assigned in order, and the last one to all that remain.
 */
function responsesById(responses: readonly ReadResponse[]): (id: number) => ReadResponse {
  const byId = new Map<JsonValue, ReadResponse>()
  const withoutId: ReadResponse[] = []
  for (const read of responses) {
    if (read.id === null) withoutId.push(...('error' in read ? [read] : []))
    else byId.set(read.id, byId.has(read.id) ? { id: null, problem: 'two responses for this call' } : read)
  }
  return (id) =>
    byId.get(id) ??
    (withoutId.length > 1 ? withoutId.shift() : withoutId[0]) ?? { id, problem: 'no response for this call' }
}

function isOk({ status }: HttpAnswer): boolean {
  return status >= 200 && status <= 299
}

/** Returns functions that create the faults of an answer. */
function faultsOf({ contract, endpoint: { origin, redact } }: Reader, http: HttpAnswer) {
  const { status: httpStatus } = http
  const unusable = (kind: 'http' | 'malformed', message: string): Fault =>
    transportFault({
      kind,
      httpStatus,
      retryAfterSeconds: retryAfterSeconds(http),
      message: `${origin} ${redact(message)}`,
    })
  const noRpc = () => {
    const type = http.headers.get('content-type') ?? 'a body without a content type'
    const content = http.text.trim() === '' ? 'without a body' : `with ${type}`
    const advice = 'but no JSON-RPC. Check the URL and any proxy in front of the service.'
    return unusable('http', `answered HTTP ${httpStatus} ${content}, ${advice}`)
  }
  return {
    noRpc,
    /** The result may be an old one, from a cache in front of the service. */
    unavailable: () => unusable('http', `answered a result with HTTP ${httpStatus}.`),
    /** With an HTTP error status, JSON that does not answer the request is the page of a proxy. */
    malformed: (problem: string) =>
      isOk(http)
        ? unusable('malformed', `returned JSON that does not answer the request: ${problem}.`)
        : noRpc(),
    refused:
      ({ code, message, data }: RpcErrorObject): Fault =>
      (method) =>
        new CallError({
          code,
          message: redact(message),
          data: data === undefined ? undefined : redactJson(data, redact),
          error: errorName(contract, code, method),
          method,
          httpStatus,
          retryAfterSeconds: retryAfterSeconds(http),
        }),
  }
}
