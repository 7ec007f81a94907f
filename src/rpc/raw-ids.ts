import { endOfString } from './scan-json.js'

/** The `id` member of one request as it is written, undefined when there is none. */
export type RawId = string | undefined

/** An id that is a longer text is echoed as it is written: writing it again, character by character, costs too much. */
const LONGEST_TEXT_WRITTEN = 1_000

/** True for an id that is echoed as it is written, although it is a text. */
export const isLongText = (id: string): boolean => id.length > LONGEST_TEXT_WRITTEN

const SPACES = /[ \t\n\r]*/y
const LONGEST_SPELLING = '"\\u0069\\u0064"'
const SCALAR = /[^ \t\n\r,\]}]+/y

/**
 * Finds the text of each request's `id`, digit for digit, in a JSON text that is known to parse: one entry for a
 * single request, one for each item of a batch. Of duplicate members the last counts, as in `JSON.parse`
 * (RFC 8259, section 4).
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

/** Reads the value that begins at `start`: its own `id` when it is an object, and where the value ends. */
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

/** Whether the member name between two quotes spells `id`, with escapes or without. */
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
