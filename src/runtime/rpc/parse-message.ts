import type { JsonValue } from './json.js'

/** A parsed body: one request or a batch, not yet validated. */
export interface ParsedMessage {
  readonly value: JsonValue
  /** The ids as written, if parsing may have changed one. Otherwise undefined. */
  readonly rawIds: readonly RawId[] | undefined
}

/** Why a body could not be parsed. */
export type MessageProblem = 'parseError' | 'tooDeep' | 'tooManyValues'

/**
 * Parses the text of a body and keeps every id digit for digit (JSON-RPC 2.0, section 5.1). Limits are
 * checked before parsing.
 * @param text the body; a byte-order mark makes it invalid
 * @param nestingDepth maximum number of open arrays and objects
 * @param valuesMost maximum number of values and members; unlimited by default
 * @returns the message, or `parseError`, `tooDeep` or `tooManyValues`
 */
export function parseMessage(
  text: string,
  nestingDepth: number,
  valuesMost: number = Number.POSITIVE_INFINITY,
): ParsedMessage | MessageProblem {
  const scan = scanJson(text, nestingDepth, valuesMost)
  if (scan === 'tooDeep' || scan === 'tooManyValues') return scan
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return 'parseError'
  }
  return { value, rawIds: losesAnId(value, scan === 'inexact') ? rawIds(text) : undefined }
}

function losesAnId(value: JsonValue, isInexact: boolean): boolean {
  if (!Array.isArray(value)) return isLossy(value, isInexact)
  return value.some((item) => isLossy(item, isInexact))
}

/**
 * Returns true for an id that must be kept as text: unsafe integers, `-0`, `1.0`, `1e2`, and long strings.
 */
function isLossy(item: JsonValue, isInexact: boolean): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const id = (item as { readonly id?: unknown }).id
  if (typeof id === 'string') return isLongText(id)
  return typeof id === 'number' && (isInexact || !Number.isSafeInteger(id) || Object.is(id, -0))
}

/** The result of scanning a JSON text before it is parsed. */
export type JsonScan =
  /** More arrays and objects are open at once than allowed. */
  | 'tooDeep'
  /** The text, or one of its objects, has more values and members than allowed. */
  | 'tooManyValues'
  /** A number has a fraction, an exponent or more than 300 digits. Parsing may change its spelling, or overflow. */
  | 'inexact'
  | 'plain'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const DOT = 0x2e
const UPPER_E = 0x45
const LOWER_E = 0x65
/** An integer with fewer digits cannot overflow: the largest double has 309. */
const LONGEST_NUMBER = 300

/**
 * Scans a JSON text without recursion and stops at the first exceeded limit. Invalid JSON is scanned to its
 * end; the parser reports it.
 * @param text the JSON text
 * @param maxDepth maximum number of open arrays and objects
 * @param maxValues maximum number of values and members; a member counts as one and its value as another
 * @param maxMembers maximum number of members of one object
 */
export function scanJson(
  text: string,
  maxDepth: number,
  maxValues: number,
  maxMembers: number = Number.POSITIVE_INFINITY,
): JsonScan {
  /** Member counts of the enclosing arrays and objects. */
  const outer: number[] = []
  /** Member count of the innermost open array or object. */
  let members = 0
  let values = 0
  let isInexact = false
  /** True inside a number or literal, which is counted at its start. */
  let inScalar = false
  let scalarStart = 0
  const end = text.length
  for (let at = 0; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        inScalar = false
        values++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (outer.length === maxDepth) return 'tooDeep'
        outer.push(members)
        members = 0
        inScalar = false
        values++
        break
      case 0x5d: // ]
      case 0x7d: // }
        members = outer.pop() ?? 0
        inScalar = false
        break
      case 0x3a: // :
        if (++members > maxMembers) return 'tooManyValues'
        inScalar = false
        break
      case 0x2c: // ,
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        inScalar = false
        break
      case DOT:
      case UPPER_E:
        isInexact = true
        break
      case LOWER_E:
        if (isDigit(text.charCodeAt(at - 1))) isInexact = true
        break
      default:
        if (!inScalar) {
          values++
          scalarStart = at
        } else if (at - scalarStart >= LONGEST_NUMBER) isInexact = true
        inScalar = true
    }
    if (values > maxValues) return 'tooManyValues'
  }
  return isInexact ? 'inexact' : 'plain'
}

/** Returns the position of a string's closing quote, or the text's length if it is missing. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** Returns true after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** The text of a request's `id`. Undefined if it has none. */
export type RawId = string | undefined

/** Length of string ids above which the original text is echoed, because encoding it again is slow. */
const LONGEST_TEXT_WRITTEN = 1_000

/** Returns true for a string id that is echoed as written. */
export const isLongText = (id: string): boolean => id.length > LONGEST_TEXT_WRITTEN

const SPACES = /[ \t\n\r]*/y
const LONGEST_SPELLING = '"\\u0069\\u0064"'
const SCALAR = /[^ \t\n\r,\]}]+/y

/**
 * Extracts the exact text of each request's `id` from valid JSON. Of duplicate members the last one counts,
 * as in `JSON.parse` (RFC 8259, section 4).
 * @param text a JSON text that was parsed successfully
 * @returns one entry for a single request, or one for each item of a batch
 */
export function rawIds(text: string): RawId[] {
  const start = skipSpaces(text, 0)
  if (text[start] !== '[') return [rawIdAt(text, start).id]
  const ids: RawId[] = []
  let at = skipSpaces(text, start + 1)
  while (at < text.length && text[at] !== ']') {
    const item = rawIdAt(text, at)
    ids.push(item.id)
    at = skipSpaces(text, item.end)
    if (text[at] === ',') at = skipSpaces(text, at + 1)
  }
  return ids
}

/** Reads the value at `start`. Returns its `id` if it is an object, and its end. */
function rawIdAt(text: string, start: number): { id: RawId; end: number } {
  if (text[start] !== '{') return { id: undefined, end: endOfValue(text, start) }
  let id: RawId
  let at = skipSpaces(text, start + 1)
  while (at < text.length && text[at] !== '}') {
    const nameEnd = endOfString(text, at) + 1
    const isId = spellsId(text, at, nameEnd)
    const valueStart = skipSpaces(text, skipSpaces(text, nameEnd) + 1)
    const valueEnd = endOfValue(text, valueStart)
    if (isId) id = text.slice(valueStart, valueEnd)
    at = skipSpaces(text, valueEnd)
    if (text[at] === ',') at = skipSpaces(text, at + 1)
  }
  return { id, end: at + 1 }
}

/** Returns true if the member name between two quotes is `id`, possibly with escapes. */
function spellsId(text: string, start: number, end: number): boolean {
  if (text.startsWith('"id"', start)) return true
  if (end - start > LONGEST_SPELLING.length) return false
  const name = text.slice(start, end)
  return name.includes('\\') && JSON.parse(name) === 'id'
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start) + 1
  if (first !== '{' && first !== '[') {
    SCALAR.lastIndex = start
    return SCALAR.test(text) ? SCALAR.lastIndex : text.length
  }
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

function skipSpaces(text: string, start: number): number {
  SPACES.lastIndex = start
  SPACES.test(text)
  return SPACES.lastIndex
}
