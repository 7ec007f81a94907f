/**
 * Generated code as users compile it: TypeScript 5.4 to 7, each flag from the version that brought it, for Node.js and for
 * bundlers, and bundles of esbuild, Vite and webpack. The compilers and bundlers have about 400 MB, so this file installs
 * them; only the newest compiler is a dependency of the project.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import {
  type Compiler,
  createUserProject,
  flagsOf,
  newestCompiler,
  olderVersions,
} from '../support/compilers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { loadFixture, ownContract } from '../unit/codegen/fixtures.js'

t.setTimeout(3_600_000)

const run = promisify(execFile)
const tools = await temporaryFolder(t)
const bundlers = ['vite@^8', 'webpack@^5']
const typescripts = olderVersions.map((version) => `typescript-${version}@npm:typescript@~${version}.2`)
await writeFile(join(tools, 'package.json'), '{"private":true}')
await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', tools, ...typescripts, ...bundlers])

const older = olderVersions.map((version): Compiler => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return {
    version: [major, minor],
    command: ['node', join(tools, `node_modules/typescript-${version}/bin/tsc`)],
  }
})
const compilers = [newestCompiler, ...older]

await mkdir(fileURLToPath(new URL('../../.tap', import.meta.url)), { recursive: true })
const fixtures = [
  ...['connections', 'constructs', 'errors', 'hostile', 'links', 'namespaces', 'odd-names'],
  ...['own-words', 'pattern-properties', 'recursive', 'service-rules', 'tuples', 'unicode-names'],
]
const contracts = await Promise.all(fixtures.map(async (name) => [name, await loadFixture(name)] as const))
const project = await createUserProject(new Map([['own', await ownContract()], ...contracts]))
t.teardown(project.remove)

for (const compiler of compilers) {
  const version = compiler.version.join('.')
  const all = flagsOf(compiler)
  t.test(`TypeScript ${version}`, async (t) => {
    for (const flags of [[], ...all.map((flag) => [flag]), all])
      t.equal(await project.errors(compiler, 'nodenext', flags), '', `nodenext ${flags.join(' ')}`)
    for (const flags of [[], all])
      t.equal(await project.errors(compiler, 'bundler', flags), '', `bundler ${flags.join(' ')}`)
  })
}

/** A program that creates a client and prints the names of two of its methods. */
const program = `import { createClient } from './own/client.js'
const client = createClient('http://127.0.0.1:1/')
console.log(typeof client.eth_blockNumber, typeof client.eth_getLogs)
`

t.test('bundles run', async (t) => {
  const entry = join(project.folder, 'program.ts')
  await writeFile(entry, program)
  const runs = async (file: string) => (await run('node', [file])).stdout.trim()
  const bundle = (name: string) => join(project.folder, `${name}.bundle.mjs`)

  await build({ entryPoints: [entry], bundle: true, format: 'esm', outfile: bundle('esbuild') })
  t.equal(await runs(bundle('esbuild')), 'function function', 'esbuild')

  const vite = await import(pathToFileURL(join(tools, 'node_modules/vite/dist/node/index.js')).href)
  await vite.build({
    root: project.folder,
    configFile: false,
    logLevel: 'error',
    build: {
      lib: { entry, formats: ['es'], fileName: () => 'vite.bundle.mjs' },
      outDir: join(project.folder, 'vite'),
    },
  })
  t.equal(await runs(join(project.folder, 'vite/vite.bundle.mjs')), 'function function', 'Vite')

  // webpack reads JavaScript, so that it gets the built package of this contract.
  const script = join(project.folder, 'program.mjs')
  await writeFile(script, program.replace('./own/client.js', '@concordat/node-access-contract/client'))
  const { default: webpack } = await import(
    pathToFileURL(createRequire(join(tools, 'package.json')).resolve('webpack')).href
  )
  await new Promise<void>((done, fail) => {
    const output = { path: project.folder, filename: 'webpack.bundle.mjs', module: true }
    // The places of sources in this repository's tsconfig.json do not concern users.
    const resolve = { tsconfig: false }
    const settings = { mode: 'production', target: ['web', 'es2022'], entry: script, resolve, output }
    webpack({ ...settings, experiments: { outputModule: true } }, (error: Error | null, stats: Stats) => {
      if (error || stats.hasErrors() || stats.hasWarnings()) fail(error ?? new Error(stats.toString()))
      else done()
    })
  })
  t.equal(await runs(bundle('webpack')), 'function function', 'webpack')
  t.match(await readFile(bundle('webpack'), 'utf8'), 'eth_getLogs')
})

interface Stats {
  hasErrors(): boolean
  hasWarnings(): boolean
  toString(): string
}
