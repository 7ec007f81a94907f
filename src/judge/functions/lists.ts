import { toQuantity } from '../../toolkit/contract/index.js'
import type { ChainFunction } from './chain-function.js'
import { amountOf, hexOf, listOf, objectOf, textOf } from './input.js'

/** Returns the length of a list as a JSON number: `lengthOf(list)`. */
export const lengthOf: ChainFunction = ([list]) => listOf(list, 'the list').length

/** Returns one member of each object of a list, or null if it is absent: `pluck(list, 'hash')`. */
export const pluck: ChainFunction = ([list, member]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').map((value) => objectOf(value, 'each value of the list')[name] ?? null)
}

/** Returns the objects of a list with a given member value: `where(list, 'transactionHash', '0x…')`. */
export const where: ChainFunction = ([list, member, wanted]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').filter(
    (value) => objectOf(value, 'each value of the list')[name] === wanted,
  )
}

/** Adds a member to each object of a list that counts from `0x0`: `numbered(list, 'logIndex')`. */
export const numbered: ChainFunction = ([list, member]) => {
  const name = textOf(member, 'the member')
  return listOf(list, 'the list').map((value, index) => ({
    ...objectOf(value, 'each value of the list'),
    [name]: toQuantity(BigInt(index)),
  }))
}

/** Concatenates lists: `concat(first, second, …)`. */
export const concat: ChainFunction = (lists) => lists.flatMap((list) => listOf(list, 'each parameter'))

/** Repeats a value: `repeat(value, times)`. */
export const repeat: ChainFunction = ([value, times]) =>
  Array.from({ length: Number(amountOf(times, 'times')) }, () => value ?? null)

/** Converts hex digits to upper case, but not the `0x`: `upperCase(hex)`. */
export const upperCase: ChainFunction = ([hex]) => `0x${hexOf(hex, 'the bytes').slice(2).toUpperCase()}`
