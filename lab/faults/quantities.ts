import type { JsonValue } from '@concordat/rpc'

/** Adds a number to a hexadecimal quantity, not below zero. Returns other values unchanged. */
export function moved<Value extends JsonValue | undefined>(quantity: Value, by: number): Value | string {
  if (!isQuantity(quantity)) return quantity
  const sum = BigInt(quantity) + BigInt(by)
  return `0x${(sum < 0n ? 0n : sum).toString(16)}`
}

/** True for a hexadecimal quantity; false for longer hexadecimal values such as hashes. */
export function isQuantity(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
}
