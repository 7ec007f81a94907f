import type { JsonObject } from '@concordat/rpc'
import { toQuantity } from '../../ethereum/index.js'
import type { AnvilClient } from '../anvil/anvil-client.js'
import { seedContractCall } from './seed-contract.js'
import { minimumGasPrice, seedFacts } from './seed-facts.js'

/** Default gas limit of seeded transactions, enough for about 1,000 logs. */
const seedGas = 2_000_000

/** Sends transactions with explicit nonces and mines on demand, so that the blocks are the same at every start. */
export type Seeder = ReturnType<typeof createSeeder>

/**
 * Creates a seeder.
 * @param anvil client of a chain without blocks that mines on demand
 */
export function createSeeder(anvil: AnvilClient) {
  const nonces = new Map<string, number>()
  let height = 0
  let emitted = 0

  /** Sends a transaction of an account whose key anvil has; resolves to its hash. */
  const send = async (from: string, transaction: JsonObject): Promise<string> => {
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    const hash = await anvil.call('eth_sendTransaction', {
      from,
      gas: toQuantity(seedGas),
      gasPrice: toQuantity(minimumGasPrice),
      nonce: toQuantity(nonce),
      ...transaction,
    })
    return String(hash)
  }

  return {
    anvil,
    send,
    /** Emits logs from the seed contract, with 0 to 4 topics in turn. */
    async logs(from: string, count: number, more: JsonObject = {}) {
      const data = seedContractCall('emitLogs', emitted, count)
      emitted += count
      await send(from, { to: seedFacts.contract, data, ...more })
    },
    logCount: () => emitted,
    /** Mines up to a block. Pending transactions go into the first of the mined blocks. */
    async mineTo(block: number) {
      await anvil.call('anvil_mine', toQuantity(block - height))
      height = block
    },
  }
}
