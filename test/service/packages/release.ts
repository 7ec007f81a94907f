import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Bill } from '../../../bin/installations.js'
import type { PackedPackage } from '../../../bin/pack-packages.js'
import { deadTargets } from '../../../bin/packed-links.js'
import { writeRelease } from '../../../bin/release-folder.js'
import { freePort } from '../../support/free-port.js'
import { type Guide, openGuide, type ReaderMachine, startCommands } from '../../support/guide.js'
import { startHeldNode } from '../../support/held-node.js'
import { nodeTestCounts } from '../../support/node-test-counts.js'
import { startPackageRegistry } from '../../support/package-registry.js'
import { startPostgres } from '../../support/postgres.js'
import { isLong } from '../../support/runs.js'
import { call } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const contract = join(root, 'test/fixtures/contracts/pet-store.json')

/** Settings of npm. A package of this project that is not among the archives cannot be found anywhere. */
const npm = {
  'npm_config_@concordat:registry': 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
  npm_config_ignore_scripts: 'true',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
}

/** What a release is made of. The bills of materials are read when the tests run. */
interface Packages {
  readonly packed: readonly PackedPackage[]
  readonly bills: ReadonlyMap<string, Bill>
}

/** An empty folder of a user, with the release in it. */
async function userFolder(t: Test, { packed, bills }: Packages): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeRelease(join(folder, 'release'), packed, bills)
  return folder
}

/** Runs the tests of a release, as its users get it. */
export async function testRelease(packages: Packages): Promise<void> {
  const [check] = (await openGuide('docs/packages.md', ['Check a release'])).commands()
  t.test('the checksums of a release cover its archives, bill of materials and support policy', async (t) => {
    const cwd = await userFolder(t, packages)
    const outcome = await check?.run({ cwd })
    t.equal(outcome?.code, 0)
    const checked = (outcome?.out ?? '').trim().split('\n').sort()
    t.equal(checked.filter((line) => line.endsWith('.tgz: OK')).length, packages.packed.length)
    t.match(checked.slice(0, 1), ['SUPPORT.md: OK'])
    t.match(checked.slice(-1), ['sbom-this-service.json: OK'])
    const bill: Bill = JSON.parse(await readFile(join(cwd, 'release/sbom-this-service.json'), 'utf8'))
    t.match(bill.metadata.component, {
      name: 'Concordat: this service',
      version: packages.packed[0]?.version,
    })
    t.notMatch(JSON.stringify(bill), 'file:', 'no path of this machine')
    const { components } = bill
    const policy = await readFile(join(cwd, 'release/SUPPORT.md'), 'utf8')
    t.same(deadTargets('SUPPORT.md', policy, ['SUPPORT.md']), [])
    t.ok(components.some(({ name }) => name === 'fastify'))
    await writeFile(join(cwd, 'release/SUPPORT.md'), 'changed')
    t.match(await check?.run({ cwd }), { code: 1, output: /SUPPORT\.md: FAILED/ })
  })

  if (isLong) testInstallations(packages, await openGuide('docs/packages.md', ['Install from archives']))
  else t.comment('long form only: each user installs the archives alone and follows the guide')
}

/** Tests in which each user installs the archives alone, in an empty folder, and follows the guide. */
function testInstallations(packages: Packages, guide: Guide): void {
  const [team, integrator, engineer, operator, unpack] = guide.commands()

  t.test('a backend team follows its guide with nothing but the archives', async (t) => {
    const cwd = await userFolder(t, packages)
    t.match(await team?.run({ cwd, env: npm }), { code: 0 })
    await followBackendGuide(t, cwd, (team?.text ?? '').trim().replace('./release/', `${cwd}/release/`))
  })

  t.test('an integrator follows the guide with nothing but the archives', async (t) => {
    const cwd = await userFolder(t, packages)
    t.match(await integrator?.run({ cwd, env: npm }), { code: 0 })
    const others = 'npm install viem ethers @wagmi/core@3.0.0 @opentelemetry/api tsx'
    t.match(
      await startCommands(others, { cwd, env: npm }).ended,
      { code: 0 },
      'the libraries of the examples',
    )
    t.match(await unpack?.run({ cwd }), { code: 0 })
    await followInProcess(t, 'test/service/guides/integrator.ts', cwd, join(cwd, 'package'))
  })

  t.test('a QA engineer follows the guide with nothing but the archives', async (t) => {
    const cwd = await userFolder(t, packages)
    t.match(await engineer?.run({ cwd, env: npm }), { code: 0 })
    await followInProcess(t, 'test/service/qa-guide.test.ts', cwd, join(cwd, 'node_modules/concordat'))
  })

  t.test('an operator follows the guide with nothing but the archives', async (t) => {
    const cwd = await userFolder(t, packages)
    t.match(await operator?.run({ cwd, env: npm }), { code: 0 })
    await followOperatorGuide(t, cwd)
  })
}

/** Runs the test of a guide again, for a reader with another installation. */
async function followInProcess(t: Test, file: string, installation: string, guides: string) {
  const env = { READER_INSTALLATION: installation, READER_GUIDES: guides }
  const { code, output } = await startCommands(`node --import=tsx ${file}`, { cwd: root, env }).ended
  t.equal(code, 0, output.slice(-20_000))
  t.match(output, /^1\.\.[1-9]\d*$/m, 'its tests have run')
}

/** @param install the command in place of `npm install` in packages that the tool created */
async function followBackendGuide(t: Test, cwd: string, install: string): Promise<void> {
  for (const name of ['openrpc.json', 'your-openrpc.json']) await cp(contract, join(cwd, name))
  const guide = await openGuide('docs/backend.md', undefined, join(cwd, 'node_modules/concordat'))
  const registry = await startPackageRegistry(t, [])
  const machine = { cwd, env: { ...registry.env, ...npm } }

  const [start] = guide.commands('Start a project')
  const started = start?.start({ ...machine, env: { ...machine.env, PORT: '0' } })
  const [, url = ''] = (await started?.said(/^Listening on (http\S+)$/m)) ?? []
  t.match(await call(url, 'listPets', 1), [{ name: 'Rex' }])
  t.match(nodeTestCounts((await started?.stop())?.output ?? ''), { pass: 2, fail: 0 })

  await checkSpecifiers(t, cwd)

  const functions = `npm() { if [ "$*" = install ]; then command ${install}; else command npm "$@"; fi; }`
  const [publish] = guide.commands('Publish the contract')
  const published = await publish?.run({ ...machine, functions })
  t.equal(published?.code, 0, published?.output ?? '')
  t.same([...registry.published.keys()], ['@acme/orders'])

  await emitOtherOutputs(t, guide, machine)
}

/** A new project has no path of this machine; its packages can be published. */
async function checkSpecifiers(t: Test, cwd: string): Promise<void> {
  const project = join(cwd, 'my-service')
  const specifiers = async (path: string) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      await readFile(join(project, path), 'utf8'),
    )
    return { ...dependencies, ...devDependencies } as Readonly<Record<string, string>>
  }
  const ofRoot = await specifiers('package.json')
  const installed = await readFile(join(cwd, 'node_modules/concordat/package.json'), 'utf8')
  const archive = (name: string) => `file:../release/${name}-${JSON.parse(installed).version}.tgz`
  t.match(ofRoot, {
    concordat: archive('concordat'),
    '@concordat/client': archive('concordat-client'),
    '@concordat/rpc': archive('concordat-rpc'),
    '@concordat/server': archive('concordat-server'),
  })
  for (const path of ['contract/generated/package.json', 'service/package.json'])
    t.notOk(
      Object.values(await specifiers(path)).find((one) => one.startsWith('file:')),
      path,
    )
  t.match(await readFile(join(project, 'README.md'), 'utf8'), 'the archives of Concordat in ../release.')
}

async function emitOtherOutputs(t: Test, guide: Guide, machine: ReaderMachine): Promise<void> {
  const cwd = join(machine.cwd, 'outputs')
  await mkdir(cwd)
  const [emitter = ''] = guide.code('Other outputs', 'js')
  await writeFile(join(cwd, 'emit-methods.js'), emitter)
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
  await cp(contract, join(cwd, 'openrpc.json'))
  const [attempt] = guide.commands('Other outputs')
  t.match(await attempt?.run({ ...machine, cwd }), { code: 0, output: /^new +method-list\.md/m })
}

async function followOperatorGuide(t: Test, cwd: string): Promise<void> {
  const sections = ['Serve it', 'Keys', 'Backup, restore, move']
  const guide = await openGuide('docs/operator.md', sections, join(cwd, 'node_modules/concordat'))
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f' })
  t.teardown(() => node.close())
  const [file = ''] = guide.code('Serve it', 'yaml')
  await writeFile(join(cwd, 'concordat.yaml'), file)
  const [serve] = guide.commands('Serve it')
  const [keys] = guide.commands('Keys')
  const [backup, restore, move] = guide.commands('Backup, restore, move')
  const [data, port] = [join(cwd, 'data'), await freePort()]
  const origin = `http://127.0.0.1:${port}`
  const env = {
    ...{ NODE_TOKEN: 'token', PROVIDER_KEY: 'key', CONCORDAT_DATA: data, CONCORDAT_NODES_TEST: node.url },
    ...{ CONCORDAT_HOST: '127.0.0.1', CONCORDAT_PORT: String(port), CONCORDAT_METRICS_PORT: '0' },
  }
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const started = serve?.start({ cwd, env: { ...env, ...more } })
    await started?.said(/"urls":/)
    return { stop: () => started?.stop() }
  }
  const first = await start()
  const created = await keys?.run({ cwd, env })
  const [, pathname = ''] = /https?:\/\/[^/\s]+(\/\w+-T)/.exec(created?.output ?? '') ?? []
  t.equal(await call(`${origin}${pathname}`, 'eth_blockNumber'), '0x97f', created?.output ?? '')
  await first.stop()

  const CONCORDAT_SECRET = (await readFile(join(data, 'secret'), 'utf8')).trim()
  t.match(await backup?.run({ cwd, env }), { code: 0 })
  t.match(await restore?.run({ cwd, env: { CONCORDAT_SECRET } }), { code: 0 })
  const restored = await start({ CONCORDAT_DATA: join(cwd, 'restored'), CONCORDAT_SECRET })
  t.equal(await call(`${origin}${pathname}`, 'eth_blockNumber'), '0x97f', 'restored')
  await restored.stop()

  const DATABASE_URL = await (await startPostgres(t)).createDatabase('moved')
  const moved = await move?.run({ cwd, env: { ...env, TARGET_URL: DATABASE_URL } })
  t.equal(moved?.code, 0, moved?.output ?? '')
  const last = await start({ DATABASE_URL, CONCORDAT_SECRET })
  t.equal(await call(`${origin}${pathname}`, 'eth_blockNumber'), '0x97f', 'moved')
  await last.stop()
}
