import type { JsonObject, JsonValue } from '@concordat/rpc'

/** Writes a number as a quantity: `0x` and the fewest digits (specification 2.1). */
export const toQuantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** True for hexadecimal digits after `0x`, of either case, any number of them. */
export const isHex = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)

/** True for 32 bytes after `0x`: what tells a block hash from a block number or tag. */
export const isHash = (value: unknown): value is string => isHex(value) && value.length === 66

/** True for hexadecimal digits after `0x`, at least one. */
export const isQuantity = (value: unknown): value is string => isHex(value) && value.length > 2

/** Bytes of a hexadecimal string; the string must have an even number of digits. */
export const toBytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex')

/** Writes bytes as a hexadecimal string after `0x`. */
export const fromBytes = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

/** True for a JSON object: no array, no null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a JSON array. */
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)
