import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateFiles, parseContract } from '../../src/toolkit/codegen/index.js'
import { median } from './median.js'
import { processorTime } from './processes.js'
import { type Load, loads } from './transport-loads.js'
import { servers, sums, type TransportName } from './transport-servers.js'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Rounds before the measurement, in which Node.js compiles the code. */
const warmUps = 3

interface Measured {
  readonly name: string
  readonly load: Load
  readonly pid: number
  readonly microseconds: number[]
}

/**
 * Compares the processor time per call of our server with that of other JSON-RPC servers, on each transport in one run.
 * The table of ratios in docs/backend.md is that of the printed one.
 * @param folder for the generated code
 */
export async function benchTransports(
  folder: string,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<void> {
  const methodsFile = await generatedMethods(folder)
  const rows: string[] = []
  for (const transport of Object.keys(servers) as TransportName[]) {
    const children: ChildProcess[] = []
    try {
      const all: Measured[] = []
      for (const name of Object.keys(servers[transport])) {
        const child = start(transport, name, methodsFile)
        children.push(child)
        const [port] = await once(child, 'message')
        const load = await loads[transport](port, child)
        all.push({ name, load, pid: child.pid ?? 0, microseconds: [] })
      }
      for (let round = -warmUps; round < rounds; round++) await runRound(all, round, calls)
      rows.push(...rowsOf(transport, all))
    } finally {
      for (const child of children) child.disconnect()
    }
  }
  console.log(['| transport | server | µs per call | to ours |', '|---|---|---|---|', ...rows].join('\n'))
}

/** Loads each server once. Each round begins with another one. */
async function runRound(all: readonly Measured[], round: number, calls: number): Promise<void> {
  const first = (round + warmUps) % all.length
  for (const { load, pid, microseconds } of [...all.slice(first), ...all.slice(0, first)]) {
    const before = await processorTime(pid)
    await load(calls)
    if (round >= 0) microseconds.push(((await processorTime(pid)) - before) / calls)
  }
}

function rowsOf(transport: TransportName, all: readonly Measured[]): readonly string[] {
  const ours = median(all.find(({ name }) => name === 'ours')?.microseconds)
  return all.map(({ name, microseconds }) => {
    const own = median(microseconds)
    return `| ${transport} | ${name} | ${own.toFixed(1)} | ${(own / ours).toFixed(2)} |`
  })
}

function start(transport: TransportName, name: string, methodsFile: string): ChildProcess {
  // Without the source paths of the project, the server is the compiled one that users install.
  const env = { ...process.env, TSX_TSCONFIG_PATH: here('tsconfig.json') }
  return fork(here('transport-process.ts'), [transport, name, methodsFile], {
    execArgv: ['--import=tsx'],
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    env,
  })
}

/** Generates the methods of the contract, and returns their file. */
async function generatedMethods(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await symlink(here('../../node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const tool = { name: 'concordat', version: '0.0.0' }
  for (const { path, content } of generateFiles(parseContract(JSON.stringify(sums)), tool))
    await writeFile(join(folder, path), content)
  return join(folder, 'methods.ts')
}
