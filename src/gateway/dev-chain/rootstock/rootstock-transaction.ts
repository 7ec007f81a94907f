import type { JsonObject, JsonValue } from '@concordat/rpc'

/**
 * Converts anvil's transaction to that of a Rootstock node (specification 2.5).
 * @param transaction transaction from anvil
 */
export const rootstockTransaction = (transaction: JsonObject): JsonObject => ({
  ...transaction,
  r: padded(transaction['r']),
  s: padded(transaction['s']),
})

/** Pads a part of the signature to 32 bytes (specification 2.5); anvil omits leading zeros. */
const padded = (part: JsonValue | undefined): JsonValue =>
  typeof part === 'string' ? `0x${part.slice(2).padStart(64, '0')}` : null
