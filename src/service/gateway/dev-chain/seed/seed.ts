import { toQuantity } from '../../ethereum/index.js'
import type { AnvilClient } from '../anvil/anvil-client.js'
import { multicallAddress, multicallCode } from './multicall.js'
import { createRecentBlocks } from './recent-blocks.js'
import { seedContractCall, seedContractCode } from './seed-contract.js'
import { developmentAccounts, seedFacts } from './seed-facts.js'
import { createSeeder, type Seeder } from './seeder.js'

/** Seconds between seeded blocks, as on Rootstock. */
const blockSeconds = 30

/** Receives the fees of every block. Its private key is unknown. */
const miner = '0x00000000000000000000000000000000feebeef1'

/** Blocks full of logs. Together with the logs before and after them, they make exactly 10,000. */
const bulk = { first: 2350, blocks: 20, logsEach: 493 }

const ether = 10n ** 18n

const [{ address: one }, { address: two }, { address: three }] = developmentAccounts

/**
 * Mines another block, with the pending transactions and some of its own.
 * @param timestamp time of the block, in seconds since 1970
 */
export type MineNext = (timestamp: number) => Promise<void>

/**
 * Fills a new chain as described by {@link seedFacts}, with the same blocks, logs and receipts at every start. The empty
 * blocks come first, because anvil only keeps the state of the latest blocks.
 * @param anvil client of a chain without blocks that mines on demand
 */
export async function seedChain(anvil: AnvilClient): Promise<MineNext> {
  await anvil.call('anvil_setLoggingEnabled', false)
  await anvil.call('anvil_setBlockTimestampInterval', blockSeconds)
  await anvil.call('anvil_setCoinbase', miner)
  const chain = createSeeder(anvil)
  await chain.mineTo(seedFacts.firstTransactionBlock - 1)
  await seedTransactions(chain)
  const recent = createRecentBlocks(chain)
  await seedLogs(chain, seedFacts.head - recent.length)
  for (let block = seedFacts.head - recent.length + 1; block <= seedFacts.head; block++) {
    await recent.fillNext()
    await chain.mineTo(block)
  }
  await anvil.call('anvil_removeBlockTimestampInterval')
  return async (timestamp) => {
    await recent.fillNext()
    await anvil.call('evm_mine', { timestamp })
  }
}

/** Sets the time of the next block to the current time. The blocks of the seed are much older. */
export async function setClock(anvil: AnvilClient): Promise<void> {
  await anvil.call('evm_setTime', Math.floor(Date.now() / 1_000))
}

async function seedTransactions(chain: Seeder): Promise<void> {
  await chain.anvil.call('anvil_setCode', multicallAddress, multicallCode)
  await chain.send(one, { data: seedContractCode })
  await chain.mineTo(seedFacts.contractBlock)

  for (const [at, account] of [one, two, three].entries()) {
    const value = toQuantity(BigInt(at + 1) * ether)
    await chain.send(account, { to: seedFacts.transfersTo, value })
  }
  await chain.mineTo(seedFacts.transfersBlock)

  await chain.send(one, { to: seedFacts.contract, data: seedContractCall('failAfter', 2) })
  await chain.send(two, { to: three, value: toQuantity(ether) })
  await chain.mineTo(seedFacts.failedTransactionBlock)

  await chain.send(one, { to: seedFacts.contract, data: seedContractCall('setNumber', 7) })
  await chain.mineTo(seedFacts.numberSetBlock)
}

/** @param last the block to mine up to */
async function seedLogs(chain: Seeder, last: number): Promise<void> {
  await chain.logs(one, 5)
  await chain.mineTo(seedFacts.fiveLogsBlock)

  await chain.logs(one, 3)
  await chain.logs(two, 3)
  await chain.mineTo(seedFacts.twoTransactionsWithLogsBlock)

  await chain.mineTo(bulk.first - 1)
  for (let block = 0; block < bulk.blocks; block++) {
    await chain.logs(one, bulk.logsEach)
    await chain.mineTo(bulk.first + block)
  }
  await chain.logs(one, 10_000 - chain.logCount())
  await chain.mineTo(seedFacts.tenThousandLogsBlock)

  await chain.mineTo(seedFacts.pastTenThousandBlock - 1)
  await chain.logs(one, seedFacts.logs - 10_000 - seedFacts.recentLogs)
  await chain.mineTo(seedFacts.pastTenThousandBlock)
  await chain.mineTo(last)
}
