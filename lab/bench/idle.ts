import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { IdleMemory } from './idle-server.js'
import { frameOf, upgraded } from './transport-loads.js'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Connections that are opened at once. */
const concurrency = 64
/** Time in which the allocator returns unused pages. */
const settleMilliseconds = 2_000
const kilobyte = 1_000
/** The limit on the memory of an idle connection, in kilobytes. */
const limit = 12

/**
 * Prints the memory of an idle WebSocket on our server and on a bare server with the package `ws`.
 * @param connections number of open connections; each process needs as many file descriptors
 */
export async function benchIdle(connections: number): Promise<void> {
  const row = (...cells: readonly string[]) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(24) : cell.padStart(18))).join(''))
  console.log(`kB for each of ${connections} idle WebSockets`)
  row('', 'before a call', 'objects', 'after a call', 'objects')
  for (const name of ['ws', 'ours']) {
    const cells = await idleMemory(name, connections)
    row(name, ...cells.map((cell) => cell.toFixed(1)))
    if (name === 'ours' && cells.some((cell) => cell > limit))
      throw new Error(`over the limit of ${limit} kB`)
  }
}

async function idleMemory(name: string, connections: number): Promise<readonly number[]> {
  const child = startServer(name)
  const sockets: Socket[] = []
  try {
    const [port] = (await once(child, 'message')) as [number]
    const before = await memoryOf(child)
    await open(sockets, port, connections)
    const each = ({ residentBytes, heapBytes, connections: open }: IdleMemory) => {
      if (open !== connections) throw new Error(`${open} of ${connections} connections are open`)
      const perConnection = (after: number, own: number) => (after - own) / open / kilobyte
      return [perConnection(residentBytes, before.residentBytes), perConnection(heapBytes, before.heapBytes)]
    }
    const silent = each(await memoryOf(child))
    for (const socket of sockets) await called(socket)
    return [...silent, ...each(await memoryOf(child))]
  } finally {
    for (const socket of sockets) socket.destroy()
    child.disconnect()
  }
}

/** Starts a server in a process of its own. Its first message is its port. */
export function startServer(name: string): ChildProcess {
  // Without the source paths of the project, the server is the compiled one that users install.
  const env = { ...process.env, TSX_TSCONFIG_PATH: here('tsconfig.json') }
  return fork(here('idle-server.ts'), [name], { execArgv: ['--import=tsx', '--expose-gc'], env })
}

/** Returns the memory of a server after some time and a garbage collection. */
export async function memoryOf(child: ChildProcess): Promise<IdleMemory> {
  await delay(settleMilliseconds)
  child.send('measure')
  const [memory] = await once(child, 'message')
  return memory
}

async function open(sockets: Socket[], port: number, count: number): Promise<void> {
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) sockets.push(await upgraded(port, '/rpc'))
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** Sends a call and waits for its answer. */
async function called(socket: Socket): Promise<void> {
  socket.write(frameOf('{"jsonrpc":"2.0","id":1,"method":"ping"}'))
  await once(socket, 'data')
}
