import { failure } from '@concordat/node-access-contract/errors'
import { fromBytes, type RlpMember, rlpList, toBytes, toQuantity } from '../../ethereum/index.js'
import type { NodeError } from '../../nodes/index.js'
import { minimumGasPrice } from '../seed/seed-facts.js'

const quantityBytes = 32

/** Error code of refused transactions, the same as anvil's. */
const refusalCode = -32003

/**
 * Checks for transactions that a Rootstock node refuses but anvil accepts: types other than legacy, and gas prices
 * below the minimum. The service has already checked the chain id.
 * @param raw signed transaction, hexadecimal
 * @returns the error; undefined for acceptable transactions, and for invalid bytes, which anvil refuses
 */
export function refusalOf(raw: string): NodeError | undefined {
  const bytes = toBytes(raw)
  const type = bytes[0]
  if (type !== undefined && type < 0x80) {
    const { code, message } = failure('typedTransactionRejected', { values: { type: toQuantity(type) } })
    return { code, message }
  }
  const [, gasPrice] = rlpList(bytes) ?? []
  if (gasPrice === undefined) return undefined
  if ((number(gasPrice) ?? 0n) < minimumGasPrice) {
    return refusal(`transaction's gas price is lower than the block's minimum, ${minimumGasPrice} wei`)
  }
  return undefined
}

const refusal = (message: string): NodeError => ({ code: refusalCode, message })

/** Reads a number from a field; undefined if it has more than 256 bits. */
const number = (field: RlpMember): bigint | undefined => {
  if (field === undefined || field.length > quantityBytes) return undefined
  return BigInt(field.length === 0 ? '0x0' : fromBytes(field))
}
