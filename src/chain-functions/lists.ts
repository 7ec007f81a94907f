import type { ChainFunction } from './chain-function.js'
import { amountOf, hexOf, listOf, objectOf, textOf, toQuantity } from './input.js'

/** How many values a list has, as a JSON number: `lengthOf(list)`. */
export const lengthOf: ChainFunction = ([list]) => listOf(list, 'the list').length

/** One member of every object of a list: `pluck(list, 'hash')`; null where it is absent. */
export const pluck: ChainFunction = ([list, member]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').map((value) => objectOf(value, 'each value of the list')[name] ?? null)
}

/** The objects of a list whose member has a value: `where(list, 'transactionHash', '0x…')`. */
export const where: ChainFunction = ([list, member, wanted]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').filter(
    (value) => objectOf(value, 'each value of the list')[name] === wanted,
  )
}

/** The objects of a list with a member that counts them in hexadecimal, from `0x0`: `numbered(list, 'logIndex')`. */
export const numbered: ChainFunction = ([list, member]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').map((value, index) => ({
    ...objectOf(value, 'each value of the list'),
    [name]: toQuantity(BigInt(index)),
  }))
}

/** Lists one after another: `concat(first, second, …)`. */
export const concat: ChainFunction = (lists) => lists.flatMap((list) => listOf(list, 'each parameter'))

/** A value so many times: `repeat(value, times)`. */
export const repeat: ChainFunction = ([value, times]) =>
  Array.from({ length: Number(amountOf(times, 'times')) }, () => value ?? null)

/** Bytes with their letters in upper case, `0x` apart: `upperCase(hex)`. */
export const upperCase: ChainFunction = ([hex]) => `0x${hexOf(hex, 'the bytes').slice(2).toUpperCase()}`
