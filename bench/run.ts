/**
 * `npm run bench`: ours beside its peers, in one run on the same work. Each round asks every server the same number of
 * requests over the same number of connections, in an order that turns with the round; what counts is the processor
 * time of the serving process per request (Linux: /proc), the median of the rounds, as a ratio to the peer.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { benchGenerate } from './generate.js'

const rounds = 5
const requestsPerRound = 10_000
const connections = 32
/** Linux counts processor time in hundredths of a second. */
const microsecondsPerTick = 10_000

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly body: string
  readonly microseconds: number[]
}

const children: ChildProcess[] = []

/** Starts a peer of this folder and waits for the port that it prints. */
async function peer(file: string, ...args: string[]): Promise<{ url: string; pid: number }> {
  const child = spawn(process.execPath, ['--import=tsx', here(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0 }
}

/** Starts the service in a folder of its own; its limit a day is the contract's, so rounds stay below it. */
async function service(folder: string, env: Record<string, string>): Promise<{ url: string; pid: number }> {
  const readyFile = join(folder, 'ready.json')
  const args = [
    here('../bin/concordat.js'),
    'start',
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
    '--ready-file',
    readyFile,
  ]
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } })
  children.push(child)
  for (;;) {
    const ready = await readFile(readyFile, 'utf8').catch(() => undefined)
    if (ready !== undefined) return { url: JSON.parse(ready).networks.test.url, pid: child.pid ?? 0 }
    if (child.exitCode !== null) throw new Error('the service did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Processor time of a process so far, user and system, in microseconds. */
async function processorTime(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick
}

/** Asks a server `count` times over all connections; every answer has to be HTTP 200 with a result. */
async function load({ url, body }: Server, count: number): Promise<void> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections })
  let asked = 0
  const worker = async () => {
    while (asked++ < count) {
      const { statusCode, body: answer } = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const text = await answer.text()
      if (statusCode !== 200 || !text.includes('"result"'))
        throw new Error(`${url}: HTTP ${statusCode} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await pool.close()
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const folder = await mkdtemp(join(tmpdir(), 'concordat-bench-'))
try {
  await benchGenerate(join(folder, 'generate'))
  const local = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const forwarded = `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x${'a1'.repeat(20)}","latest"]}`
  const node = await peer('echo-server.ts')
  const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url }
  const servers: Server[] = [
    { name: 'bare node:http echo', body: local, ...(await peer('echo-server.ts')) },
    { name: 'bare undici forwarding', body: forwarded, ...(await peer('forward-server.ts', node.url)) },
  ].map((server) => ({ ...server, microseconds: [] }))
  for (let round = 0; round < rounds; round++) {
    // A service of its own each round: two loads of it stay below the contract's requests a day.
    const home = await mkdtemp(join(folder, 'round-'))
    const ours = await service(home, nodes)
    const both: Server[] = [
      { name: 'ours, local answer', body: local, ...ours, microseconds: [] },
      { name: 'ours, forwarded', body: forwarded, ...ours, microseconds: [] },
    ]
    const turn = [...servers.slice(0, 2), ...both]
    for (const server of [...turn.slice(round % 4), ...turn.slice(0, round % 4)]) {
      await load(server, 1_000)
      const before = await processorTime(server.pid)
      await load(server, requestsPerRound)
      server.microseconds.push(((await processorTime(server.pid)) - before) / requestsPerRound)
    }
    for (const { name, microseconds } of both) {
      const known = servers.find((server) => server.name === name)
      if (known === undefined)
        servers.push({
          ...(both.find((one) => one.name === name) as Server),
          microseconds: [...microseconds],
        })
      else known.microseconds.push(...microseconds)
    }
    const child = children.pop()
    child?.kill('SIGTERM')
    if (child !== undefined && child.exitCode === null) await once(child, 'exit')
  }
  const of = (name: string) => median(servers.find((server) => server.name === name)?.microseconds ?? [])
  for (const { name, microseconds } of servers) {
    console.log(
      `${name.padEnd(24)} ${median(microseconds).toFixed(1).padStart(7)} µs of processor time a request`,
    )
  }
  console.log(
    `local answer / bare echo         ${(of('ours, local answer') / of('bare node:http echo')).toFixed(2)}`,
  )
  console.log(
    `forwarded / bare forwarding      ${(of('ours, forwarded') / of('bare undici forwarding')).toFixed(2)}`,
  )
} finally {
  for (const child of children) child.kill('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}
