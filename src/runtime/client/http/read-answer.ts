import type { JsonValue } from '@concordat/rpc'
import type { ClientContract } from '../client-contract.js'
import type { Fault } from '../fault.js'
import type { Endpoint } from './endpoint.js'
import { errorFault } from './error-fault.js'
import { answerFault, type HttpAnswer, httpFacts } from './post-request.js'
import { type ReadResponse, readResponse, type Tolerances } from './read-response.js'

/** What the reading of answers depends on. */
export interface Reader {
  readonly contract: ClientContract
  readonly endpoint: Endpoint
  /** Counts accepted deviations. Undefined if none are accepted. */
  readonly tolerances: Tolerances | undefined
}

/** The result of a call, undefined for a method without a result. Or its fault. */
export type Answered = { readonly value: JsonValue | undefined } | Fault

/** The id of a sent call. Undefined for a call without a result. */
export type SentId = number | undefined

/** Parts of an answer to one call or several. */
export interface OpenedAnswer {
  /** Undefined if the body is not JSON. */
  readonly value: JsonValue | undefined
  /** True for an empty body with a success status. It answers calls without a result. */
  readonly isDone: boolean
  readonly read: (value: JsonValue | undefined) => ReadResponse
  /** Returns the result of a response, or its fault. */
  readonly answered: (read: ReadResponse) => Answered
}

/**
 * Reads the answer to one call (JSON-RPC 2.0, section 5).
 * @param reader the contract and endpoint
 * @param http the HTTP answer
 * @param id the id of the call
 */
export function readAnswer(reader: Reader, http: HttpAnswer, id: SentId): Answered {
  const { value, isDone, read, answered } = openAnswer(reader, http)
  if (isDone && id === undefined) return { value: undefined }
  const response = read(value)
  const isRefused = 'error' in response && response.id === null
  if (isRefused || 'problem' in response || response.id === id) return answered(response)
  // Redacted before it is cut, because a cut secret would not be recognized.
  const found = reader.endpoint.redact(JSON.stringify(response.id)).slice(0, 40)
  return answered({ id: null, problem: `the id ${found} instead of ${id ?? 'no answer'}` })
}

/** Parses an answer. */
export function openAnswer({ contract, endpoint, tolerances }: Reader, http: HttpAnswer): OpenedAnswer {
  const { status, headers } = http
  const isOk = status >= 200 && status <= 299
  const isEmpty = http.text.trim() === ''
  const value = parsed(http.text)
  const fault = (kind: 'http' | 'malformed', problem: string) => answerFault(endpoint, http, kind, problem)
  const malformed = (problem: string) => {
    // With an HTTP error status, JSON that does not answer the request is the page of a proxy.
    if (isOk && value !== undefined) {
      return fault('malformed', `answered JSON that does not match the request: ${problem}.`)
    }
    const content = isEmpty ? 'without a body' : `with ${headers.get('content-type')}`
    return fault('http', `answered HTTP ${status} ${content}, but no JSON-RPC. Check the URL and any proxy.`)
  }
  return {
    value,
    isDone: isOk && isEmpty,
    read: (item) => readResponse(item, tolerances),
    answered: (read) => {
      if ('problem' in read) return malformed(read.problem)
      if ('error' in read) return errorFault(contract, read.error, endpoint.redact, httpFacts(http))
      // A result with an error status may be an old one, from a cache in front of the service.
      return isOk ? { value: read.result } : fault('http', `answered a result with HTTP ${status}.`)
    },
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
