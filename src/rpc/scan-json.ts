/** The result of scanning a JSON text before it is parsed. */
export type JsonScan =
  /** More arrays and objects are open at once than allowed. */
  | 'tooDeep'
  /** The text, or one of its objects, has more values and members than allowed. */
  | 'tooManyValues'
  /** Some number has a fraction or exponent, so parsing loses its spelling. */
  | 'fractions'
  | 'plain'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const DOT = 0x2e
const UPPER_E = 0x45
const LOWER_E = 0x65

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
  maxMembers = Number.POSITIVE_INFINITY,
): JsonScan {
  /** Member counts of the enclosing arrays and objects. */
  const outer: number[] = []
  /** Member count of the innermost open array or object. */
  let members = 0
  let values = 0
  let fractions = false
  /** True inside a number or literal, which is counted at its start. */
  let inScalar = false
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
        fractions = true
        break
      case LOWER_E:
        if (isDigit(text.charCodeAt(at - 1))) fractions = true
        break
      default:
        if (!inScalar) values++
        inScalar = true
    }
    if (values > maxValues) return 'tooManyValues'
  }
  return fractions ? 'fractions' : 'plain'
}

/** Returns the position of a string's closing quote, or the text's length if it is missing. */
export function endOfString(text: string, start: number): number {
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
