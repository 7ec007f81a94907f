import type { JsonValue } from 'concordat/rpc'

/** A hexadecimal quantity moved by a number, not below zero; anything else as it is. */
export function moved<Value extends JsonValue | undefined>(quantity: Value, by: number): Value | string {
  if (!isQuantity(quantity)) return quantity
  const sum = BigInt(quantity) + BigInt(by)
  return `0x${(sum < 0n ? 0n : sum).toString(16)}`
}

/** True for a hexadecimal quantity, and for nothing of another length such as a hash. */
export function isQuantity(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
}
