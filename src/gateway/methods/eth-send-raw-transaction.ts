import { keccak_256 } from '@noble/hashes/sha3.js'
import { failure } from '../../../generated/errors.js'
import { fromBytes, isHash, isObject, rlpList, toBytes } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/index.js'
import { nodeCall } from '../profiles/index.js'
import type { Plan } from './method-code.js'
import { nodeTrouble } from './node-error.js'

/** Answered while a transaction is not yet available (specification 4). */
const zeroHash = `0x${'0'.repeat(64)}`

/** Members of a signed legacy transaction, in RLP. */
const legacyMembers = 9

/**
 * Answers eth_sendRawTransaction: the bytes go to one node, as they came, and to the next one when that one did not
 * answer; the answer is the node's hash. A node that refuses the second sending because it has the transaction already
 * has accepted it.
 * @throws RpcError invalidParams when the bytes are no transaction, transactionRejected in the node's words when it
 *   refuses it
 */
export const ethSendRawTransaction: Plan = async (call, { name }, params, options) => {
  const problem = encodingProblem(toBytes(String(params[0])))
  if (problem !== undefined) {
    throw failure('invalidParams', { data: [{ path: '/0', rule: 'send-raw.well-formed', message: problem }] })
  }
  const answer = await call(name, params, { ...options, once: true })
  if (answer.error === undefined) return answer.result ?? zeroHash
  const { error } = answer
  if (answer.isRepeated === true) {
    const hash = fromBytes(keccak_256(toBytes(String(params[0]))))
    if (alreadyKnown.test(error.message) || (await isKnown(call, hash, options))) return hash
  }
  const trouble = nodeTrouble(error)
  if (trouble !== undefined) throw trouble
  // Hardhat's node mines a transaction that fails, and answers an error that holds its hash.
  const mined = isObject(error.data) ? error.data['txHash'] : undefined
  if (isHash(mined)) return mined.toLowerCase()
  throw failure('transactionRejected', { message: error.message, cause: error })
}

/** How nodes say that they have a transaction already: geth, Rootstock, anvil, Hardhat and their like. */
const alreadyKnown =
  /already known|already imported|already exists|already in the (?:mem)?pool|known transaction|ALREADY_EXISTS/i

/** True when a node has the transaction: the first sending has even been mined, where the error is about the nonce. */
async function isKnown(call: NodeCall, hash: string, options?: NodeCallOptions): Promise<boolean> {
  const { result } = await call(...nodeCall('transaction', { transaction: hash }), options)
  return isObject(result)
}

/** Says why bytes are no signed transaction: a legacy one is a list of nine, a typed one a type and a list (EIP-2718). */
function encodingProblem(bytes: Uint8Array): string | undefined {
  const type = bytes[0]
  if (type === undefined) return 'there are no bytes'
  const isTyped = type < 0x80
  const fields = rlpList(isTyped ? bytes.subarray(1) : bytes)
  if (fields === undefined) return 'the bytes are not the RLP list of a transaction'
  return isTyped || fields.length === legacyMembers ? undefined : `${fields.length} members instead of 9`
}
