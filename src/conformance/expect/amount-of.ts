import type { JsonValue } from '../../rpc/index.js'

/** A number, or a hexadecimal quantity as its value. */
export type Amount = number | bigint

/** The amount that a JSON value is: a number, or a text such as `0x1f`; undefined for anything else. */
export function amountOf(value: JsonValue | undefined): Amount | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : undefined
}
