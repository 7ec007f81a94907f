import { setInterval } from 'node:timers/promises'
import { findAnvil } from './anvil-binary.js'
import { createAnvilClient } from './anvil-client.js'
import { startAnvil } from './anvil-process.js'
import { rootstockProfile } from './rootstock-profile.js'
import { type MineNext, seedChain } from './seed.js'
import { developmentAccounts, seedFacts } from './seed-facts.js'

/** What a development chain is started with. */
export interface EmbeddedChainOptions {
  /** The network's number, as the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** Seconds from one block to the next. With 0, the default, each transaction is mined at once and nothing else is. */
  readonly blockSeconds?: number | undefined
  /** Receives one line when the chain has started, and one when a moving head stops; for the log. */
  readonly log?: ((line: string) => void) | undefined
}

/** A running development chain. */
export interface EmbeddedChain {
  /** Where anvil answers, without the profile. */
  readonly url: string
  readonly pid: number
  /** The latest block after seeding. */
  readonly head: number
  /** Makes anvil's answers those of a Rootstock node: goes between the upstream and the node. */
  readonly profile: ReturnType<typeof rootstockProfile>
  /** Settles when anvil has ended, whoever ended it. */
  readonly ended: Promise<void>
  /** Ends anvil; settles when it is gone. */
  stop(): Promise<void>
}

/**
 * anvil's settings. The cancun EVM runs what today's compilers emit, and with a base fee of 0 it estimates as a
 * Rootstock node does. The history is bounded: unbounded, anvil writes hundreds of megabytes under the home folder,
 * and each state kept costs 0.3 MB of memory. The block gas limit is Rootstock's.
 */
const anvilSettings = {
  hardfork: 'cancun',
  'base-fee': 0,
  'gas-limit': 6_800_000,
  timestamp: 1_700_000_000,
  order: 'fifo',
  // The last one is the block producer's.
  accounts: developmentAccounts.length + 1,
  'prune-history': 192,
} as const

/**
 * Starts a development chain: anvil, seeded with accounts, transactions, a contract and more than 10,000 logs
 * ({@link seedFacts}). A real EVM, kept in memory, the same on every start; it ends with this process.
 * @throws EmbeddedChainError when anvil is not installed or does not start
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const { chainId: id, blockSeconds = 0, log = () => {} } = options
  const began = performance.now()
  const settings = Object.entries(anvilSettings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const flags = ['--no-mining', '--disable-default-create2-deployer']
  const chainId = `${Number(id)}`
  const anvil = await startAnvil(findAnvil(), ['--chain-id', chainId, ...settings, ...flags])
  const client = createAnvilClient(anvil.url)
  const ended = new AbortController()
  anvil.ended.then(() => {
    ended.abort()
    return client.close()
  })
  try {
    const mineNext = await seedChain(client)
    if (blockSeconds > 0) moveHead(mineNext, blockSeconds, ended.signal, log)
    else await client.call('evm_setAutomine', true)
  } catch (error) {
    await anvil.stop()
    throw error
  }
  log(`development chain ${chainId} seeded in ${Math.round(performance.now() - began)} ms`)
  const profile = rootstockProfile({ chainId: Number(id) })
  return { ...anvil, head: seedFacts.head, profile }
}

/** Mines a block every so many seconds until the chain has ended. */
async function moveHead(
  mineNext: MineNext,
  seconds: number,
  ended: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  try {
    for await (const _ of setInterval(seconds * 1000, undefined, { ref: false, signal: ended }))
      await mineNext()
  } catch (error) {
    if (!ended.aborted) log(`the development chain mines no more blocks: ${error}`)
  }
}
