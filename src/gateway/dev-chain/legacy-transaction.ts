import { fromBytes, toBytes, toQuantity } from '../ethereum/hex.js'
import { type RlpMember, rlpList } from '../ethereum/rlp-list.js'
import type { NodeError } from '../nodes/node-call.js'
import { minimumGasPrice } from './seed-facts.js'

const quantityBytes = 32

/** Code of a refusal, as anvil has it. */
const refusalCode = -32003

/** EIP-155: v is twice the chain id plus this, or plus one more; 27 and 28 are signatures for any chain. */
const replayProtectedV = 35n

/**
 * Says what a Rootstock node would refuse in a signed transaction and anvil takes: types other than legacy, another
 * network's signature, a gas price below the block's minimum.
 * @param raw the signed transaction, hexadecimal
 * @param chainId the network's number
 * @returns undefined when there is nothing to refuse, or when anvil is to say that the bytes are no transaction
 */
export function refusalOf(raw: string, chainId: number): NodeError | undefined {
  const bytes = toBytes(raw)
  const type = bytes[0]
  if (type !== undefined && type < 0x80) {
    return refusal(
      `transaction type ${toQuantity(type)} is not supported, only legacy transactions (0x0) are`,
    )
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

/** The number in a field; undefined for more than the 256 bits that a quantity has. */
const number = (field: RlpMember): bigint | undefined => {
  if (field === undefined || field.length > quantityBytes) return undefined
  return BigInt(field.length === 0 ? '0x0' : fromBytes(field))
}
