import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHash, isList, isObject, isQuantity, toQuantity } from '../ethereum/hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { resultShapes } from '../nodes/result-shape.js'
import { profileOf } from '../profiles/method-profile.js'
import { genesisState, hasGenesisState } from './genesis-state.js'
import { refusalOf } from './legacy-transaction.js'
import { rootstockBlock } from './rootstock-block.js'
import { rootstockTransaction } from './rootstock-transaction.js'
import { minimumGasPrice } from './seed-facts.js'

/** Wraps a call to anvil so that it answers like a Rootstock node. */
export type NodeProfile = (anvil: NodeCall) => NodeCall

type Rule = (
  anvil: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<NodeAnswer>

/**
 * Makes anvil answer as a Rootstock node does: its blocks and transactions (specification 2.4 and 2.5), its gas price,
 * legacy transactions only, and the state at the chain's beginning, which anvil forgets. The contract tells which methods
 * answer blocks and transactions, and which are about the state of a block. Members of other chains are left in.
 * @param network the network's number
 */
export function rootstockProfile(network: { readonly chainId: number }): NodeProfile {
  const sendRaw: Rule = async (anvil, method, params, options) => {
    const error = refusalOf(String(params[0]), network.chainId)
    return error === undefined ? anvil(method, params, options) : { error }
  }
  const rules = new Map<string, Rule>([
    ...[...resultShapes.keys()].map((method) => [method, ruleOf(method)] as const),
    ['eth_gasPrice', async () => ({ result: toQuantity(minimumGasPrice) })],
    ['eth_sendRawTransaction', sendRaw],
  ])
  return (anvil) => async (method, params, options) =>
    (rules.get(method) ?? passOn)(anvil, method, params, options)
}

const passOn: Rule = (anvil, method, params, options) => anvil(method, params, options)

/** Picks the rule of a method by its result and its subject in the contract. */
function ruleOf(method: string): Rule {
  const shape = resultShapes.get(method)?.shape
  const components = (shape?.object ?? shape?.items?.object)?.components
  if (components?.has('Block')) return block
  if (components?.has('Transaction')) return transaction
  return profileOf(method).missing === 'state' ? state : passOn
}

/** Makes an object of anvil's a Rootstock node's. */
type Make = (object: JsonObject, isPending: boolean, anvil: NodeCall) => Promise<NodeAnswer>

/** The rule of the methods whose result is an object, a list of objects or null. */
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

/** The fees of a block's transactions, in wei, from their receipts; the answer when there are none to be had. */
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

/** The rule of the methods that are about the state of a block. */
const state: Rule = async (anvil, method, params, options) => {
  const answer = await anvil(method, params, options)
  if (answer.error === undefined || params.length > 3) return answer
  const number = await blockNumber(anvil, profileOf(method).about.selector(params), options)
  if (number === undefined || !hasGenesisState(number) || !(await isForgotten(anvil, number, options))) {
    return answer
  }
  return (await genesisState(anvil, method, params, options)) ?? answer
}

/** The number of the block that a selector names; undefined for the newest ones and for unknown ones. */
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

/** True where anvil has no state for a block any more, so that the error is not the call's own. */
async function isForgotten(anvil: NodeCall, number: bigint, options?: NodeCallOptions): Promise<boolean> {
  const nobody = '0x0000000000000000000000000000000000000000'
  const answer = await anvil('eth_getBalance', [nobody, toQuantity(number)], options)
  return answer.error !== undefined
}
