import { RLP } from '@ethereumjs/rlp'
import { failure } from '../../../generated/errors.js'
import { isHash, isObject, toBytes } from '../hex.js'
import type { Plan } from './lookup.js'
import { nodeTrouble } from './node-error.js'

/** Answered while a transaction is not yet available (specification 4). */
const zeroHash = `0x${'0'.repeat(64)}`

/** Members of a signed legacy transaction, in RLP. */
const legacyMembers = 9

/**
 * Answers eth_sendRawTransaction: the bytes go to one node, once, as they came; the answer is the node's hash.
 * @throws RpcError invalidParams when the bytes are no transaction, transactionRejected in the node's words when it
 *   refuses it
 */
export const sendRawTransaction: Plan = async (call, method, params, options) => {
  const problem = encodingProblem(toBytes(String(params[0])))
  if (problem !== undefined) {
    throw failure('invalidParams', { data: [{ path: '/0', rule: 'send-raw.well-formed', message: problem }] })
  }
  const { error, result } = await call(method, params, { ...options, once: true })
  if (error === undefined) return result ?? zeroHash
  const trouble = nodeTrouble(error)
  if (trouble !== undefined) throw trouble
  // Hardhat's node mines a transaction that fails, and answers an error that holds its hash.
  const mined = isObject(error.data) ? error.data['txHash'] : undefined
  if (isHash(mined)) return mined.toLowerCase()
  throw failure('transactionRejected', { message: error.message, cause: error })
}

/** Says why bytes are no signed transaction: a legacy one is a list of nine, a typed one a type and a list (EIP-2718). */
function encodingProblem(bytes: Uint8Array): string | undefined {
  const type = bytes[0]
  if (type === undefined) return 'there are no bytes'
  const isTyped = type < 0x80
  const fields = decode(isTyped ? bytes.subarray(1) : bytes)
  if (fields === undefined) return 'the bytes are no RLP list'
  return isTyped || fields.length === legacyMembers ? undefined : `${fields.length} members instead of 9`
}

function decode(bytes: Uint8Array): readonly unknown[] | undefined {
  try {
    const decoded = RLP.decode(bytes)
    return Array.isArray(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
