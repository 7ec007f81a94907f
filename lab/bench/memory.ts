import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { processesBelow } from '../../test/support/processes.js'
import { makeKeys } from './keys.js'
import { load } from './load.js'
import { megabytes, Processes } from './processes.js'
import { balance, deepBalance, local } from './work.js'

const connections = 32
const parts = 10
const settleMs = 5_000
/** Requests that a user makes per day, below the limit. */
const requestsPerUser = 20_000
const bodies = [local, deepBalance, balance]

/**
 * Prints the memory of the idle service on its defaults, with both chains embedded, and its memory under a mixed load of
 * local, cached and forwarded answers.
 * @param requests number of requests of the load
 */
export async function benchMemory(folder: string, requests: number): Promise<void> {
  await idle(join(folder, 'idle'))
  const processes = new Processes()
  try {
    const node = await processes.peer('node-server.ts', '0x1f')
    const main = await processes.peer('node-server.ts', '0x1e')
    const home = join(folder, 'loaded')
    await mkdir(home, { recursive: true })
    const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url }
    const ours = await processes.service(home, nodes)
    const keys = await makeKeys(ours, Math.max(10, Math.ceil(requests / requestsPerUser)))
    const work = {
      origin: new URL(ours.url).origin,
      path: (request: number) => keys[request % keys.length] ?? '/',
      body: (request: number) => (bodies[request % bodies.length] ?? local)(request),
    }
    const each = Math.ceil(requests / parts)
    for (let part = 0; part < parts; part++) {
      await load(work, part * each, each, connections)
      const size = await megabytes(ours.pid)
      console.log(
        `memory after ${String((part + 1) * each).padStart(9)} requests ${size.toFixed(0).padStart(6)} MB`,
      )
    }
  } finally {
    await processes.end()
  }
}

async function idle(home: string): Promise<void> {
  const processes = new Processes()
  try {
    await mkdir(home, { recursive: true })
    const { pid } = await processes.service(home, {})
    await delay(settleMs)
    const chains = await Promise.all((await processesBelow(pid)).map((child) => megabytes(child.pid)))
    const own = await megabytes(pid)
    const all = chains.reduce((sum, size) => sum + size, own)
    console.log(
      `memory idle, both chains embedded: ${all.toFixed(0)} MB, of these the service ${own.toFixed(0)} MB`,
    )
  } finally {
    await processes.end()
  }
}
