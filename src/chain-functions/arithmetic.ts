import { type ChainFunction, ChainFunctionError, type JsonValue } from './chain-function.js'
import { amountOf, atMost, textOf, toQuantity } from './input.js'

/** The outcome is written as the first number was: hexadecimal for a quantity, a JSON number for one. */
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
      `${name} gives ${value}, more than a JSON number holds; write the numbers in hexadecimal.`,
    )
  }
  return Number(value)
}

/** `add(a, b)`. */
export const add = calculate('add', (left, right) => left + right)

/** `subtract(a, b)`, 0 where b is more: the block so many before a young chain's head is its first one. */
export const subtract = calculate('subtract', (left, right) => (left > right ? left - right : 0n))

/** `multiply(a, b)`. */
export const multiply = calculate('multiply', (left, right) => left * right)

/**
 * The time of an HTTP header `Date` in seconds since 1970, as a hexadecimal quantity, moved by some seconds:
 * `secondsOf(date, later)`. RFC 9110, 5.6.7.
 */
export const secondsOf: ChainFunction = ([date, later = 0]) => {
  const milliseconds = Date.parse(textOf(date, 'the date'))
  if (Number.isNaN(milliseconds)) throw new ChainFunctionError(`${JSON.stringify(date)} is no date of HTTP.`)
  return toQuantity(BigInt(Math.floor(milliseconds / 1000)) + amountOf(later, 'the seconds'))
}

/** A JSON number as a hexadecimal quantity: `quantity(number)`. */
export const quantity: ChainFunction = ([value]) => toQuantity(amountOf(value, 'the number'))

/** A block number and those before it, so many in all: `numbersDownFrom(number, count)`; below 0x0 it stays there. */
export const numbersDownFrom: ChainFunction = ([number, count]) => {
  const first = amountOf(number, 'the number')
  const length = Number(amountOf(count, 'the count'))
  return Array.from({ length }, (_, index) => toQuantity(first > index ? first - BigInt(index) : 0n))
}
