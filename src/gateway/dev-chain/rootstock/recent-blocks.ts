import { isObject, toQuantity } from '../../ethereum/index.js'
import { echoContractCode } from '../seed/echo-contract.js'
import { blockProducer, seedFacts } from '../seed/seed-facts.js'
import type { Seeder } from '../seed/seeder.js'

/** Transactions with one log each in the fullest block. */
const manyTransactions = 60

/** Gas limit of these transactions. Together they stay below the block gas limit. */
const smallGas = toQuantity(100_000)

/** A value in wei that exceeds the 53 bits of a double. */
const unevenValue = 0x2386f26fc10001n

/** Lengths of call data and log data in bytes: exactly three words, and a part of a fourth. */
const longData = [96, 100]

/**
 * Mines blocks that conformance cases look for near the head: a contract creation, a transfer, a block with many
 * transactions, logs with long data, and one log of each number of topics. The seed ends with one round of these blocks,
 * and a chain with a moving head repeats them.
 * @returns a function that sends the transactions of the next block
 */
export function createRecentBlocks(chain: Seeder): { readonly length: number; fillNext(): Promise<void> } {
  const from = blockProducer.address
  let creation = ''
  const rounds: readonly (() => Promise<unknown>)[] = [
    async () => {
      creation = await chain.send(from, { data: echoContractCode, value: toQuantity(unevenValue) })
    },
    () =>
      chain.send(from, { to: seedFacts.valuesTo, value: toQuantity(unevenValue), gas: toQuantity(21_000) }),
    async () => {
      for (let sent = 0; sent < manyTransactions; sent++) await chain.logs(from, 1, { gas: smallGas })
    },
    async () => {
      const receipt = await chain.anvil.call('eth_getTransactionReceipt', creation)
      const to = isObject(receipt) ? (receipt['contractAddress'] ?? null) : null
      for (const bytes of longData) {
        await chain.send(from, { to, value: toQuantity(unevenValue), data: `0x${'5a'.repeat(bytes)}` })
      }
    },
    () => chain.logs(from, 5),
  ]
  let next = 0
  return {
    length: rounds.length,
    async fillNext() {
      await rounds[next]?.()
      next = (next + 1) % rounds.length
    },
  }
}
