import { type JsonValue, parseMessage, rawIds } from '@concordat/rpc'
import type { Reply } from './exchange.js'

/** Maximum nesting of a response: far deeper than any contract's results, and safe for recursion. */
const DEEPEST_NESTING = 512

/** A response as expectations see it. */
export interface ReplyView {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the body is not UTF-8. */
  readonly text: string | undefined
  /** Undefined if the body is not JSON or nested too deeply. */
  readonly json: JsonValue | undefined
  /** The ids exactly as written, one for each response. Undefined for a response without id. */
  readonly ids: readonly (string | undefined)[]
}

/** Parses the body of a response and keeps every digit of its ids. */
export function replyView(reply: Reply): ReplyView {
  const { status, headers, text } = reply
  const parsed = text === undefined ? 'parseError' : parseMessage(text, DEEPEST_NESTING)
  if (text === undefined || typeof parsed === 'string') {
    return { status, headers, text, json: undefined, ids: [] }
  }
  return { status, headers, text, json: parsed.value, ids: rawIds(text) }
}

/** Describes a body that is not JSON. */
export function describeNoJson(text: string | undefined, describe: (text: string) => string): string {
  if (text === undefined) return 'bytes that are not UTF-8'
  if (text === '') return 'an empty body'
  if (parseMessage(text, DEEPEST_NESTING) === 'tooDeep') return `JSON nested deeper than ${DEEPEST_NESTING}`
  return `a body that is not JSON: ${describe(text)}`
}
