import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isObject, toQuantity } from '../../ethereum/index.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../../nodes/index.js'
import { profileOf } from '../../profiles/index.js'
import { blockProducer, developmentAccounts, initialBalance, seedFacts } from '../seed/seed-facts.js'

const funded = new Set<string>([...developmentAccounts, blockProducer].map(({ address }) => address))

const balanceOf = (address: JsonValue | undefined) =>
  toQuantity(funded.has(String(address).toLowerCase()) ? initialBalance : 0n)

/** True for blocks before the first transaction, which all have the genesis state. */
export const hasGenesisState = (number: bigint) => number < BigInt(seedFacts.firstTransactionBlock)

/**
 * Answers a call about the genesis state. anvil prunes old states, but this one is known: only the development accounts
 * have a balance, and everything else is empty (`x-empty`).
 * @param anvil runs calls and estimates, with state overrides that reset the accounts
 * @param method method about the state of a block
 * @param params parameters of the call
 * @returns undefined for a method without `x-empty` that runs no call
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

/** State overrides of the call itself. */
const overrides = (given: JsonValue | undefined): JsonObject => (isObject(given) ? given : {})

/** Precompiled contracts, 0x1 to 0xa in this EVM, must not be overridden. */
const isPrecompiled = (address: string) => BigInt(address) <= 0xan

/** State override that resets sender and receiver of a call to their genesis state. */
function setBack({ from, to }: JsonObject): JsonObject {
  const accounts: { [address: string]: JsonObject } = {}
  if (typeof from === 'string') accounts[from.toLowerCase()] = { balance: balanceOf(from), nonce: '0x0' }
  if (typeof to === 'string' && !isPrecompiled(to)) {
    accounts[to.toLowerCase()] = { balance: balanceOf(to), code: '0x', nonce: '0x0' }
  }
  return accounts
}
