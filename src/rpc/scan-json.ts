/** What one pass over a JSON text tells before it is parsed. */
export type JsonScan =
  /** More brackets are open at once than allowed. */
  | 'tooDeep'
  /** Some number is written with a fraction or an exponent, so that parsing loses how. */
  | 'fractions'
  | 'plain'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const DOT = 0x2e
const UPPER_E = 0x45
const LOWER_E = 0x65

/**
 * Looks over a JSON text once, without recursion, and stops where it nests deeper than allowed. Text that is no
 * JSON is scanned as far as it goes: whether it parses is for the parser to say.
 *
 * @param maxDepth how many arrays and objects may be open at once
 */
export function scanJson(text: string, maxDepth: number): JsonScan {
  let depth = 0
  let fractions = false
  const end = text.length
  for (let at = 0; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        if (depth > maxDepth) return 'tooDeep'
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case DOT:
      case UPPER_E:
        fractions = true
        break
      case LOWER_E:
        if (isDigit(text.charCodeAt(at - 1))) fractions = true
        break
    }
  }
  return fractions ? 'fractions' : 'plain'
}

/** Where the string that opens at `start` has its closing quote; the text's length when it has none. */
export function endOfString(text: string, start: number): number {
  const end = text.length
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
