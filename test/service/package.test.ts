import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { linkPackages, readManifest } from '../support/compiled-package.js'
import { nodeTestCounts } from '../support/node-test-counts.js'
import { call } from '../support/service.js'
import { installPackage } from './package-harness.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { app, folder, modules, shell, installedBy } = await installPackage(t)
t.comment(installedBy === undefined ? 'unpacked: npm has neither a cache nor a network' : 'installed by npm')
const { version, exports: exported, optionalDependencies } = await readManifest(folder)
const entries = Object.keys(exported).filter((name) => !name.endsWith('.json'))
/** Entries that programs import. The others are loaded by tools by name. */
const imported = entries.filter((name) => typeof exported[name] === 'object')

await cp(join(root, 'test', 'fixtures', 'contracts', 'pet-store.json'), join(app, 'openrpc.json'))

t.test('the package contains compiled code, and every exported file', async (t) => {
  const files = await readdir(folder, { recursive: true })
  t.same(
    files.filter((file) => /^(src|conformance)\/.*\.ts$/.test(file)),
    [],
    'no source: the command runs the compiled code',
  )
  t.same(
    files.filter((file) => /(?:^|\/)(?:test|bench|examples)\//.test(file) || file.endsWith('.tgz')),
    [],
    'no development files',
  )
  const targets = Object.values(exported).flatMap((one) =>
    typeof one === 'string' ? [one] : Object.values(one),
  )
  for (const target of targets) t.ok(files.includes(target.replace('./', '')), target)
  const names = 'client codegen conformance node-access open-rpc-generator rpc server server-js'.split(' ')
  t.same(
    entries.sort(),
    names.map((name) => `./${name}`),
    'exports',
  )
  const { mode } = await stat(join(folder, 'bin', 'concordat.js'))
  t.ok(mode & 0o100, 'the command is executable')
})

/** The message of a command that needs an optional package. */
const missing = new RegExp(
  `optional package (?:${Object.keys(optionalDependencies).join('|')})\\b.* not installed`,
)

t.test('without optional packages, every command either works or explains what is missing', async (t) => {
  for (const name of Object.keys(optionalDependencies)) {
    await t.rejects(stat(join(modules, name)), { code: 'ENOENT' }, name)
  }
  t.match(await shell.run('npx concordat --version'), { code: 0, output: `${version}\n` })
  const { output } = await shell.run('concordat --help')
  const commands = [...output.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name)
  t.ok(commands.length >= 9, commands.join(' '))
  for (const name of commands) {
    const help = await shell.run(`concordat ${name} --help`)
    const isMissing = help.code === 2 && missing.test(help.output)
    t.ok(isMissing || help.output.startsWith('Usage: '), name)
    if (!isMissing) t.equal(help.code, 0)
    if (['init', 'generate', 'lint', 'diff', 'mock', 'conform'].includes(name)) t.notOk(isMissing)
  }
})

t.test('a contract is checked, compared, generated and served without optional packages', async (t) => {
  t.match(await shell.run('concordat lint'), { code: 0, output: '(0 errors)' })
  t.match(await shell.run('concordat diff openrpc.json openrpc.json'), { code: 0 })
  t.match(await shell.run('concordat generate'), { code: 0, output: /^new +client\.ts$/m })
  t.match(await shell.run('concordat generate --check'), { code: 0, output: 'is current' })
  const mock = spawn(
    'bash',
    ['-c', 'unset NODE_OPTIONS; exec node_modules/.bin/concordat mock --port 0 --ready-file mock.json'],
    { cwd: app, stdio: 'ignore' },
  )
  const ended = once(mock, 'exit')
  t.teardown(() => mock.kill())
  const { url } = JSON.parse(await readyFile(join(app, 'mock.json'), mock))
  const conform = await shell.run(`concordat conform --contract openrpc.json --allow write ${url}`)
  t.match(conform, { code: 0, output: /^ {2}\d+ passed/m })
  mock.kill('SIGTERM')
  t.same(await ended, [0, null])
})

/** A file that a process writes once it is ready. */
async function readyFile(path: string, child: ChildProcess): Promise<string> {
  while (child.exitCode === null) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new TypeError(`it ended with ${child.exitCode}`)
}

t.test('a command names the optional package that it needs', async (t) => {
  const started = await shell.run('concordat start --port 0')
  t.equal(started.code, 2)
  t.match(started.output, missing)
  t.notMatch(started.output, /\n +at /, 'no stack')
})

/** Uses each entry for its purpose. */
const program = `
import { createRpcClient, TransportError } from 'concordat/client'
import { type Contract, generateFiles, loadContract } from 'concordat/codegen'
import { type Report, runConformance } from 'concordat/conformance'
import { createClient as createNodeClient, createProvider } from 'concordat/node-access'
import { type JsonValue, RpcError } from 'concordat/rpc'
import { createServer } from 'concordat/server'
import { createClient as createPets, isRpcError } from './generated/client.js'
import { methods } from './generated/methods.js'
import type { Handlers } from './generated/service.js'

const contract: Contract = await loadContract('openrpc.json')
const files = generateFiles(contract, { name: 'app', version: '1' })
export type Runs = (...options: Parameters<typeof runConformance>) => Promise<Report>

const handlers: Handlers = {
  listPets: () => [{ id: 1, name: 'Rex', kind: 'dog' }],
  addPet: () => { throw new RpcError({ code: 100, message: 'Pets are busy' }) },
  getPet: () => null,
  petSeen: () => {},
}
const server = await createServer({ methods, handlers }).listen({ port: 0 })
const pets = createPets(server.url)
const [first] = await pets.listPets(1)
const name: string | undefined = first?.name
const refused: unknown = await pets.addPet({ id: 1, name: 'Rex', kind: 'dog' }).catch((error: unknown) => error)
await server.close()
const lost: unknown = await pets.listPets(1).catch((error: unknown) => error)
const data: JsonValue = { name: name ?? null }
console.log(JSON.stringify([
  files.length > 5, data, isRpcError(refused) && refused.code, lost instanceof TransportError,
  [createRpcClient, createNodeClient, createProvider, runConformance].every((one) => typeof one === 'function'),
]))
`

t.test('every entry works, and its types compile with each module resolution', async (t) => {
  await writeFile(join(app, 'use.ts'), program)
  const all = imported
    // The types of an optional peer, which is not installed here, are needed for this one.
    .filter((name) => name !== './server-js')
    .map((name, at) => `export * as entry${at} from '${name.replace('.', 'concordat')}'\n`)
  await writeFile(join(app, 'all.ts'), all.join(''))
  const strict =
    '--strict --target es2023 --lib es2023 --types node --noUncheckedIndexedAccess --exactOptionalPropertyTypes'
  for (const modules of ['nodenext', 'node16', 'esnext --moduleResolution bundler']) {
    t.same(
      await shell.run(`tsc ${strict} --noEmit --module ${modules} use.ts all.ts`),
      { code: 0, output: '' },
      modules,
    )
  }
  t.same(await shell.run(`tsc ${strict} --outDir compiled --rootDir . --module nodenext use.ts`), {
    code: 0,
    output: '',
  })
  await cp(join(app, 'generated', 'validators.js'), join(app, 'compiled', 'generated', 'validators.js'))
  const ran = await shell.run('node compiled/use.js')
  t.same(ran, { code: 0, output: '[true,{"name":"Rex"},100,true,true]\n' })
})

for (const entry of ['client', 'node-access']) {
  t.test(`concordat/${entry} runs in a browser: no package, nothing of Node.js`, async (t) => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: `export * from 'concordat/${entry}'`, resolveDir: app },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      preserveSymlinks: true,
      logLevel: 'silent',
    })
    const inputs = Object.entries(metafile.inputs)
    const foreign = inputs
      .map(([path]) => path)
      .filter((path) => path !== '<stdin>' && !/(?:^|\/)node_modules\/concordat\/dist\//.test(path))
    t.same(foreign, [], 'no other package')
    t.same(
      inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external)),
      [],
      'no platform modules',
    )
    t.ok(inputs.length > 5)
    const [bundle] = outputFiles
    t.ok(bundle && bundle.contents.length > 1000)
    t.notMatch(bundle?.text ?? '', /\b(?:process\.|Buffer\.|node:)/)
  })
}

t.test('a new project depends on the installed archive, and works', async (t) => {
  t.match(await shell.run('concordat init todo'), { code: 0, output: 'npm start' })
  const { dependencies } = JSON.parse(await readFile(join(app, 'todo', 'package.json'), 'utf8'))
  const expected =
    installedBy === undefined ? `^${version}` : `file:${join(app, '..', `concordat-${version}.tgz`)}`
  t.same(dependencies, { concordat: expected })
  const { code, output } = await shell.run('cd todo && npm test')
  t.equal(code, 0)
  t.match(nodeTestCounts(output), { pass: 3, fail: 0 })
})

t.test('concordat/server-js works with its peer dependency', async (t) => {
  await linkPackages(modules, ['@open-rpc/server-js'])
  const code = `import { ContractRouter, FastifyTransport, guardTransport } from 'concordat/server-js'
console.log([ContractRouter, FastifyTransport, guardTransport].every((one) => typeof one === 'function'))
`
  await writeFile(join(app, 'peer.ts'), code)
  const options = '--strict --module nodenext --target es2023 --types node --skipLibCheck'
  t.same(await shell.run(`tsc ${options} peer.ts`), { code: 0, output: '' })
  t.same(await shell.run('node peer.js'), { code: 0, output: 'true\n' })
})

t.test('open-rpc-generator loads the component by its name', async (t) => {
  const present = await readdir(modules)
  const scoped = await readdir(join(modules, '@open-rpc'))
  const others = (await readdir(join(root, 'node_modules'))).filter(
    (name) => !name.startsWith('.') && !present.includes(name),
  )
  const siblings = (await readdir(join(root, 'node_modules', '@open-rpc'))).filter(
    (name) => name !== 'generator' && !scoped.includes(name),
  )
  await linkPackages(modules, [...others, ...siblings.map((name) => `@open-rpc/${name}`)])
  // Its requires are resolved from its own folder.
  const generator = join('@open-rpc', 'generator')
  await cp(join(root, 'node_modules', generator), join(modules, generator), { recursive: true })
  const component = {
    type: 'custom',
    name: 'api',
    language: 'typescript',
    customComponent: 'concordat/open-rpc-generator',
    outPath: './made',
  }
  const config = { openrpcDocument: './openrpc.json', components: [component] }
  await writeFile(join(app, 'config.json'), JSON.stringify(config))
  const made = await shell.run(`node node_modules/${generator}/build/cli.js generate -c config.json`)
  t.match(made, { code: 0, output: /^concordat: \.\/made: \d+ written/m })
  const client = (at: string) => readFile(join(app, at, 'client.ts'), 'utf8')
  t.equal(await client('made'), await client('generated'))
})

t.test('with the optional packages the service starts', async (t) => {
  const missing: string[] = []
  for (const name of Object.keys(optionalDependencies)) {
    await stat(join(modules, name)).catch(() => missing.push(name))
  }
  await linkPackages(modules, missing)
  const service = spawn(
    'bash',
    [
      '-c',
      'unset NODE_OPTIONS; exec node_modules/.bin/concordat start --port 0 --data data --ready-file ready.json',
    ],
    { cwd: app, stdio: 'ignore' },
  )
  const ended = once(service, 'exit')
  t.teardown(() => service.kill())
  const { networks } = JSON.parse(await readyFile(join(app, 'ready.json'), service))
  t.equal(await call(networks.test.url, 'eth_chainId'), '0x1f')
  service.kill('SIGTERM')
  t.same(await ended, [0, null])
})
