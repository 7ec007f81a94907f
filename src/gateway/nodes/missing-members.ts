import type { JsonValue } from '../../rpc/index.js'
import { blockMembers, receiptMembers, transactionMembers } from '../ethereum/contract-members.js'
import { isObject } from '../ethereum/hex.js'

const required: Readonly<Record<string, readonly string[]>> = {
  eth_getBlockByHash: blockMembers,
  eth_getBlockByNumber: blockMembers,
  eth_getTransactionByBlockHashAndIndex: transactionMembers,
  eth_getTransactionByBlockNumberAndIndex: transactionMembers,
  eth_getTransactionByHash: transactionMembers,
  eth_getTransactionReceipt: receiptMembers,
}

/**
 * The members that the contract requires of a method's result and that a node did not send: such an answer is passed on
 * as it is, and told of.
 * @param result normalised
 * @returns undefined when none is missing
 */
export function missingMembers(method: string, result: JsonValue): readonly string[] | undefined {
  const members = Object.hasOwn(required, method) ? required[method] : undefined
  if (members === undefined || !isObject(result)) return undefined
  let missing: string[] | undefined
  for (const member of members) {
    if (result[member] !== undefined) continue
    missing ??= []
    missing.push(member)
  }
  return missing
}
