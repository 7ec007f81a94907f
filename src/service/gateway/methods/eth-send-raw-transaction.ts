import { failure, failures } from '@concordat/node-access-contract/errors'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, isObject, type RlpMember, rlpList, toBytes, toQuantity } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions, NodeError } from '../nodes/index.js'
import { nodeCall } from '../profiles/index.js'
import { nodeCodes, nodeTrouble } from './error-for-caller.js'
import type { ParamsCheck, Plan } from './method-code.js'
import { revertOf } from './revert.js'

/** The result while a transaction is not yet available (specification 4). */
const zeroHash = `0x${'0'.repeat(64)}`

/** Members of a signed legacy transaction, in their order. */
const legacyMembers = ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'v', 'r', 's'] as const

/** Lengths of numbers and addresses, in bytes. */
const numberBytes = 32
const addressBytes = 20

/** EIP-155: v is twice the chain id plus 35 or 36. The values 27 and 28 are valid on any chain. */
const replayProtectedV = 35n

/**
 * Rejects transactions that no node of the network accepts. Rootstock nodes answer some of them with an internal error,
 * which looks like a failure of the node.
 * @throws RpcError invalidParams when the bytes are not a transaction; transactionOfAnotherChain when it is signed for
 * another network
 */
export const checkRawTransaction: ParamsCheck = (params, network) => {
  const bytes = toBytes(String(params[0]))
  const problem = encodingProblem(bytes)
  if (problem !== undefined) {
    const message = `${failures.invalidParams.message}: /0 ${problem}`
    const data = [{ path: '/0', rule: 'send-raw.well-formed', message: problem }]
    throw failure('invalidParams', { message, data })
  }
  const signed = legacyChain(bytes)
  const chain = BigInt(String(network.chainId))
  if (signed !== undefined && signed !== chain)
    throw failure('transactionOfAnotherChain', { values: { signed: String(signed), chain: String(chain) } })
}

/**
 * Answers eth_sendRawTransaction. The unchanged bytes go to one node, and to the next node if the first does
 * not answer. The result is the node's hash. If the second node already has the transaction, the first one
 * has accepted it. A node that mines immediately returns an error for a mined transaction that failed; the result is
 * its hash, too.
 * @throws RpcError transactionRejected with the node's message when the node rejects it; typedTransactionRejected when
 * the node cannot read its type; nodeAnsweredRubbish after another internal error, because the node may have the
 * transaction
 */
export const ethSendRawTransaction: Plan = async (call, { name }, params, options) => {
  const bytes = toBytes(String(params[0]))
  const answer = await call(name, params, { ...options, once: true })
  if (answer.error === undefined) return answer.result ?? zeroHash
  const { error } = answer
  const isRepeated = answer.isRepeated === true
  if (isRepeated || hasRun(error)) {
    const hash = fromBytes(keccak_256(bytes))
    if ((isRepeated && alreadyKnown.test(error.message)) || (await isKnown(call, hash, options))) return hash
  }
  const trouble = nodeTrouble(error)
  if (trouble !== undefined) throw trouble
  if (error.code !== nodeCodes.internalError || hasRun(error))
    throw failure('transactionRejected', { message: error.message, cause: error })
  const [type = legacyFrom] = bytes
  if (type >= legacyFrom) throw failure('nodeAnsweredRubbish', { cause: error })
  throw failure('typedTransactionRejected', { values: { type: toQuantity(type) }, cause: error })
}

/** Smallest first byte of a legacy transaction, an RLP list. Lower bytes are types (EIP-2718). */
const legacyFrom = 0x80

/**
 * True for an error about the execution of a transaction. Rootstock's and Hardhat's nodes return it for a
 * transaction that they have mined; Hardhat's contains the hash.
 */
const hasRun = (error: NodeError) =>
  error.code === nodeCodes.executionFailed ||
  revertOf(error) !== undefined ||
  (isObject(error.data) && error.data['txHash'] !== undefined)

/** Messages about a known transaction, from all nodes: geth, Erigon, Nethermind, Besu, reth, Rootstock, anvil and others. */
const alreadyKnown =
  /already[ _]?(?:known|imported|exists|in the (?:mem)?pool)|known transaction|with (?:the )?same hash/i

/**
 * True when a node has the transaction. If the error is about the nonce, the transaction may even be mined.
 */
async function isKnown(call: NodeCall, hash: string, options?: NodeCallOptions): Promise<boolean> {
  const { result } = await call(...nodeCall('transaction', { transaction: hash }), options)
  return isObject(result)
}

/**
 * Returns why bytes are not a signed transaction. A legacy transaction is a list of nine members; a typed one
 * is a type byte and a list (EIP-2718).
 */
function encodingProblem(bytes: Uint8Array): string | undefined {
  const type = bytes[0]
  if (type === undefined) return 'there are no bytes'
  const isTyped = type < legacyFrom
  const fields = rlpList(isTyped ? bytes.subarray(1) : bytes)
  if (fields === undefined) return 'the bytes are not the RLP list of a transaction'
  return isTyped ? undefined : legacyProblem(fields)
}

/**
 * Returns why the members are not those of a signed legacy transaction. Rootstock's nodes answer numbers that are too
 * long, a v with leading zeros, and an unsigned transaction that names its chain in v (EIP-155) with an internal error.
 */
function legacyProblem(fields: readonly RlpMember[]): string | undefined {
  if (fields.length !== legacyMembers.length)
    return `${fields.length} members instead of ${legacyMembers.length}`
  for (const [at, name] of legacyMembers.entries()) {
    const length = fields[at]?.length
    if (length === undefined) return `${name} is a list`
    if (name === 'to' && length > 0 && length !== addressBytes)
      return `to has ${length} bytes instead of ${addressBytes}`
    if (name !== 'data' && length > numberBytes) return `${name} has more than ${numberBytes} bytes`
  }
  const [v, r, s] = fields.slice(legacyMembers.indexOf('v'))
  if (isZero(r) || isZero(s)) return 'the transaction is not signed'
  return v?.[0] === 0 ? 'v begins with a zero byte' : undefined
}

const isZero = (number: RlpMember) => number?.every((byte) => byte === 0) === true

/**
 * Returns the chain id of a well-formed legacy transaction; undefined if it is valid on any chain, or of another type.
 */
function legacyChain(bytes: Uint8Array): bigint | undefined {
  if ((bytes[0] ?? 0) < legacyFrom) return undefined
  const v = rlpList(bytes)?.[legacyMembers.indexOf('v')] ?? new Uint8Array()
  const value = v.length === 0 ? 0n : BigInt(fromBytes(v))
  return value < replayProtectedV ? undefined : (value - replayProtectedV) / 2n
}
