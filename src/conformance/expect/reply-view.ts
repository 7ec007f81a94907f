import { type JsonValue, parseMessage, rawIds } from '../../rpc/index.js'
import type { Reply } from '../send/exchange.js'

/** How deep an answer may nest: far beyond any contract's results, far below what recursion bears. */
const DEEPEST_NESTING = 512

/** An answer as expectations look at it. */
export interface ReplyView {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where the body is no UTF-8. */
  readonly text: string | undefined
  /** Undefined where the body is no JSON, or nests deeper than an answer may. */
  readonly json: JsonValue | undefined
  /** The ids as they are written, one for each answer; undefined where an answer has none. */
  readonly ids: readonly (string | undefined)[]
}

/** Reads the body of an answer, keeping every id digit for digit. */
export function replyView(reply: Reply): ReplyView {
  const { status, headers, text } = reply
  const parsed = text === undefined ? 'parseError' : parseMessage(text, DEEPEST_NESTING)
  if (text === undefined || typeof parsed === 'string') {
    return { status, headers, text, json: undefined, ids: [] }
  }
  return { status, headers, text, json: parsed.value, ids: rawIds(text) }
}

/** What a body without JSON holds, in a few words. */
export function describeNoJson(text: string | undefined, describe: (text: string) => string): string {
  if (text === undefined) return 'bytes that are no UTF-8'
  if (text === '') return 'an empty body'
  if (parseMessage(text, DEEPEST_NESTING) === 'tooDeep') return `JSON nested deeper than ${DEEPEST_NESTING}`
  return `no JSON: ${describe(text)}`
}
