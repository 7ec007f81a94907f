import { setInterval } from 'node:timers/promises'
import { findAnvil } from './anvil/anvil-binary.js'
import { createAnvilClient } from './anvil/anvil-client.js'
import { startAnvil } from './anvil/anvil-process.js'
import { type JournaledChain, openJournaledChain } from './journal/journaled-chain.js'
import { rootstockProfile } from './rootstock/rootstock-profile.js'
import { seedChain, setClock } from './seed/seed.js'
import { developmentAccounts, seedFacts } from './seed/seed-facts.js'

/** Options of {@link startEmbeddedChain}. */
export interface EmbeddedChainOptions {
  /** Hexadecimal chain id, such as `0x1f`. */
  readonly chainId: string
  /** Seconds between blocks. With 0, the default, each transaction is mined immediately and there are no empty blocks. */
  readonly blockSeconds?: number | undefined
  /**
   * Path of the file that stores the chain's transactions and blocks. Without it, the chain exists in memory only, and
   * anvil mines by itself. The path is awaited after seeding.
   */
  readonly journal?: Promise<string> | undefined
  /** Receives a log line when the chain has started. */
  readonly log?: ((line: string) => void) | undefined
  /** Receives a log line when the chain has lost transactions, and when mining fails. */
  readonly warn?: ((line: string) => void) | undefined
}

/** A running development chain. */
export interface EmbeddedChain {
  /** URL of anvil, without the profile. */
  readonly url: string
  readonly pid: number
  /** The latest block after seeding. */
  readonly head: number
  /** Converts anvil's answers to those of a Rootstock node. */
  readonly profile: ReturnType<typeof rootstockProfile>
  /** Resolves when anvil has exited for any reason and the journal is closed; never rejects. */
  readonly ended: Promise<void>
  /** Stops anvil. Resolves when it has exited and the journal is closed. */
  stop(): Promise<void>
}

/**
 * Number of the latest blocks whose state a development chain keeps. anvil keeps each state in memory, with a table of
 * the hashes of all earlier blocks: 0.3 MB after the seed, and twice that when the number of blocks has doubled. Two
 * chains and the service fit in 400 MB of memory with 256 states each. States on disk take 0.3 MB each, too, and the
 * seed takes 4 s instead of 0.4 s.
 */
export const keptStates = 256

/**
 * anvil's settings. The cancun EVM supports current compilers. With a base fee of 0, gas estimates match a Rootstock
 * node. The block gas limit is that of Rootstock.
 */
const anvilSettings = {
  hardfork: 'cancun',
  'base-fee': 0,
  'gas-limit': 6_800_000,
  timestamp: 1_700_000_000,
  order: 'fifo',
  // The last account is the block producer.
  accounts: developmentAccounts.length + 1,
  // The states before the latest one.
  'prune-history': keptStates - 1,
} as const

/**
 * Starts anvil and seeds it with accounts, transactions, a contract and more than 10,000 logs ({@link seedFacts}), the
 * same at every start. Then replays the journal. anvil exits with this process.
 * @throws EmbeddedChainError if anvil is not installed or does not start
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const { chainId: id, blockSeconds = 0, journal, log = () => {}, warn = () => {} } = options
  const began = performance.now()
  const settings = Object.entries(anvilSettings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const flags = ['--no-mining', '--disable-default-create2-deployer']
  const chainId = `${Number(id)}`
  const anvil = await startAnvil(findAnvil(), ['--chain-id', chainId, ...settings, ...flags])
  const client = createAnvilClient(anvil.url)
  const stopped = new AbortController()
  let journaled: JournaledChain | undefined
  const ended = anvil.ended.then(async () => {
    stopped.abort()
    for (const { reason } of (await Promise.allSettled([client.close(), journaled?.close()])).filter(
      isFailed,
    ))
      warn(`the development chain has ended with an error: ${reason}`)
  })
  try {
    const mineNext = await seedChain(client)
    const path = await journal
    const mines = blockSeconds === 0
    if (path !== undefined) journaled = await openJournaledChain(client, { path, mines, mineNext, warn })
    await setClock(client)
    const mine = journaled?.mineNext ?? (() => mineNext(Math.floor(Date.now() / 1_000)))
    if (!mines) moveHead(mine, blockSeconds, stopped.signal, warn)
    else if (journaled === undefined) await client.call('evm_setAutomine', true)
  } catch (error) {
    await anvil.stop()
    await ended
    // anvil may have ended before the journal was opened.
    await journaled?.close()
    throw error
  }
  log(`development chain ${chainId} seeded in ${Math.round(performance.now() - began)} ms`)
  const profile = rootstockProfile(keptStates, journaled?.send)
  const stop = async () => {
    await anvil.stop()
    await ended
  }
  return { ...anvil, ended, stop, head: seedFacts.head, profile }
}

const isFailed = (result: PromiseSettledResult<unknown>): result is PromiseRejectedResult =>
  result.status === 'rejected'

/** Mines blocks at a fixed interval until the chain ends. */
async function moveHead(
  mineNext: () => Promise<void>,
  seconds: number,
  ended: AbortSignal,
  warn: (line: string) => void,
): Promise<void> {
  try {
    for await (const _ of setInterval(seconds * 1000, undefined, { ref: false, signal: ended }))
      await mineNext()
  } catch (error) {
    if (!ended.aborted)
      warn(`the development chain has stopped mining; restart the service to continue: ${error}`)
  }
}
