import type { JsonValue } from '../../contract/index.js'

/** The strings and numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Digits that a double holds, whatever they are. */
const DIGITS_OF_A_DOUBLE = 15

/**
 * Reads a JSON text so that two numbers are the same only where all their digits are: a number that a double would
 * round becomes a text of its digits.
 * @param text JSON that can be read
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
