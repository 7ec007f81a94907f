/** Compares clients that follow logs while the chain replaces three blocks. */
import { createClient, watchLogs } from '@concordat/node-access'
import * as ethers from 'ethers'
import * as viem from 'viem'
import { startOwnChain } from '../../test/service/client/chain/own-chain.js'
import type { Outcome } from './client-faults.js'

/** Interval of the polls in milliseconds, for every client. */
const interval = 200
/** Time within which a client has to report a log, in milliseconds. */
const longest = 10_000

interface SeenLog {
  readonly blockNumber: bigint | number | string | null
  readonly blockHash: string | null
  readonly logIndex?: bigint | number | string | null
  readonly index?: number
}

/** The logs that a client has reported and not withdrawn, in order. */
class Ledger {
  readonly logs: { readonly id: string; readonly block: number }[] = []

  add({ blockNumber, blockHash, logIndex, index }: SeenLog): void {
    this.logs.push({ id: `${blockHash} ${Number(logIndex ?? index)}`, block: Number(blockNumber) })
  }

  /** Withdraws the logs of a block and of later ones. */
  rollBack(from: number): void {
    const kept = this.logs.filter(({ block }) => block < from)
    this.logs.splice(0, this.logs.length, ...kept)
  }

  has(id: string): boolean {
    return this.logs.some((log) => log.id === id)
  }
}

type Address = `0x${string}`
type Watch = (url: string, address: Address, ledger: Ledger) => () => void

const watches: Readonly<Record<string, Watch>> = {
  ours: (url, address, ledger) => {
    const controller = new AbortController()
    const options = { intervalMilliseconds: interval, signal: controller.signal }
    const follow = async () => {
      for await (const page of watchLogs(createClient(url), { address }, options)) {
        if (page.kind === 'rollback') ledger.rollBack(Number(page.from))
        else for (const log of page.logs) ledger.add(log)
      }
    }
    // The watch rejects with the reason of the signal.
    void follow().catch(() => undefined)
    return () => controller.abort()
  },
  viem: (url, address, ledger) => {
    const client = viem.createPublicClient({ transport: viem.http(url), pollingInterval: interval })
    return client.watchEvent({
      address,
      onLogs: (logs) => {
        for (const log of logs) ledger.add(log)
      },
      onError: () => undefined,
    })
  },
  ethers: (url, address, ledger) => {
    const options = { staticNetwork: true, polling: true, pollingInterval: interval, cacheTimeout: -1 }
    const provider = new ethers.JsonRpcProvider(url, 31, options)
    void provider.on({ address }, (log: SeenLog) => ledger.add(log))
    return () => provider.destroy()
  },
}

/** Runs every client on a chain of its own. */
export async function clientReorganisation(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [client, watch] of Object.entries(watches)) {
    const ends: (() => Promise<void> | void)[] = []
    try {
      outcomes.push({ scenario: 'logs over a reorganisation', client, text: await follow(watch, ends) })
    } finally {
      for (const end of ends.reverse()) await end()
    }
  }
  return outcomes
}

async function follow(watch: Watch, ends: (() => Promise<void> | void)[]): Promise<string> {
  const chain = await startOwnChain({ teardown: (end: () => Promise<void>) => void ends.push(end) } as never)
  const ledger = new Ledger()
  const before = process.cpuUsage()
  ends.push(watch(chain.url, chain.contract, ledger))
  /** Emits logs in blocks of their own, and waits until the last one is reported. */
  const emit = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) await chain.emit(1)
    const logs = await logsOf(chain)
    const last = logs.at(-1)
    return last !== undefined && (await reported(ledger, last))
  }
  // A watch starts at the head that it finds first.
  const starts = performance.now()
  while (!(await emit(1)) && performance.now() - starts < longest);
  const first = ledger.logs[0]
  const restore = await chain.snapshot()
  const hasSeenReplaced = await emit(3)
  await restore()
  await emit(6)
  const { user, system } = process.cpuUsage(before)
  const all = await logsOf(chain)
  const expected = all.slice(all.indexOf(first?.id ?? ''))
  const seen = ledger.logs.map(({ id }) => id)
  const counts = {
    missed: expected.filter((id) => !seen.includes(id)).length,
    'reported twice': seen.length - new Set(seen).size,
    'replaced and not withdrawn': new Set(seen.filter((id) => !all.includes(id))).size,
  }
  const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  const milliseconds = ((user + system) / 1_000).toFixed(0)
  return `${hasSeenReplaced ? '' : 'nothing before; '}${expected.length} logs: ${parts.join(', ')}; ${milliseconds} ms of processor time`
}

/** The logs of the chain as it is, from its node. */
async function logsOf({ anvil, contract }: Awaited<ReturnType<typeof startOwnChain>>): Promise<string[]> {
  const logs = await anvil.ask('eth_getLogs', { address: contract, fromBlock: '0x0', toBlock: 'latest' })
  return (logs as unknown as SeenLog[]).map((log) => `${log.blockHash} ${Number(log.logIndex)}`)
}

async function reported(ledger: Ledger, id: string): Promise<boolean> {
  const end = performance.now() + longest / 2
  while (!ledger.has(id) && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, interval / 4))
  return ledger.has(id)
}
