import { copyFile, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loadSuite, type Suite } from '../../../../src/cli/conform/conform-suite.js'
import { contractTerms, readKnownFailures, selectCases } from '../../../../src/judge/index.js'
import { applyKnownFailures } from '../../../../src/judge/run/plan/known-failures.js'
import { facts } from '../../../../src/judge/run/plan/skip-reasons.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { libraryContract } from '../../judge/run/library-contract.js'
import { scenarioFolder } from '../../judge/run/run-suite.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const suite = await loadSuite()
const terms = contractTerms(suite.contract)
const written = suite.scenarios.filter(({ origin }) => origin === 'file')

t.test('the package contains scenarios for its own contract, and derived cases', async (t) => {
  t.ok(written.length >= 60, `${written.length} scenarios`)
  t.ok(written.every(({ builtIn }) => builtIn))
  t.ok(suite.scenarios.length > written.length)
  t.match(suite.sha256, /^[0-9a-f]{64}$/)
})

t.test('every case names existing rules, networks, facts and fixtures', async (t) => {
  const rules = new Set(terms.rules.map(({ id }) => id))
  const needs = new Set([...Object.keys(facts), ...suite.fixtures.map(({ name }) => name)])
  const unknown = suite.scenarios.flatMap(({ id, ...named }) => [
    ...named.rules.filter((rule) => !rules.has(rule)).map((rule) => `${id}: rule ${rule}`),
    ...named.needs.filter((need) => !needs.has(need)).map((need) => `${id}: need ${need}`),
    ...named.networks.filter((name) => !(name in terms.networks)).map((name) => `${id}: network ${name}`),
  ])
  t.same(unknown, [])
  t.ok(
    written.every(({ rules }) => rules.length > 0),
    'every hand-written scenario belongs to a rule',
  )
})

t.test('names of cases are unique, and no case depends on itself', async (t) => {
  t.equal(selectCases(suite.scenarios, { only: [], replay: undefined }).length, suite.scenarios.length)
})

t.test('every fixture is used by a case', async (t) => {
  const needed = new Set([...suite.scenarios, ...suite.fixtures].flatMap(({ needs }) => needs))
  t.same(
    suite.fixtures.filter(({ name }) => !needed.has(name)).map(({ name }) => name),
    [],
  )
})

t.test('the known failures of the package name existing cases', async (t) => {
  const folder = join(root, 'conformance', 'known')
  const files = await readdir(folder).catch(() => [])
  const catalogue = [...suite.scenarios, ...suite.invariants.invariants].map(({ id }) => id)
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    const known = readKnownFailures(await readFile(join(folder, file), 'utf8'), file)
    t.same(
      applyKnownFailures([], known, catalogue, '2000-01-01').map(({ reason }) => reason),
      [],
    )
  }
})

t.test(
  'a copy of the contract of this service uses the same cases, and a folder of scenarios replaces them',
  async (t) => {
    const folder = await temporaryFolder(t)
    const copy = join(folder, 'copy.json')
    await copyFile(join(root, 'openrpc.json'), copy)
    t.equal((await loadSuite({ document: copy })).scenarios.length, suite.scenarios.length)
    const others = await loadSuite({ document: copy, folders: [join(root, 'conformance')] })
    t.ok(
      others.scenarios.every(({ builtIn }) => !builtIn),
      'their effects are unknown',
    )
  },
)

t.test('a contract in several files, named by its folder, is identified by all of them', async (t) => {
  const folder = await temporaryFolder(t)
  await cp(join(root, 'test', 'fixtures', 'contracts', 'several-files'), folder, { recursive: true })
  const first = await loadSuite({ document: folder })
  t.ok(first.scenarios.length >= 5, `${first.scenarios.length} derived cases`)
  t.equal((await loadSuite({ document: join(folder, 'openrpc.yaml') })).sha256, first.sha256)
  const part = join(folder, 'parts', 'units.json')
  await writeFile(part, `${await readFile(part, 'utf8')}\n`)
  t.not(
    (await loadSuite({ document: folder })).sha256,
    first.sha256,
    'a change of a part is a change of the contract',
  )
})

t.test('a remote part is fetched when allowed', async (t) => {
  const folder = await temporaryFolder(t)
  const server = createServer((_, response) => response.end('{"Amount":{"type":"integer","maximum":9}}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/units.json`
  const document = join(folder, 'openrpc.yaml')
  await writeFile(
    document,
    `openrpc: 1.3.2
info: { title: Fetched, version: 1.0.0 }
methods:
  - name: spend
    params: [{ name: amount, required: true, schema: { $ref: '${url}#/Amount' } }]
    result: { name: left, schema: { $ref: '${url}#/Amount' } }
`,
  )
  await t.rejects(loadSuite({ document }), { name: 'UsageError', message: /allow it with --allow-remote/ })
  const { scenarios } = await loadSuite({ document, allowRemote: true })
  t.ok(
    scenarios.some(({ id }) => id.includes('amount')),
    'its schema has cases',
  )
})

const ownCase = `
scenario: The receipt of a block with one transaction is there.
needs: [block-with-one-transaction]
steps:
  - call: eth_getTransactionReceipt
    params: ['\${oneTransactionHash}']
    expect: { result: { $has: { blockHash: '\${oneBlockHash}' } } }
`

t.test('cases of other folders use the shipped fixtures, and run with the shipped cases', async (t) => {
  const one = await scenarioFolder(t, { 'own/receipt.yaml': ownCase })
  const other = await scenarioFolder(t, { 'more/receipt.yaml': ownCase })
  const writtenIn = ({ scenarios }: Suite) => scenarios.filter(({ origin }) => origin === 'file')
  const alone = await loadSuite({ folders: [one] })
  t.same(
    writtenIn(alone).map(({ id, builtIn }) => [id, builtIn]),
    [['own/receipt', false]],
  )
  t.same(alone.fixtures, suite.fixtures, 'with all shipped fixtures')
  const both = await loadSuite({ folders: [one, other] })
  t.same(
    writtenIn(both).map(({ id }) => id),
    ['own/receipt', 'more/receipt'],
  )
  const beside = await loadSuite({ folders: ['shipped', one] })
  t.equal(writtenIn(beside).length, writtenIn(suite).length + 1)
  t.equal(beside.scenarios.find(({ id }) => id === 'own/receipt')?.builtIn, false)
  t.ok(
    writtenIn(beside)
      .filter(({ id }) => id !== 'own/receipt')
      .every(({ builtIn }) => builtIn),
  )
  t.same((await loadSuite({ folders: ['shipped'] })).scenarios, suite.scenarios)
})

t.test('a fixture replaces the shipped one of the same name', async (t) => {
  const fixture = `
fixture: A block with one transaction, which is known.
steps:
  - call: eth_getBlockByNumber
    params: ['0x1', false]
    capture: { oneBlockHash: $.result.hash, oneTransactionHash: '$.result.transactions[0]' }
`
  const files = { 'own/receipt.yaml': ownCase, 'fixtures/block-with-one-transaction.yaml': fixture }
  for (const folders of [[], ['shipped']]) {
    const { fixtures } = await loadSuite({ folders: [...folders, await scenarioFolder(t, files)] })
    const found = fixtures.filter(({ name }) => name === 'block-with-one-transaction')
    t.same(
      found.map(({ fixture }) => fixture),
      ['A block with one transaction, which is known.'],
    )
  }
})

t.test('a case in two folders is refused with both places', async (t) => {
  const [one, other] = [
    await scenarioFolder(t, { 'own/receipt.yaml': ownCase }),
    await scenarioFolder(t, { 'own/receipt.yaml': ownCase }),
  ]
  await t.rejects(loadSuite({ folders: [one, other] }), {
    name: 'UsageError',
    message: `scenarios: ${other}/own/receipt.yaml:1:1: the scenario "own/receipt" is in ${one}/own/receipt.yaml as well; rename one`,
  })
})

t.test('another contract has no shipped fixtures', async (t) => {
  const folder = await scenarioFolder(t, { 'own/receipt.yaml': ownCase })
  const document = join(await temporaryFolder(t), 'library.json')
  await writeFile(document, JSON.stringify(libraryContract))
  await t.rejects(loadSuite({ document, folders: [folder] }), {
    name: 'UsageError',
    message: /block-with-one-transaction/,
  })
})
