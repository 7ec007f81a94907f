import type { JsonValue } from '../../rpc/index.js'
import { isHex, isQuantity, toQuantity } from '../ethereum/hex.js'
import type { Form } from './result-shape.js'

/** Makes a node's scalar the contract's; undefined when it cannot be. */
type NormaliseScalar = (value: JsonValue) => string | undefined

const canonical = /^0x(?:0|[1-9a-f][0-9a-f]*)$/

/** Decimal digits, as many as 256 bits have at most: the time to convert them grows with the square of their number. */
const decimal = /^[0-9]{1,78}$/

/** A quantity: minimal and in lower case, also from a JSON number or decimal digits (specification 2.1). */
export const quantity: NormaliseScalar = (value) => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? toQuantity(value) : undefined
  if (typeof value !== 'string') return undefined
  if (canonical.test(value)) return value
  if (value === '0x') return '0x0'
  if (isQuantity(value))
    return `0x${value
      .slice(2)
      .toLowerCase()
      .replace(/^0+(?=.)/, '')}`
  return decimal.test(value) ? toQuantity(BigInt(value)) : undefined
}

/** A quantity that JSON numbers hold exactly, such as a number that a block can have. */
const safeQuantity: NormaliseScalar = (value) => {
  const number = quantity(value)
  return number !== undefined && Number.isSafeInteger(Number(number)) ? number : undefined
}

/** Bytes in lower case. */
const data: NormaliseScalar = (value) =>
  isHex(value) && value.length % 2 === 0 ? value.toLowerCase() : undefined

/** 32 bytes, leading zeros kept; nodes leave them out of storage values. */
const word: NormaliseScalar = (value) =>
  isHex(value) && value.length <= 66 ? `0x${value.slice(2).toLowerCase().padStart(64, '0')}` : undefined

/** A text with something in it. */
const text: NormaliseScalar = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Makes a result that is a scalar the contract's, by the form that the contract states. */
export const scalars: Readonly<Record<Form, NormaliseScalar>> = { quantity, safeQuantity, data, word, text }
