import { toQuantity } from '../../toolkit/contract/index.js'
import { type ChainFunction, ChainFunctionError, type JsonValue } from './chain-function.js'
import { amountOf, atMost, textOf } from './input.js'

/**
 * Creates an arithmetic function. The result has the form of the first number: a hex quantity or a JSON
 * number.
 */
function calculate(name: string, outcome: (left: bigint, right: bigint) => bigint): ChainFunction {
  return (params) => {
    atMost(2, params, name)
    const [left, right] = params
    const value = outcome(amountOf(left, 'the first number'), amountOf(right, 'the second number'))
    return typeof left === 'string' ? toQuantity(value) : jsonNumber(value, name)
  }
}

function jsonNumber(value: bigint, name: string): JsonValue {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ChainFunctionError(
      `${name} yields ${value}, which exceeds a JSON number; write the numbers in hex.`,
    )
  }
  return Number(value)
}

/** Adds two numbers: `add(a, b)`. */
export const add = calculate('add', (left, right) => left + right)

/** Subtracts: `subtract(a, b)`. Returns 0 if b is greater, so that block numbers never become negative. */
export const subtract = calculate('subtract', (left, right) => (left > right ? left - right : 0n))

/** Multiplies two numbers: `multiply(a, b)`. */
export const multiply = calculate('multiply', (left, right) => left * right)

/**
 * Converts an HTTP `Date` header to seconds since 1970 as a hex quantity, plus an offset: `secondsOf(date,
 * later)` (RFC 9110, section 5.6.7).
 */
export const secondsOf: ChainFunction = ([date, later = 0]) => {
  const milliseconds = Date.parse(textOf(date, 'the date'))
  if (Number.isNaN(milliseconds)) throw new ChainFunctionError(`${JSON.stringify(date)} is not an HTTP date.`)
  return toQuantity(BigInt(Math.floor(milliseconds / 1000)) + amountOf(later, 'the seconds'))
}

/** Converts a JSON number to a hex quantity: `quantity(number)`. */
export const quantity: ChainFunction = ([value]) => toQuantity(amountOf(value, 'the number'))

/**
 * Lists a block number and its predecessors: `numbersDownFrom(number, count)`. The list repeats 0x0 at its
 * end.
 */
export const numbersDownFrom: ChainFunction = ([number, count]) => {
  const first = amountOf(number, 'the number')
  const length = Number(amountOf(count, 'the count'))
  return Array.from({ length }, (_, index) => toQuantity(first > index ? first - BigInt(index) : 0n))
}
