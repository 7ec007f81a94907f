/**
 * One client in a process of its own, so that no other client shares its compiled code or memory. Takes the name of the
 * client and the URL of the server. For each message with a load, it sends the calls and answers with their cost.
 */
import { type PeerName, peers } from './client-peers.js'

/** Calls of one load. */
export interface ClientLoad {
  readonly calls: number
  /** Calls in flight at any time. */
  readonly concurrency: number
}

/** The cost of a load. */
export interface ClientCost {
  /** Processor time of the process per call, user and system, in microseconds. */
  readonly microseconds: number
  /** Memory in use after the load and a garbage collection, in bytes. */
  readonly heapBytes: number
}

const [name, url = ''] = process.argv.slice(2)
const call = await peers[name as PeerName](url)
let address = 0

async function worker(calls: number): Promise<void> {
  for (let sent = 0; sent < calls; sent += 1) {
    address += 1
    const result = await call(`0x${address.toString(16).padStart(40, '0')}`)
    if (typeof result !== 'string') throw new Error(`${name} got no balance`)
  }
}

process.on('message', async ({ calls, concurrency }: ClientLoad) => {
  const each = Math.ceil(calls / concurrency)
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: concurrency }, () => worker(each)))
  const { user, system } = process.cpuUsage(before)
  globalThis.gc?.()
  const cost: ClientCost = {
    microseconds: (user + system) / (each * concurrency),
    heapBytes: process.memoryUsage().heapUsed,
  }
  process.send?.(cost)
})
process.on('disconnect', () => process.exit(0))
