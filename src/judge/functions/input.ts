import { ChainFunctionError, type JsonObject, type JsonValue } from './chain-function.js'

const kind = (value: JsonValue | undefined) => {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`
}

const refuse = (name: string, takes: string, value: JsonValue | undefined) =>
  new ChainFunctionError(`${name} must be ${takes}, not ${kind(value)}.`)

/**
 * Reads bytes in hex of either case; `0x` means no bytes.
 * @param value the parameter
 * @param name its name for messages
 * @param size the required number of bytes; any number by default
 * @returns the bytes in lower-case hex
 */
export function hexOf(value: JsonValue | undefined, name: string, size?: number): string {
  const fits = typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value)
  if (!fits || (size !== undefined && value.length !== 2 + 2 * size)) {
    const bytes = size === undefined ? 'bytes' : `${size} bytes`
    throw refuse(name, `${bytes} in hex, two digits per byte after 0x`, value)
  }
  return value.toLowerCase()
}

/** Reads a non-negative integer: a hex quantity or a JSON number. */
export function amountOf(value: JsonValue | undefined, name: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw refuse(name, 'a non-negative integer, or a hex quantity such as 0x1f', value)
}

/** Reads a list. */
export function listOf(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  if (!Array.isArray(value)) throw refuse(name, 'a list', value)
  return value
}

/** Reads an object. */
export function objectOf(value: JsonValue | undefined, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(name, 'an object', value)
  }
  return value as JsonObject
}

/** Reads a string. */
export function textOf(value: JsonValue | undefined, name: string): string {
  if (typeof value !== 'string') throw refuse(name, 'a string', value)
  return value
}

/** Rejects surplus parameters. */
export function atMost(count: number, params: readonly JsonValue[], name: string): void {
  if (params.length > count) {
    throw new ChainFunctionError(`${name} takes at most ${count} parameters, not ${params.length}.`)
  }
}
