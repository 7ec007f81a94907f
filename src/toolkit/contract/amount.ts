import type { JsonValue } from './json.js'

/** A number, or the value of a hexadecimal quantity. */
export type Amount = number | bigint

/** Converts a number or a hexadecimal string such as `0x1f`. Returns undefined for other values. */
export function amountOf(value: JsonValue | undefined): Amount | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : undefined
}

/** Writes a number as a quantity: lower-case hex without leading zeros. */
export const toQuantity = (value: bigint): string => `0x${value.toString(16)}`
