import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isObject, toQuantity } from '../ethereum/hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { profileOf } from '../profiles/method-profile.js'
import { blockProducer, developmentAccounts, initialBalance, seedFacts } from './seed-facts.js'

const funded = new Set<string>([...developmentAccounts, blockProducer].map(({ address }) => address))

const balanceOf = (address: JsonValue | undefined) =>
  toQuantity(funded.has(String(address).toLowerCase()) ? initialBalance : 0n)

/** True for a block whose state is the one that the chain began with: no transaction came before it. */
export const hasGenesisState = (number: bigint) => number < BigInt(seedFacts.firstTransactionBlock)

/**
 * Answers a call about the state of a block before the first transaction. anvil forgets old states to save memory, but
 * this one is known: the development accounts have their balance, and there is nothing else (`x-empty`).
 * @param anvil runs calls and estimates, with the accounts they concern set back
 * @param method one that is about the state of a block
 * @param params as they were asked
 * @returns undefined for a method that neither states what nothing is nor runs a call
 */
export async function genesisState(
  anvil: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
): Promise<NodeAnswer | undefined> {
  const [subject] = params
  if (method === 'eth_getBalance') return { result: balanceOf(subject) }
  const { empty } = profileOf(method)
  if (empty !== null) return { result: empty }
  if (!isObject(subject)) return undefined
  return anvil(method, [subject, 'latest', { ...setBack(subject), ...overrides(params[2]) }], options)
}

/** State overrides that the call itself came with. */
const overrides = (given: JsonValue | undefined): JsonObject => (isObject(given) ? given : {})

/** Precompiled contracts, 0x1 to 0xa in this EVM, have no code of their own to set back. */
const isPrecompiled = (address: string) => BigInt(address) <= 0xan

/** State override that gives sender and receiver of a call what they had in the beginning. */
function setBack({ from, to }: JsonObject): JsonObject {
  const accounts: { [address: string]: JsonObject } = {}
  if (typeof from === 'string') accounts[from.toLowerCase()] = { balance: balanceOf(from), nonce: '0x0' }
  if (typeof to === 'string' && !isPrecompiled(to)) {
    accounts[to.toLowerCase()] = { balance: balanceOf(to), code: '0x', nonce: '0x0' }
  }
  return accounts
}
