import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import {
  type Bill,
  billOf,
  excessOf,
  type Installation,
  installations,
  licenceProblems,
  weigh,
} from '../../bin/installations.js'
import { archiveProblems, archivesOf, packPackages } from '../../bin/pack-packages.js'
import { deadTargets, withPackedTargets } from '../../bin/packed-links.js'
import { nodeRows } from '../../lab/matrix/node-rows.js'
import { runRow } from '../../lab/matrix/run-rows.js'
import { startEmbeddedChain } from '../support/anvil-node.js'
import { openGuide } from '../support/guide.js'
import { nodeTestCounts } from '../support/node-test-counts.js'
import { startPackageRegistry } from '../support/package-registry.js'
import { isLong } from '../support/runs.js'
import { call, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findTool } from '../support/tools.js'
import { userShell } from '../support/user-shell.js'
import { followInstallation } from './packages/machine.js'
import { testRelease } from './packages/release.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
await findTool('npm registry')
const archives = await temporaryFolder(t)
const packed = await packPackages(archives, { isBuilt: true })
/** Bills of materials, by the users of the installation. */
const bills = new Map<string, Bill>()

const manifest = { name: 'project', version: '1.0.0', private: true, type: 'module' }

/** An empty project in which packages are installed from their archives, as users do from the registry. */
async function project(name: string, ...wanted: readonly string[]) {
  const folder = join(archives, name)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const own = await Promise.all(
    wanted.map(async (one) => (one.includes('concordat') ? archivesOf(one, packed) : [`'${one}'`])),
  )
  const shell = userShell(folder, [join(folder, 'node_modules/.bin')])
  const options = '--engine-strict --ignore-scripts --prefer-offline --no-audit --no-fund'
  const { code, output } = await shell.run(`npm install ${options} ${[...new Set(own.flat())].join(' ')}`)
  if (code !== 0) throw new TypeError(output)
  const { packages } = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  const installed = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''))
  return { folder, shell, installed }
}

/** Checks that an installation is not heavier than allowed. */
async function holdsWeight(t: Test, users: keyof typeof installations, folder: string): Promise<void> {
  const { most }: Installation = installations[users]
  t.ok(most, users)
  t.same(excessOf(users, await weigh(folder), most), [])
}

/**
 * The projects of backend teams and operators. The short form installs all packages in one project, and removes the
 * gateway after its test. It is installed before the first test, because tests cannot be added after the others ended.
 */
const server = ['@concordat/server', '@concordat/client', 'fastify@^5.12.8', 'light-my-request@~6.6.0']
const together = isLong ? undefined : await project('together', '@concordat/gateway', 'concordat', ...server)

t.test('no archive has a file twice, a source map, a source or a dead link', async (t) => {
  t.equal(packed.length, 7)
  for (const one of packed) {
    t.same(await archiveProblems(one), [], one.name)
    t.same(
      one.files.filter((path) => /(?<!\.d)\.tsx?$|^(?:test|bench|examples\/(?!ci\/))/.test(path)),
      [],
      `${one.name}: compiled code only`,
    )
    t.ok(one.files.includes('LICENSE'), `${one.name}: licence`)
  }
})

t.test('links of an archive lead to its files, or are texts', async (t) => {
  const files = ['docs/a.md', 'docs/b.md', 'dist/src/schema.json', 'cases/one.yaml']
  const text =
    '[b](b.md#x), [folder](../docs), [schema](../src/schema.json), `[code](c.md)`, [web](https://c)'
  t.same(deadTargets('docs/a.md', `${text}, [test](../test/t.ts)`, files), [
    '../src/schema.json',
    '../test/t.ts',
  ])
  t.equal(
    withPackedTargets('docs/a.md', `${text}, [test](../test/t.ts)`, files),
    `${text.replace('../src', '../dist/src')}, test`,
  )
  const schema = '# yaml-language-server: $schema=../src/schema.json\n'
  t.same(deadTargets('cases/one.yaml', schema, files), ['../src/schema.json'])
  t.match(withPackedTargets('cases/one.yaml', schema, files), '$schema=../dist/src/schema.json')
  t.same(deadTargets('page.html', '<a href="#top"></a><img src="gone.png">', files), ['gone.png'])
})

t.test('the client of this service is four packages', async (t) => {
  const { folder, installed } = await project('integrator', '@concordat/node-access')
  t.same(installed.sort(), [
    '@concordat/client',
    '@concordat/node-access',
    '@concordat/node-access-contract',
    '@concordat/rpc',
  ])
  await holdsWeight(t, 'client of this service', folder)
  const service = await startService()
  t.teardown(() => service.stop())
  const { url } = service.networks.test
  // The first version's rows, on the Node.js that runs this test.
  for (const { node, ...row } of nodeRows.filter(({ version }) => version === nodeRows[0]?.version)) {
    const { kind, reason } = await runRow(row, folder, row.form.replaceAll('`', ''), url)
    t.equal(kind, 'works', `${row.form}: ${reason}`)
  }
})

const olderOptions = '--noEmit --strict --module commonjs --moduleResolution node10 --target es2022'

const teamProgram = `import { createClient } from '@acme/orders/client'
import type { Pet } from '@acme/orders/types'
const client = createClient('http://127.0.0.1:1')
// @ts-expect-error: the contract has no such method
client.nothing()
export const pets: Promise<readonly Pet[]> = client.listPets(1)
`

t.test('types are found by tools that do not read "exports"', async (t) => {
  const folder = join(archives, 'integrator')
  for (const name of ['client', 'node-access', 'node-access-contract', 'rpc']) {
    const home = join(folder, 'node_modules/@concordat', name)
    const { main, types, typesVersions = {} } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
    const files = [main, types, ...Object.values(typesVersions['*'] ?? {}).flat()].filter(Boolean)
    t.ok(files.length > 1, name)
    for (const file of files) t.ok((await stat(join(home, file))).isFile(), `${name}: ${file}`)
  }
})

t.test('the gateway starts from its archive, with the command of the toolkit', async (t) => {
  const { folder, shell } = together ?? (await project('operator', '@concordat/gateway'))
  const bill = await billOf(folder, 'this service', packed[0]?.version ?? '')
  t.same(licenceProblems(bill), [])
  bills.set('this service', bill)
  const launcher = join(folder, 'node_modules/concordat/bin/concordat.js')
  const service = await startService({ launcher })
  t.teardown(() => service.stop())
  t.equal(await call(service.networks.main.url, 'eth_chainId'), '0x1e')
  for (const path of ['/', '/docs']) t.equal((await fetch(service.origin + path)).status, 200, path)
  await followInstallation(t, folder)
  const report = await shell.run(`concordat conform ${service.networks.test.url} --only 'identity/*'`)
  t.match(report, { code: 0, output: /^ {2}\d+ passed/m })
})

t.test('the guide for backend teams starts a project and publishes its contract', async (t) => {
  const { folder } = together ?? (await project('team', 'concordat'))
  const cwd = join(folder, 'reader')
  await mkdir(cwd)
  for (const name of ['openrpc.json', 'your-openrpc.json'])
    await cp(join(root, 'test/fixtures/contracts/pet-store.json'), join(cwd, name))
  const registry = await startPackageRegistry(t, packed)
  const guide = await openGuide('docs/backend.md', ['Start a project', 'Publish the contract'])
  const [start] = guide.commands('Start a project')
  const started = start?.start({ cwd, env: { ...registry.env, PORT: '0' } })
  const [, url = ''] = (await started?.said(/^Listening on (http\S+)$/m)) ?? []
  t.match(await call(url, 'listPets', 1), [{ name: 'Rex' }])
  const { output = '' } = (await started?.stop()) ?? {}
  t.match(nodeTestCounts(output), { pass: 2, fail: 0 })

  const [publish] = guide.commands('Publish the contract')
  const { code, output: said = '' } = (await publish?.run({ cwd, env: registry.env })) ?? {}
  t.equal(code, 0, said)
  const home = join(cwd, 'published')
  await mkdir(home)
  await writeFile(join(home, 'orders.tgz'), registry.published.get('@acme/orders') ?? '')
  const unpacked = await userShell(home).run('tar xzf orders.tgz && cat package/package.json')
  const { exports, typesVersions } = JSON.parse(unpacked.output)
  for (const [name, [file]] of Object.entries<readonly string[]>(typesVersions['*'])) {
    t.ok(`./${name}` in exports, name)
    t.ok((await stat(join(home, 'package', file ?? ''))).isFile(), `${file}`)
  }
  if (!isLong) return
  const older = await project('older-team', '@concordat/client', 'typescript@~5.4.5', '@types/node@20')
  await older.shell.run(`npm install --ignore-scripts --prefer-offline ${join(home, 'orders.tgz')}`)
  await writeFile(join(older.folder, 'use.ts'), teamProgram)
  t.same(await older.shell.run(`tsc ${olderOptions} use.ts`), { code: 0, output: '' })
})

const program = `import { createServer, createService } from '@concordat/server'
import { mountRpc, rpcServerOptions } from '@concordat/server/fastify'
import Fastify from 'fastify'
import { createClient } from './generated/client.js'
import { methods } from './generated/methods.js'

const handlers = {
  listPets: () => [{ id: 1, name: 'Rex', kind: 'dog' }],
  addPet: () => null,
  getPet: () => null,
  petSeen: () => {},
}
const server = await createServer({ methods, handlers }).listen({ port: 0 })
const [first] = await createClient(server.url).listPets(1)
await server.close()

const service = createService({ methods, handlers })
const app = Fastify(rpcServerOptions(service))
mountRpc(app, { service, path: '/pets' })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const [second] = await createClient(\`\${url}/pets\`).listPets(1)
await app.close()
console.log(first.name, second.name)
`

t.test('packages with licences that are not allowed are named', async (t) => {
  const component = (name: string, id?: string) => ({
    ...{ name, version: '1.0.0' },
    ...(id === undefined ? {} : { licenses: [{ license: { id } }] }),
  })
  const either = { ...component('c'), licenses: [{ expression: '(MIT OR GPL-3.0)' }] }
  const both = { ...component('e'), licenses: [{ expression: 'MIT AND OFL-1.1' }] }
  const onePart = { ...component('f'), licenses: [{ expression: 'MIT AND DBAD' }] }
  const bill = {
    components: [component('a', 'MIT'), component('b', 'DBAD'), either, component('d'), both, onePart],
  }
  t.same(licenceProblems(bill), [
    'b 1.0.0 has the licence DBAD, which is not allowed',
    'd 1.0.0 has the licence unknown, which is not allowed',
    'f 1.0.0 has the licence MIT AND DBAD, which is not allowed',
  ])
})

t.test('the toolkit generates, mocks and judges without the service and Fastify', async (t) => {
  const { folder, shell, installed } = together ?? (await project('toolkit', 'concordat'))
  if (together !== undefined) await rm(join(folder, 'node_modules/@concordat/gateway'), { recursive: true })
  else {
    for (const name of ['@concordat/gateway', 'fastify', 'pg']) t.notOk(installed.includes(name), name)
    await holdsWeight(t, 'toolkit: generate, mock, conform', folder)
  }
  await cp(join(root, 'test/fixtures/contracts/pet-store.json'), join(folder, 'openrpc.json'))
  // As the systemd unit starts it: /opt/concordat is a link to the installed package.
  t.match(await shell.run('ln -sfn node_modules/concordat linked && node linked/bin/concordat.js lint'), {
    code: 0,
  })
  t.match(await shell.run('concordat lint'), { code: 0 })
  t.match(await shell.run('concordat generate'), { code: 0, output: /^new +client\.ts$/m })
  const judged = await shell.run(`concordat mock --port 0 --ready-file mock.json >mock.log & mock=$!
    until [ -s mock.json ]; do sleep 0.1; kill -0 $mock || exit 9; done
    concordat conform --contract openrpc.json --allow write "$(node -p 'require("./mock.json").url')"
    code=$?; kill $mock; wait $mock && exit $code`)
  t.match(judged, { code: 0, output: /^ {2}\d+ passed/m })
  for (const command of ['start', 'serve', 'keys', 'selftest']) {
    const { code, output } = await shell.run(`concordat ${command}`)
    t.equal(code, 2, command)
    t.match(output, 'npm install @concordat/gateway', command)
    t.notMatch(output, /\n +at /, `${command}: no stack`)
  }
})

t.test('the lists of known differences of nodes are used from the installed package', async (t) => {
  const { shell } = together ?? (await project('qa', 'concordat'))
  const list = (name: string) => `--known node_modules/concordat/conformance/known/${name}.yaml`
  const some = isLong ? "--only '!http/slow-body'" : "--only 'batch/*' --only 'blocks/*'"
  const node = await startEmbeddedChain({ chainId: '0x1f' })
  t.teardown(() => node.stop())
  const judged = await shell.run(
    `npx concordat conform ${node.url} --network test ${list('anvil')} --timeout 300 ${some}`,
  )
  t.match(judged, { code: 0, output: /^ {2}\d+ passed.* \d+ known to fail/m })
  const others = ['hardhat', 'ganache', 'rskj'].map(list).join(' ')
  const { output } = await shell.run(`npx concordat conform http://127.0.0.1:9 --network test ${others}`)
  t.match(output, 'cannot reach', 'the lists are read')
})

t.test('a server runs generated code, on Node and on Fastify', async (t) => {
  const { folder, shell } = together ?? (await project('server', ...server))
  if (together === undefined)
    await cp(join(archives, 'toolkit', 'generated'), join(folder, 'generated'), { recursive: true })
  await writeFile(join(folder, 'use.js'), program)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = '--module nodenext --target es2023 --strict --allowJs --skipLibCheck --types --noEmit false'
  const compiled = await shell.run(`node ${compiler} ${options} --outDir out generated/*.ts generated/*.js`)
  t.equal(compiled.code, 0, compiled.output)
  await cp(join(folder, 'out'), join(folder, 'generated'), { recursive: true })
  t.same(await shell.run('node use.js'), { code: 0, output: 'Rex Rex\n' })
})

await testRelease({ packed, bills })
