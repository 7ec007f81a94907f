import { failure } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isHash, isList, isObject, isQuantity, toQuantity } from '../../ethereum/index.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../../nodes/index.js'
import { resultShapes } from '../../nodes/index.js'
import { profileOf } from '../../profiles/index.js'
import { minimumGasPrice } from '../seed/seed-facts.js'
import { genesisState, hasGenesisState } from './genesis-state.js'
import { refusalOf } from './legacy-transaction.js'
import { rootstockBlock, rootstockTransaction } from './rootstock-block.js'

/** Wraps a call to anvil so that it answers like a Rootstock node. */
export type NodeProfile = (anvil: NodeCall) => NodeCall

/** Sends a signed transaction with `pass`. */
type Send = (raw: string, pass: () => Promise<NodeAnswer>) => Promise<NodeAnswer>

type Rule = (
  anvil: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<NodeAnswer>

/**
 * Converts anvil's answers to those of a Rootstock node: blocks and transactions (specification 2.4 and 2.5), the gas
 * price, refusal of non-legacy transactions, and states that anvil prunes. The contract determines the
 * affected methods. Members of other chains are not removed.
 * @param keptStates number of the latest blocks whose state the chain keeps
 * @param send wraps the sending of each signed transaction to anvil
 */
export function rootstockProfile(keptStates: number, send: Send = (_raw, pass) => pass()): NodeProfile {
  const sendRaw: Rule = async (anvil, method, params, options) => {
    const raw = String(params[0])
    const error = refusalOf(raw)
    return error === undefined ? send(raw, () => anvil(method, params, options)) : { error }
  }
  const rules = new Map<string, Rule>([
    ...[...resultShapes.keys()].map((method) => [method, ruleOf(method, keptStates)] as const),
    ['eth_gasPrice', async () => ({ result: toQuantity(minimumGasPrice) })],
    ['eth_sendRawTransaction', sendRaw],
  ])
  return (anvil) => async (method, params, options) =>
    (rules.get(method) ?? passOn)(anvil, method, params, options)
}

const passOn: Rule = (anvil, method, params, options) => anvil(method, params, options)

/** Selects the rule of a method by its result and subject in the contract. */
function ruleOf(method: string, keptStates: number): Rule {
  const shape = resultShapes.get(method)?.shape
  const components = (shape?.object ?? shape?.items?.object)?.components
  if (components?.has('Block')) return block
  if (components?.has('Transaction')) return transaction
  return profileOf(method).missing === 'state' ? stateRule(keptStates) : passOn
}

/** Converts an object of anvil to that of a Rootstock node. */
type Make = (object: JsonObject, isPending: boolean, anvil: NodeCall) => Promise<NodeAnswer>

/** Creates the rule for methods whose result is an object, a list of objects or null. */
const objects =
  (make: Make): Rule =>
  async (anvil, method, params, options) => {
    const answer = await anvil(method, params, options)
    const ask: NodeCall = (other, its) => anvil(other, its, options)
    const isPending = profileOf(method).about.selector(params) === 'pending'
    if (isObject(answer.result)) return make(answer.result, isPending, ask)
    if (!isList(answer.result)) return answer
    const made: JsonValue[] = []
    for (const entry of answer.result) {
      const { error, result } = isObject(entry) ? await make(entry, isPending, ask) : { result: entry }
      if (error !== undefined) return { error }
      made.push(result)
    }
    return { result: made }
  }

const transaction = objects(async (found) => ({ result: rootstockTransaction(found) }))

const block = objects(async (found, isPending, anvil) => {
  const { transactions, hash } = found
  const isFree = isPending || (isList(transactions) && transactions.length === 0)
  const paid = isFree ? 0n : await paidFees(anvil, hash ?? null)
  return typeof paid === 'bigint' ? { result: rootstockBlock(found, paid) } : paid
})

/** Sums the fees of a block's transactions in wei, from their receipts; returns anvil's answer if that fails. */
async function paidFees(anvil: NodeCall, blockHash: JsonValue): Promise<bigint | NodeAnswer> {
  const answer = await anvil('eth_getBlockReceipts', [blockHash])
  if (!isList(answer.result)) return answer
  let sum = 0n
  for (const receipt of answer.result) {
    if (!isObject(receipt)) continue
    sum += BigInt(String(receipt['gasUsed'])) * BigInt(String(receipt['effectiveGasPrice']))
  }
  return sum
}

/**
 * Creates the rule for methods that read the state of a block, such as eth_getBalance.
 * @throws RpcError blockNotFound for a state that the chain no longer keeps
 */
const stateRule =
  (keptStates: number): Rule =>
  async (anvil, method, params, options) => {
    const answer = await anvil(method, params, options)
    if (answer.error === undefined || params.length > 3) return answer
    const number = await blockNumber(anvil, profileOf(method).about.selector(params), options)
    if (number === undefined || !(await isForgotten(anvil, number, options))) return answer
    if (hasGenesisState(number)) return (await genesisState(anvil, method, params, options)) ?? answer
    const message = `The state of this block is not available: the development chain keeps the state of the latest ${keptStates} blocks`
    throw failure('blockNotFound', { message, cause: answer.error })
  }

/** Returns the number of the selected block; undefined for unknown blocks and for tags other than `earliest`. */
async function blockNumber(
  anvil: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<bigint | undefined> {
  if (selector === 'earliest') return 0n
  if (!isQuantity(selector)) return undefined
  if (!isHash(selector)) return BigInt(selector)
  const { result } = await anvil('eth_getBlockByHash', [selector, false], options)
  return isObject(result) ? BigInt(String(result['number'])) : undefined
}

/** True if anvil has pruned the state of a known block, so that the error is not caused by the call itself. */
async function isForgotten(anvil: NodeCall, number: bigint, options?: NodeCallOptions): Promise<boolean> {
  const zeroAddress = '0x0000000000000000000000000000000000000000'
  const block = toQuantity(number)
  if ((await anvil('eth_getBalance', [zeroAddress, block], options)).error === undefined) return false
  return isObject((await anvil('eth_getBlockByNumber', [block, false], options)).result)
}
