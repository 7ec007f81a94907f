import { ethers } from 'ethers'
import { createPublicClient, http } from 'viem'
import { Web3 } from 'web3'
import { createClient } from '../../src/service/node-access/index.js'
import { startService } from '../../test/support/service.js'

/** Numbers of reads in one turn of the event loop. */
const turns = [1_000, 5_000]

/** Reads the balance of an account. */
type Read = (address: `0x${string}`) => Promise<unknown>

/** Creates one reader per library. The name of a reader lists its options; other options have their defaults. */
const libraries: Readonly<Record<string, (url: string) => Read>> = {
  'viem, `http(url, { batch: true })`': (url) => {
    const client = createPublicClient({ transport: http(url, { batch: true }) })
    return (address) => client.getBalance({ address })
  },
  'viem, the same with `timeout: 60_000`': (url) => {
    const client = createPublicClient({ transport: http(url, { batch: true, timeout: 60_000 }) })
    return (address) => client.getBalance({ address })
  },
  'viem, `http(url)`': (url) => {
    const client = createPublicClient({ transport: http(url) })
    return (address) => client.getBalance({ address })
  },
  'ethers 6': (url) => {
    const provider = new ethers.JsonRpcProvider(url, 31, { staticNetwork: true })
    return (address) => provider.getBalance(address)
  },
  'web3.js': (url) => {
    const web3 = new Web3(url)
    return (address) => web3.eth.getBalance(address)
  },
  'the typed client': (url) => {
    const client = createClient(url)
    return (address) => client.eth_getBalance(address, 'latest')
  },
}

/**
 * Measures many reads in one turn of the event loop with each library, and prints the table of docs/integrator.md. Each
 * row has its own service, because the reads of all rows exceed the daily limit.
 */
export async function benchOneTurn(): Promise<void> {
  console.log(`| library | ${turns.map((count) => `${count.toLocaleString('en-US')} reads`).join(' | ')} |`)
  console.log(`|---|${turns.map(() => '---|').join('')}`)
  for (const [name, readerOf] of Object.entries(libraries)) {
    const service = await startService({ args: ['--network', 'test'] })
    try {
      const cells: string[] = []
      for (const count of turns) cells.push(await readAtOnce(readerOf(service.networks.test.url), count))
      console.log(`| ${name} | ${cells.join(' | ')} |`)
    } finally {
      await service.stop()
    }
  }
}

async function readAtOnce(read: Read, count: number): Promise<string> {
  const begunAt = performance.now()
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, at) => read(addressOf(at))))
  const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (reasons.length === 0) return `all in ${seconds} s`
  const [first] = reasons
  const text = String(first?.details ?? first?.shortMessage ?? first?.message ?? first).split('\n')[0]
  return `${reasons.length} failed in ${seconds} s: ${text?.slice(0, 80)}`
}

/** Different accounts, so that no answer comes from a cache. */
const addressOf = (at: number): `0x${string}` => `0x${(at + 1).toString(16).padStart(40, '0')}`
