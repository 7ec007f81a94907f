import {
  errorResponse,
  type JsonSource,
  type MethodDescriptor,
  RawJson,
  type RawJsonStream,
  type RpcError,
  resultHead,
} from '@concordat/rpc'
import { type Failure, type FailureDetails, failureError } from './failures.js'
import type { CallResult } from './protocol-options.js'

/** The text of an answer: complete, where bytes are in UTF-8, or a source that is streamed. */
export type AnswerText = string | Uint8Array | JsonSource

/** The answer to an HTTP request. Its body is `application/json`, or null for an empty body (204). */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AnswerText | null
}

/** The response to one request: its text, undefined for a notification, and its error. */
export interface ItemAnswer {
  readonly text: AnswerText | undefined
  readonly error: RpcError | undefined
}

/** True for a streamed text. */
export const isSource = (text: AnswerText | null): text is JsonSource =>
  typeof text === 'object' && text !== null && 'next' in text

/** The syntax of a header name (RFC 9110, section 5.1). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
/** Characters that a header value cannot have (RFC 9110, section 5.5). */
const notInValues = /[^\t\x20-\x7e\x80-\xff]/
/** Valid names seen so far. Applications send the same few names with every answer. */
const knownNames = new Set<string>()
const knownNamesAtMost = 256

/**
 * Checks the headers of an answer (RFC 9110, section 5). An invalid value could break the answer or inject a header.
 * @throws TypeError for an invalid name or value
 */
export function checkHeaders(headers: Answer['headers'] | undefined): void {
  for (const name in headers) {
    const isKnown = knownNames.has(name)
    if ((!isKnown && !headerName.test(name)) || notInValues.test(headers[name] ?? ''))
      throw new TypeError(
        `The header ${JSON.stringify(name)} cannot be sent: its name or its value is not allowed`,
      )
    if (!isKnown && knownNames.size < knownNamesAtMost) knownNames.add(name)
  }
}

/**
 * Writes the response with an error.
 *
 * @param idText the id as JSON text, undefined for a notification, which gets no response
 * @throws the error of `JSON.stringify` when the error's `data` is not JSON
 */
export function errorAnswer(idText: string | undefined, error: RpcError): ItemAnswer {
  return { text: idText === undefined ? undefined : errorResponse(idText, error), error }
}

/**
 * Writes the response with a result; the result's own text is unchanged.
 *
 * @param idText the id as JSON text, undefined for a notification, which gets no response
 */
export function resultAnswer(idText: string | undefined, text: AnswerText): ItemAnswer {
  if (idText === undefined) return { text: undefined, error: undefined }
  const head = resultHead(idText)
  if (typeof text === 'string') return { text: `${head}${text}}`, error: undefined }
  return { text: joinTexts([head, text, '}']), error: undefined }
}

/**
 * Writes a result as JSON; raw JSON is unchanged.
 *
 * @throws TypeError for values that JSON does not support: undefined, functions, BigInt, cycles, an empty raw
 * text
 */
export function resultText(
  method: MethodDescriptor,
  result: Exclude<CallResult, RawJsonStream>,
): string | Uint8Array {
  if (result instanceof RawJson) {
    if (result.text.length === 0) throw new TypeError('The raw result is empty')
    return result.text
  }
  if (result === undefined && method.notification) return 'null'
  const text: string | undefined = JSON.stringify(result)
  if (text === undefined) throw new TypeError('The result is not a JSON value')
  return text
}

const noContent = 204
const noHeaders: Answer['headers'] = Object.freeze({})

/** The HTTP answer with one response: the error determines the status and `Retry-After`. */
export function singleAnswer({ text, error }: ItemAnswer, headers = noHeaders): Answer {
  if (text === undefined) return { status: noContent, headers, body: null }
  if (error === undefined) return { status: 200, headers, body: text }
  const { httpStatus, retryAfterSeconds } = error
  if (retryAfterSeconds === undefined) return { status: httpStatus, headers, body: text }
  return { status: httpStatus, headers: { ...headers, 'retry-after': String(retryAfterSeconds) }, body: text }
}

/** The HTTP answer to a request that fails before its body is read. */
export function failureAnswer(failure: Failure, details?: FailureDetails): Answer {
  return singleAnswer(errorAnswer('null', failureError(failure, details)))
}

/** The HTTP answer to a batch: always 200, or 204 for a batch of notifications (JSON-RPC 2.0, section 6). */
export function batchAnswer(answers: readonly ItemAnswer[], headers = noHeaders): Answer {
  const texts = answers.flatMap(({ text }) => (text === undefined ? [] : [text]))
  if (texts.length === 0) return { status: noContent, headers, body: null }
  if (texts.every((text) => typeof text === 'string'))
    return { status: 200, headers, body: `[${texts.join(',')}]` }
  const separated = texts.flatMap((text, index) => [index === 0 ? '[' : ',', text])
  return { status: 200, headers, body: joinTexts([...separated, ']']) }
}

/** Joins texts; the result is a source only if one of the texts is a source. */
function joinTexts(texts: readonly AnswerText[]): AnswerText {
  if (texts.every((text) => typeof text === 'string')) return texts.join('')
  if (texts.some(isSource)) return new JoinedSource(texts)
  return Buffer.concat(texts.map(bytesOf))
}

const nothing = new Uint8Array(0)

function bytesOf(text: AnswerText): Uint8Array {
  if (isSource(text)) return nothing
  return typeof text === 'string' ? Buffer.from(text) : text
}

/** Several texts as one source. */
class JoinedSource implements JsonSource {
  readonly #texts: AnswerText[]

  constructor(texts: readonly AnswerText[]) {
    this.#texts = [...texts]
  }

  async next(): Promise<Uint8Array | undefined> {
    for (let text = this.#texts[0]; text !== undefined; text = this.#texts[0]) {
      if (!isSource(text)) {
        this.#texts.shift()
        return bytesOf(text)
      }
      const piece = await text.next()
      if (piece !== undefined) return piece
      this.#texts.shift()
    }
    return undefined
  }

  cancel(): void {
    for (const text of this.#texts.splice(0)) if (isSource(text)) text.cancel()
  }
}

/** Reads a whole text into memory. */
export async function wholeText(text: AnswerText): Promise<string | Uint8Array> {
  if (!isSource(text)) return text
  const pieces: Uint8Array[] = []
  for (let piece = await text.next(); piece !== undefined; piece = await text.next())
    pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces)
}

/**
 * Wraps a source so that the end of reading is reported once.
 * @param ended called once, with the reason after a failed read, otherwise without arguments
 */
export function reportEnd(
  source: JsonSource,
  ended: (failure?: { readonly reason: unknown }) => void,
): JsonSource {
  let hasEnded = false
  const end = (failure?: { readonly reason: unknown }) => {
    if (hasEnded) return
    hasEnded = true
    ended(failure)
  }
  return {
    async next() {
      try {
        const piece = await source.next()
        if (piece === undefined) end()
        return piece
      } catch (reason) {
        end({ reason })
        throw reason
      }
    },
    cancel() {
      source.cancel()
      end()
    },
  }
}
