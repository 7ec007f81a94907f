/**
 * Compares the cost of code generation with `open-rpc-generator`: elapsed time, processor time and peak memory of
 * separate processes. The documents are our contract, a small document that both support, and a document of 86 methods
 * and 2 MB, with and without recursive schemas.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { largeDocument } from './large-document.js'

/** Timeout of a generator, in seconds. */
const secondsMost = 60

const root = fileURLToPath(new URL('../../', import.meta.url))

/** At its end, writes the resource usage of the process to the file named by an environment variable. */
const meter = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())))`

interface Cost {
  readonly seconds: number
  readonly processorSeconds: number
  readonly megabytes: number
}

/** Runs a Node.js script to its end; undefined if it fails or takes too long. */
async function measured(folder: string, args: readonly string[]): Promise<Cost | undefined> {
  const usageFile = join(folder, 'usage.json')
  const start = performance.now()
  const child = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(meter)}`, ...args],
    {
      stdio: 'ignore',
      cwd: folder,
      env: { ...process.env, BENCH_USAGE: usageFile },
      timeout: secondsMost * 1_000,
      killSignal: 'SIGKILL',
    },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) return undefined
  const seconds = (performance.now() - start) / 1_000
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(await readFile(usageFile, 'utf8'))
  return {
    seconds,
    processorSeconds: (userCPUTime + systemCPUTime) / 1_000_000,
    megabytes: maxRSS / 1_024,
  }
}

function told(cost: Cost | undefined): string {
  if (!cost) return `does not finish within ${secondsMost} s`
  const { seconds, processorSeconds, megabytes } = cost
  return `${seconds.toFixed(2)} s, ${processorSeconds.toFixed(2)} s of processor time, ${megabytes.toFixed(0)} MB`
}

/** Generates a TypeScript client with the peer, as its documentation describes. */
async function peer(folder: string, document: string): Promise<Cost | undefined> {
  const config = {
    openrpcDocument: document,
    outDir: './peer',
    components: [{ type: 'client', name: 'client', language: 'typescript' }],
  }
  await writeFile(join(folder, 'peer.json'), JSON.stringify(config))
  const cli = join(root, 'node_modules/@open-rpc/generator/build/cli.js')
  return measured(folder, [cli, 'generate', '-c', 'peer.json'])
}

/**
 * Measures our generator alone on documents of 86 methods and 2 MB, with and without recursive schemas.
 * @param folder where documents and generated files go
 */
export async function benchLarge(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const isRecursive of [false, true]) {
    const name = isRecursive ? 'recursive' : 'plain'
    const text = JSON.stringify(largeDocument(isRecursive), null, 2)
    await writeFile(join(folder, `${name}.json`), text)
    const cost = await measured(folder, [
      join(root, 'bin/concordat.js'),
      'generate',
      `${name}.json`,
      '--out',
      name,
    ])
    console.log(`generate ${name} (${(text.length / 1_000_000).toFixed(2)} MB): ${told(cost)}`)
  }
}

/**
 * Measures both generators on every document and prints their costs.
 * @param folder where documents and generated files go
 */
export async function benchGenerate(folder: string): Promise<void> {
  const documents = { ours: 'openrpc.json', 'pet store': 'test/fixtures/contracts/pet-store.json' }
  await mkdir(folder, { recursive: true })
  for (const [name, path] of Object.entries(documents))
    await copyFile(join(root, path), join(folder, `${name}.json`))
  for (const isRecursive of [false, true]) {
    const name = isRecursive ? '86 methods, recursive' : '86 methods'
    await writeFile(join(folder, `${name}.json`), JSON.stringify(largeDocument(isRecursive), null, 2))
  }
  for (const name of ['pet store', 'ours', '86 methods', '86 methods, recursive']) {
    const document = `${name}.json`
    const kilobytes = Math.round((await stat(join(folder, document))).size / 1_024)
    const cli = join(root, 'bin/concordat.js')
    const ours = await measured(folder, [cli, 'generate', document, '--out', `ours-${name}`])
    console.log(`generate ${name} (${kilobytes} kB)`)
    console.log(`  concordat           ${told(ours)}`)
    console.log(`  open-rpc-generator  ${told(await peer(folder, document))}`)
  }
}
