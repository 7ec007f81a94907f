import type { JsonValue } from '../../../toolkit/contract/index.js'

/** Matches the strings and numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Number of decimal digits that a double always preserves. */
const DIGITS_OF_A_DOUBLE = 15

/**
 * Parses JSON without rounding. A number that a double might round becomes a string with its digits.
 * @param text valid JSON
 */
export function exactJson(text: string): JsonValue {
  const exact = text.replaceAll(TOKENS, (token) => {
    if (token.startsWith('"') || isExact(token)) return token
    return JSON.stringify(`the number ${token}`)
  })
  return JSON.parse(exact) as JsonValue
}

function isExact(number: string): boolean {
  return !/e/i.test(number) && number.replaceAll(/\D/g, '').length <= DIGITS_OF_A_DOUBLE
}
