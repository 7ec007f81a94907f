import { endOfString } from './scan-json.js'

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
