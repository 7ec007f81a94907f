import { findAnvil } from './anvil-binary.js'
import { createAnvilClient } from './anvil-client.js'
import { startAnvil } from './anvil-process.js'
import { rootstockProfile } from './rootstock-profile.js'
import { seedChain } from './seed.js'
import { seedFacts } from './seed-facts.js'

/** What a development chain is started with. */
export interface EmbeddedChainOptions {
  /** The network's number, as the contract states it: `0x1f` or `0x1e`. */
  readonly chainId: string
  /** Told in one line when the chain has started; for the log. */
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
  'prune-history': 128,
} as const

/**
 * Starts a development chain: anvil, seeded with accounts, transactions, a contract and more than 10,000 logs
 * ({@link seedFacts}). A real EVM, kept in memory, the same on every start; it ends with this process.
 * @throws EmbeddedChainError when anvil is not installed or does not start
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const began = performance.now()
  const settings = Object.entries(anvilSettings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const flags = ['--no-mining', '--disable-default-create2-deployer']
  const chainId = `${Number(options.chainId)}`
  const anvil = await startAnvil(findAnvil(), ['--chain-id', chainId, ...settings, ...flags])
  const client = createAnvilClient(anvil.url)
  try {
    await seedChain(client)
  } catch (error) {
    await anvil.stop()
    throw error
  } finally {
    await client.close()
  }
  options.log?.(`development chain ${chainId} seeded in ${Math.round(performance.now() - began)} ms`)
  const { url, pid, ended, stop } = anvil
  const profile = rootstockProfile({ chainId: Number(options.chainId) })
  return { url, pid, head: seedFacts.head, profile, ended, stop }
}
