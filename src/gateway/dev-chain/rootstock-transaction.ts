import type { JsonObject, JsonValue } from '../../rpc/index.js'

/**
 * Makes anvil's transaction a Rootstock node's (specification 2.5).
 * @param transaction as anvil answers it
 */
export const rootstockTransaction = (transaction: JsonObject): JsonObject => ({
  ...transaction,
  r: padded(transaction['r']),
  s: padded(transaction['s']),
})

/** Halves of a signature have 32 bytes (specification 2.5); anvil leaves leading zeros out. */
const padded = (part: JsonValue | undefined): JsonValue =>
  typeof part === 'string' ? `0x${part.slice(2).padStart(64, '0')}` : null
