import type { JsonObject, JsonValue } from './json.js'
import { isLongText, type RawId } from './parse-message.js'
import type { RpcError } from './rpc-error.js'

/** The accepted forms of request envelopes. Plain JSON-RPC 2.0 is `{ idRequired: false }`. */
export interface EnvelopeRules {
  /** True if requests need an id. False if requests without id are notifications, and `null` is an id. */
  readonly idRequired: boolean
  /** Regular expression for the whole text of a numeric id. By default any JSON number is accepted. */
  readonly idPattern?: string
  /** False if strings are not accepted as ids. */
  readonly stringIds?: boolean
  /**
   * False if null for an optional parameter of a list is checked like any other value. By default it counts as absent,
   * unless the parameter's schema accepts null.
   */
  readonly nullIsAbsent?: boolean
}

/** A request with a valid envelope. */
export interface RpcRequest {
  /** The id as JSON text. Undefined for a notification. */
  readonly idText: string | undefined
  readonly method: string
  /** A list, an object, or undefined if absent. */
  readonly params: readonly JsonValue[] | JsonObject | undefined
}

/** A request with an invalid envelope. */
export interface EnvelopeProblem {
  /** The id for the response as JSON text: the caller's if it is readable, otherwise `null`. */
  readonly idText: string
  /** The problem in words. */
  readonly problem: string
}

/** Validates the envelope of one request (JSON-RPC 2.0, section 4; specification 2.2). */
export type ReadRequest = (item: JsonValue, rawId: RawId) => RpcRequest | EnvelopeProblem

interface Envelope {
  readonly jsonrpc?: JsonValue
  readonly id?: JsonValue
  readonly method?: JsonValue
  readonly params?: JsonValue
}

const NO_ID = 'null'

/** Creates the envelope validation for a contract's rules. */
export function createReadRequest(rules: EnvelopeRules): ReadRequest {
  const pattern = rules.idPattern === undefined ? undefined : new RegExp(`^(?:${rules.idPattern})$`)

  function readId(id: JsonValue | undefined, rawId: RawId): string | undefined {
    switch (typeof id) {
      case 'string':
        if (rules.stringIds === false) return undefined
        return rawId !== undefined && isLongText(id) ? rawId : JSON.stringify(id)
      case 'number': {
        const text = rawId ?? String(id)
        return pattern === undefined || pattern.test(text) ? text : undefined
      }
      default:
        return id === null && !rules.idRequired ? NO_ID : undefined
    }
  }

  const idForms = [
    rules.idPattern === undefined ? 'a number' : `a number that matches ${rules.idPattern}`,
    ...(rules.stringIds === false ? [] : ['a string']),
    ...(rules.idRequired ? [] : ['null']),
  ]
  const idWords = `the id must be ${idForms.join(' or ')}`

  return function readRequest(item, rawId) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return { idText: NO_ID, problem: 'a request is an object' }
    }
    const { jsonrpc, id, method, params } = item as Envelope
    const idText = readId(id, rawId)
    if (idText === undefined && (rules.idRequired || id !== undefined)) {
      const problem = id === undefined ? 'the id is missing' : idWords
      return { idText: NO_ID, problem }
    }
    const problem = envelopeProblem(jsonrpc, method, params)
    if (problem !== undefined) return { idText: idText ?? NO_ID, problem }
    return { idText, method: method as string, params: params as RpcRequest['params'] }
  }
}

/** Returns the id of a rejected request, or `null` if it is absent or unreadable. */
export function idTextOf(request: RpcRequest | EnvelopeProblem): string {
  return request.idText ?? NO_ID
}

function envelopeProblem(
  jsonrpc: JsonValue | undefined,
  method: JsonValue | undefined,
  params: JsonValue | undefined,
): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"'
  if (typeof method !== 'string') return 'method must be a string'
  if (params === undefined || (typeof params === 'object' && params !== null)) return undefined
  return 'params must be a list or an object, as the method requires'
}

/**
 * Returns the text before a result; `}` follows the result (JSON-RPC 2.0, section 5).
 * @param idText the id as JSON text
 */
export function resultHead(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":`
}

/**
 * Encodes an error response with code, message and data, but without cause and stack (JSON-RPC 2.0, section
 * 5.1).
 * @param idText the id as JSON text, `null` if the request's id is unreadable
 * @param error the error
 * @throws the error of `JSON.stringify` when `data` is not JSON
 */
export function errorResponse(idText: string, error: RpcError): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code, message, data })}}`
}

/**
 * A JSON text that is sent without parsing, such as a node's answer or a document. Its creator guarantees
 * that it is one valid JSON value.
 */
export class RawJson {
  /** The text, as a string or in UTF-8. */
  readonly text: string | Uint8Array

  constructor(text: string | Uint8Array) {
    this.text = text
  }
}

/** A text that is produced in chunks. The reader must read it to the end or cancel it. */
export interface JsonSource {
  /**
   * Returns the next chunk, or undefined at the end. A chunk is valid until the next call. Rejects if the
   * rest is not available.
   */
  next(): Promise<Uint8Array | undefined>
  /** Stops reading. Has no effect after the end. */
  cancel(): void
}

/**
 * A JSON text too large for memory, in UTF-8. It is sent while it is produced, so a late failure can only
 * close the connection.
 */
export class RawJsonStream {
  readonly source: JsonSource

  constructor(source: JsonSource) {
    this.source = source
  }
}
