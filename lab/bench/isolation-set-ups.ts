import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from './isolation-bystander.js'
import { makeKeys } from './keys.js'
import { Processes, type Service } from './processes.js'

/** A running service, as operators run it. */
export interface SetUp {
  readonly origin: string
  readonly contract: Contract
  /** Creates users, and returns the paths of their keys. */
  readonly users: (count: number, options?: Parameters<typeof makeKeys>[2]) => Promise<string[]>
  /** Process ids of the service. */
  readonly pids: readonly number[]
  /** Process ids of the nodes. */
  readonly nodePids: readonly number[]
  /** Makes the nodes of the main network unusable: they refuse connections, or never answer. */
  stopNodes(how: 'refusing' | 'hanging'): void
  end(): Promise<void>
}

/** Environment variables of the service: a heap of 256 megabytes, and the contract's limits of connections. */
const heap = {
  NODE_OPTIONS: '--max-old-space-size=256',
  // The limits of the contract, which other benchmarks raise.
  CONCORDAT_LIMIT_CONNECTIONS_PER_ADDRESS: '1300',
  CONCORDAT_LIMIT_NEW_CONNECTIONS_PER_ADDRESS: '2000',
} as const

/** The measured set-ups by name. Each starts in a new folder. */
export const setUps: Readonly<Record<string, (folder: string) => Promise<SetUp>>> = {
  embedded: (folder) =>
    started(async (processes, nodes) => {
      await mkdir(folder, { recursive: true })
      const service = await processes.service(folder, nodes)
      return { origin: new URL(service.url).origin, keysOf: service, pids: [service.pid] }
    }),
  nginx: (folder) =>
    replicated(folder, (processes, [first, second]) => processes.shippedNginx([first.url, second.url])),
  haproxy: (folder) => replicated(folder, (processes, services) => processes.shippedHaproxy(services)),
  backend: async (folder) => {
    const processes = new Processes()
    try {
      const { url, pid } = await processes.example('backend', folder, heap)
      return {
        origin: new URL(url).origin,
        contract: 'stock',
        // Each address is a user.
        users: async (count) => Array(count).fill('/'),
        pids: [pid],
        nodePids: [],
        stopNodes: () => undefined,
        end: () => processes.end(),
      }
    } catch (error) {
      await processes.end()
      throw error
    }
  },
}

/** Starts two services on one database behind a balancer. */
const replicated = (
  folder: string,
  balance: (processes: Processes, services: readonly [Service, Service]) => Promise<string>,
): Promise<SetUp> =>
  started(async (processes, nodes) => {
    const shared = {
      ...nodes,
      DATABASE_URL: await processes.postgres(),
      CONCORDAT_SECRET: randomBytes(32).toString('hex'),
      CONCORDAT_TRUSTED_PROXIES: '127.0.0.1',
    }
    const replica = async (name: string) => {
      await mkdir(join(folder, name), { recursive: true })
      return processes.service(join(folder, name), shared)
    }
    const [first, second] = [await replica('first'), await replica('second')]
    const origin = await balance(processes, [first, second])
    return { origin, keysOf: first, pids: [first.pid, second.pid] }
  })

async function started(
  start: (
    processes: Processes,
    env: Record<string, string>,
  ) => Promise<Pick<SetUp, 'origin' | 'pids'> & { readonly keysOf: Parameters<typeof makeKeys>[0] }>,
): Promise<SetUp> {
  const processes = new Processes()
  const node = (chainId: string) => processes.peer('isolation-node.ts', chainId)
  try {
    const [test, ...main] = [await node('0x1f'), await node('0x1e'), await node('0x1e')]
    const nodes = {
      ...heap,
      CONCORDAT_NODES_TEST: test.url,
      CONCORDAT_NODES_MAIN: main.map(({ url }) => url).join(),
    }
    const { keysOf, ...running } = await start(processes, nodes)
    return {
      ...running,
      contract: 'ethereum',
      users: (count, options) => makeKeys(keysOf, count, options),
      nodePids: [test.pid, ...main.map(({ pid }) => pid)],
      stopNodes(how) {
        for (const { pid } of main) process.kill(pid, how === 'refusing' ? 'SIGKILL' : 'SIGSTOP')
      },
      async end() {
        // SIGTERM would first let the node answer the attacker, and a stopped process never handles it.
        for (const pid of [...running.pids, ...main.map((one) => one.pid)].filter(isRunning))
          process.kill(pid, 'SIGKILL')
        await processes.end()
      },
    }
  } catch (error) {
    await processes.end()
    throw error
  }
}

/** Returns true while a process runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
