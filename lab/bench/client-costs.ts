import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type PeerName, peers } from './client-peers.js'
import type { ClientCost, ClientLoad } from './client-process.js'
import { median } from './median.js'
import { Processes } from './processes.js'

/** Number of rounds and calls. */
export interface ClientRounds {
  readonly rounds: number
  /** Calls of one round at 32 concurrent. */
  readonly calls: number
  /** Calls over which memory is measured. */
  readonly memoryCalls: number
}

/** The cost of a client. */
export interface Costs {
  /** Processor time per call, one call after the other, in microseconds. */
  readonly sequential: number
  /** Processor time per call, 32 concurrent calls, in microseconds. */
  readonly concurrent: number
  /** Memory of our client after each tenth of the memory calls, in bytes. Empty for the others. */
  readonly heapBytes: readonly number[]
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const concurrency = 32
/** Rounds before the measurement, in which Node.js compiles the code. */
const warmUps = 3
/** Calls one after the other are fewer, because ethers waits 10 ms before it sends a batch. */
const sequentialCalls = 1_000
const memoryParts = 10

interface Client {
  readonly name: PeerName
  readonly send: (load: ClientLoad) => Promise<ClientCost>
}

/**
 * Measures all clients against one server, in rounds that start with another client each.
 * @param show receives a line of progress
 */
export async function clientCosts(
  { rounds, calls, memoryCalls }: ClientRounds,
  show: (line: string) => void,
): Promise<ReadonlyMap<PeerName, Costs>> {
  const processes = new Processes()
  const children: ChildProcess[] = []
  try {
    const { url } = await processes.peer('node-server.ts', '0x1f')
    const clients = (Object.keys(peers) as PeerName[]).map((name) => start(name, url, children))
    const sequential = new Map<PeerName, number[]>(clients.map(({ name }) => [name, []]))
    const concurrent = new Map<PeerName, number[]>(clients.map(({ name }) => [name, []]))
    for (let round = -warmUps; round < rounds; round += 1) {
      show(`round ${round + warmUps + 1} of ${warmUps + rounds}`)
      const first = (round + warmUps) % clients.length
      for (const { name, send } of [...clients.slice(first), ...clients.slice(0, first)]) {
        const alone = await send({ calls: Math.min(calls, sequentialCalls), concurrency: 1 })
        const together = await send({ calls, concurrency })
        if (round < 0) continue
        sequential.get(name)?.push(alone.microseconds)
        concurrent.get(name)?.push(together.microseconds)
      }
    }
    const costs = new Map<PeerName, Costs>()
    for (const { name, send } of clients) {
      const heapBytes = name.startsWith('ours') ? await memory(send, memoryCalls) : []
      costs.set(name, {
        sequential: median(sequential.get(name)),
        concurrent: median(concurrent.get(name)),
        heapBytes,
      })
    }
    return costs
  } finally {
    for (const child of children) child.disconnect()
    await processes.end()
  }
}

function start(name: PeerName, url: string, children: ChildProcess[]): Client {
  // Without the source paths of the project, the client is the compiled one that users install.
  const env = { ...process.env, TSX_TSCONFIG_PATH: here('tsconfig.json') }
  const execArgv = ['--import=tsx', '--expose-gc']
  const child = fork(here('client-process.ts'), [name, url], { execArgv, env })
  children.push(child)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`)))
  ended.catch(() => undefined)
  return {
    name,
    send: async (load) => {
      child.send(load)
      const [cost] = await Promise.race([once(child, 'message'), ended])
      return cost
    },
  }
}

async function memory(send: Client['send'], calls: number): Promise<readonly number[]> {
  const sizes: number[] = []
  for (let part = 0; part < memoryParts; part += 1) {
    const { heapBytes } = await send({ calls: calls / memoryParts, concurrency })
    sizes.push(heapBytes)
  }
  return sizes
}
