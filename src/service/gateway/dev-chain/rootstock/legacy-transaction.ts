import { failure } from '@concordat/node-access-contract/errors'
import { fromBytes, type RlpMember, rlpList, toBytes, toQuantity } from '../../ethereum/index.js'
import type { NodeError } from '../../nodes/index.js'
import { minimumGasPrice } from '../seed/seed-facts.js'

const quantityBytes = 32

/** Error code of refused transactions, the same as anvil's. */
const refusalCode = -32003

/** EIP-155: v is twice the chain id plus 35 or 36. The values 27 and 28 are valid on any chain. */
const replayProtectedV = 35n

/**
 * Checks for transactions that a Rootstock node refuses but anvil accepts: types other than legacy, signatures for
 * another chain, and gas prices below the minimum.
 * @param raw signed transaction, hexadecimal
 * @param chainId chain id of the network
 * @returns the error; undefined for acceptable transactions, and for invalid bytes, which anvil refuses
 */
export function refusalOf(raw: string, chainId: number): NodeError | undefined {
  const bytes = toBytes(raw)
  const type = bytes[0]
  if (type !== undefined && type < 0x80) {
    const { code, message } = failure('typedTransactionRejected', { values: { type: toQuantity(type) } })
    return { code, message }
  }
  const fields = rlpList(bytes) ?? []
  const [, gasPrice] = fields
  const v = number(fields[6])
  if (gasPrice === undefined || v === undefined) return undefined
  const signedFor = v < replayProtectedV ? undefined : (v - replayProtectedV) / 2n
  if (signedFor !== undefined && signedFor !== BigInt(chainId)) {
    return refusal(`invalid chain id: signed for ${signedFor}, this is ${chainId}`)
  }
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
