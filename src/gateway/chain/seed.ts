import type { JsonObject } from '../../rpc/index.js'
import { toQuantity } from '../hex.js'
import type { AnvilClient } from './anvil-client.js'
import { seedContractCall, seedContractCode } from './seed-contract.js'
import { developmentAccounts, minimumGasPrice, seedFacts } from './seed-facts.js'

/** Seconds from one seeded block to the next, as on Rootstock. */
const blockSeconds = 30

/** Gas that a seeded transaction is given: enough for some 1,000 logs. */
const seedGas = 2_000_000

/** Receives the fees of every block; nobody has its key. */
const miner = '0x00000000000000000000000000000000feebeef1'

/** Blocks full of logs, 493 each, from this one on: together with the few before and after they make 10,000. */
const bulk = { first: 2350, blocks: 20, logsEach: 493 }

const ether = 10n ** 18n

/**
 * Fills a new chain, as {@link seedFacts} says: the same blocks, logs and receipts on every start. The empty blocks come
 * first: anvil keeps the state of the latest blocks only. Transactions sent afterwards are mined at once, in blocks
 * that carry the time of day.
 * @param anvil a chain without blocks, mining on demand only
 */
export async function seedChain(anvil: AnvilClient): Promise<void> {
  await anvil.call('anvil_setLoggingEnabled', false)
  await anvil.call('anvil_setBlockTimestampInterval', blockSeconds)
  await anvil.call('anvil_setCoinbase', miner)
  const chain = createSeeder(anvil)
  await chain.mineTo(seedFacts.firstTransactionBlock - 1)
  await seedTransactions(chain)
  await seedLogs(chain)
  await anvil.call('anvil_removeBlockTimestampInterval')
  await anvil.call('evm_setTime', Math.floor(Date.now() / 1000))
  await anvil.call('evm_setAutomine', true)
}

async function seedTransactions(chain: Seeder): Promise<void> {
  await chain.send(0, { data: seedContractCode })
  await chain.mineTo(seedFacts.contractBlock)

  for (const account of [0, 1, 2]) {
    const value = toQuantity(BigInt(account + 1) * ether)
    await chain.send(account, { to: seedFacts.transfersTo, value })
  }
  await chain.mineTo(seedFacts.transfersBlock)

  await chain.send(0, { to: seedFacts.contract, data: seedContractCall('failAfter', 2) })
  await chain.send(1, { to: developmentAccounts[2].address, value: toQuantity(ether) })
  await chain.mineTo(seedFacts.failedTransactionBlock)

  await chain.send(0, { to: seedFacts.contract, data: seedContractCall('setNumber', 7) })
  await chain.mineTo(seedFacts.numberSetBlock)
}

async function seedLogs(chain: Seeder): Promise<void> {
  await chain.logs(0, 5)
  await chain.mineTo(seedFacts.fiveLogsBlock)

  await chain.logs(0, 3)
  await chain.logs(1, 3)
  await chain.mineTo(seedFacts.twoTransactionsWithLogsBlock)

  await chain.mineTo(bulk.first - 1)
  for (let block = 0; block < bulk.blocks; block++) {
    await chain.logs(0, bulk.logsEach)
    await chain.mineTo(bulk.first + block)
  }
  await chain.logs(0, 10_000 - chain.logCount())
  await chain.mineTo(seedFacts.tenThousandLogsBlock)

  await chain.mineTo(seedFacts.pastTenThousandBlock - 1)
  await chain.logs(0, seedFacts.logs - 10_000 - 5)
  await chain.mineTo(seedFacts.pastTenThousandBlock)

  await chain.mineTo(seedFacts.head - 1)
  await chain.logs(0, 5)
  await chain.mineTo(seedFacts.head)
}

type Seeder = ReturnType<typeof createSeeder>

/** Sends transactions with explicit nonces and mines them on demand: nothing is left to anvil's choice. */
function createSeeder(anvil: AnvilClient) {
  const nonces = new Map<number, number>()
  let height = 0
  let emitted = 0

  const send = async (account: 0 | 1 | 2 | number, transaction: JsonObject) => {
    const nonce = nonces.get(account) ?? 0
    nonces.set(account, nonce + 1)
    await anvil.call('eth_sendTransaction', {
      from: developmentAccounts[account]?.address,
      gas: toQuantity(seedGas),
      gasPrice: toQuantity(minimumGasPrice),
      nonce: toQuantity(nonce),
      ...transaction,
    })
  }

  return {
    send,
    /** Emits logs from the contract, of every number of topics in turn. */
    async logs(account: number, count: number) {
      const data = seedContractCall('emitLogs', emitted, count)
      emitted += count
      await send(account, { to: seedFacts.contract, data })
    },
    logCount: () => emitted,
    /** Mines up to a block; what was sent before goes into the first one. */
    async mineTo(block: number) {
      await anvil.call('anvil_mine', toQuantity(block - height))
      height = block
    },
  }
}
