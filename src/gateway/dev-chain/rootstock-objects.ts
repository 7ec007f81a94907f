import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { receiptMembers, transactionMembers } from '../ethereum/contract-members.js'
import { isList, isObject } from '../ethereum/hex.js'

const logMembers = [
  'logIndex',
  'transactionIndex',
  'transactionHash',
  'blockHash',
  'blockNumber',
  'address',
  'data',
  'topics',
] as const

const takenOfReceipt = [...receiptMembers, 'effectiveGasPrice', 'status'] as const

/** Takes the members that Rootstock has; one that is missing is null. */
export function pick(object: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(members.map((member) => [member, object[member] ?? null]))
}

/**
 * Makes anvil's transaction a Rootstock node's (specification 2.5).
 * @param transaction as anvil answers it
 */
export function rootstockTransaction(transaction: JsonObject): JsonObject {
  const picked = pick(transaction, transactionMembers)
  return { ...picked, r: padded(picked['r']), s: padded(picked['s']) }
}

/** Halves of a signature have 32 bytes (specification 2.5); anvil leaves leading zeros out. */
const padded = (part: JsonValue | undefined): JsonValue =>
  typeof part === 'string' ? `0x${part.slice(2).padStart(64, '0')}` : null

/**
 * Makes anvil's receipt a Rootstock node's (specification 2.6).
 * @param receipt as anvil answers it
 */
export function rootstockReceipt(receipt: JsonObject): JsonObject {
  return { ...pick(receipt, takenOfReceipt), logs: rootstockLogs(receipt['logs']) }
}

/**
 * Makes anvil's logs a Rootstock node's (specification 2.7).
 * @param logs as anvil answers them
 */
export function rootstockLogs(logs: JsonValue | undefined): JsonValue {
  return isList(logs) ? logs.map((log) => (isObject(log) ? pick(log, logMembers) : log)) : []
}
