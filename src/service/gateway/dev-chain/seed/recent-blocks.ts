import { isObject, toQuantity } from '../../ethereum/index.js'
import { blockProducer, seedFacts } from './seed-facts.js'
import type { Seeder } from './seeder.js'

/** Value at storage position 0 of the echo contract, with 32 distinct bytes. */
const storedWord = '123456789abcdef0fedcba98765432100123456789abcdef0fedcba987654321'

/** Emits a log with the call data and the sender as its only topic, and returns the call data. */
const runtimeCode = [
  '365f5f37', // CALLDATACOPY of all call data to memory position 0
  '33365fa1', // LOG1: data is the memory, the topic is CALLER
  '365ff3', // RETURN the memory
].join('')

/** Creation code of a hand-written contract that returns and logs its call data. */
const echoContractCode = [
  '0x',
  `7f${storedWord}5f55`, // SSTORE at position 0
  `600b80602c5f395ff3`, // CODECOPY of the 11 bytes after these 44, and RETURN of them
  runtimeCode,
].join('')

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
