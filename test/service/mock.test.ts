import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { methods as ours } from '../../generated/methods.js'
import { isCallError } from '../../src/runtime/client/index.js'
import { type ExamplePairing, parseContract } from '../../src/toolkit/contract/index.js'
import { startConcordat } from '../support/concordat-process.js'
import { isLong } from '../support/runs.js'
import { post, runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { documentOf, loadFixture, loadModules, methodOf } from '../unit/toolkit/codegen/fixtures.js'
import { type RunningMock, rooted, startMockCommand } from './mock-harness.js'

const petStore = rooted('test/fixtures/contracts/pet-store.json')

const answerOf = ({ result, error }: ExamplePairing) => (error ? { error } : { result: result?.value })
const sent = ({ params }: ExamplePairing) => params.map(({ value }) => value)

t.test('our own contract: every exact example is answered literally, errors included', async (t) => {
  const { url, ask, output, stop } = await startMockCommand(t, [rooted('openrpc.json')])
  await isMadeUp(t, ask)
  const contract = parseContract(readFileSync(rooted('openrpc.json'), 'utf8'))
  for (const { name, examples } of contract.methods) {
    const asked = new Set<string>()
    for (const example of examples) {
      const params = sent(example)
      const isFirst = !asked.has(JSON.stringify(params))
      asked.add(JSON.stringify(params))
      const answer = await ask(name, params)
      const isExact = isFirst && example.extensions['x-replay'] === 'exact'
      const wanted = examples.filter((other) => !isExact || other === example).map(answerOf)
      t.ok(
        wanted.some((each) => isDeepStrictEqual(each, answer)),
        example.name,
      )
    }
  }
  const socket = new WebSocket(url.replace('http', 'ws'))
  await once(socket, 'open')
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}')
  const [answer] = await once(socket, 'message')
  t.match(JSON.parse(String(answer)), { id: 1, ...(await ask('eth_chainId', [])) }, 'over a WebSocket')
  t.equal(await stop(), 0)
  t.equal(output().err, '')
})

/** A call without an example gets a valid and reproducible answer. */
async function isMadeUp(t: Test, ask: RunningMock['ask']) {
  const hashes = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6'].map((byte) => `0x${byte.repeat(32)}`)
  const blocks: { readonly transactions: readonly unknown[] }[] = []
  for (const hash of hashes) {
    const answer = await ask('eth_getBlockByHash', [hash, true])
    t.same(ours.eth_getBlockByHash.validateResult(answer.result), [])
    t.same(await ask('eth_getBlockByHash', [hash, true]), answer)
    blocks.push(answer.result as (typeof blocks)[number])
  }
  const transactions = blocks.flatMap((block) => block.transactions)
  t.ok(
    transactions.length > 0 && transactions.every((one) => typeof one === 'object'),
    'as the flag requests',
  )
  t.match(await ask('eth_getBlockByHash', ['0xzz']), { error: { code: -32602, data: [{ path: '/0' }] } })
  t.match(await ask('eth_nothing', []), { error: { code: -32601 } })
}

t.test('the typed client of a contract calls its mock', async (t) => {
  const { url } = await startMockCommand(t, [petStore])
  const [module] = await loadModules(await loadFixture('pet-store'), ['client.ts'])
  type Call = (...given: readonly unknown[]) => Promise<unknown>
  const createClient = module?.['createClient'] as (url: string) => Record<string, Call>
  const client = createClient(new URL('rpc', url).href)
  const rex = { id: 1, name: 'Rex', kind: 'dog' }
  t.same(await client['getPet']?.({ id: 1 }), rex, 'by name')
  t.same(await client['listPets']?.(1), [rex], 'by position')
  const other = (await client['getPet']?.({ id: 2, fields: ['name'] })) as object | null
  t.ok(other === null || Object.hasOwn(other, 'kind'), `made up: ${JSON.stringify(other)}`)
  t.type(await client['addPet']?.({ name: 'Tom', kind: 'cat', id: 3 }), 'number')
  t.equal(await client['petSeen']?.(1), undefined, 'a notification')
  const busy = await client['listPets']?.().catch((error: unknown) => error)
  t.ok(isCallError(busy))
  t.match(busy, { code: 100, message: 'Pets are busy', error: 'busy' })
  const refused = await client['getPet']?.({ id: 0 }).catch((error: unknown) => error)
  t.match(refused, { code: -32602, data: [{ path: '/id', rule: 'minimum' }] })
})

t.test('equal seeds give equal values in another process, and other seeds give others', async (t) => {
  const questions = [1, 2, 3, 4].map((id) => ['getPet', { id: id + 10 }] as const)
  const answers = async (args: readonly string[]) => {
    const { ask, ready, output, stop } = await startMockCommand(t, [petStore, ...args])
    const all = []
    for (const [method, params] of questions) all.push(await ask(method, params))
    await stop()
    return { all: JSON.stringify(all), ready, out: output().out }
  }
  const first = await answers(['--seed', 'a'])
  const again = await answers(['--seed', 'a'])
  const other = await answers(['--seed', 'b'])
  t.equal(again.all, first.all)
  t.not(other.all, first.all)
  t.match(other.ready, { url: /^http:\/\/127\.0\.0\.1:\d+\/$/, seed: 'b' })
  t.match(other.out, 'seed      "b"')
})

t.test('the independent conformance runner finds no deviation in a mock', async (t) => {
  // test/unit/toolkit/mock/documents.slow.test.ts tests all fixtures in one process.
  for (const name of isLong ? ['pet-store', 'recursive', 'constructs', 'hostile'] : ['hostile']) {
    const document = rooted(`test/fixtures/contracts/${name}.json`)
    const { url } = await startMockCommand(t, [document])
    const { code, out } = await runConcordat(['conform', url, '--contract', document, '--assume-read', '*'])
    t.equal(code, 0, name)
    t.match(out, /^ +\d{2,} passed\b/m)
    t.notMatch(out, /failed/)
  }
})

t.test('the startup text describes the mock, and its curl line works', async (t) => {
  const examples = [
    { name: 'quoted', params: [{ name: 'p', value: "it's\u202e" }], result: { name: 'r', value: 'yes' } },
  ]
  const text = { type: 'string' }
  const document = documentOf({
    info: { title: 'A title\u001b[31m', version: '1.2.3' },
    methods: [
      methodOf([{ name: 'p', schema: text }], text, { examples }),
      methodOf([], text, { name: 'bare' }),
      { name: 'told', params: [] },
    ],
  })
  const { said, url, stop } = await startMockCommand(t, ['-'], JSON.stringify(document))
  const curlData = / -d ('.*')\n/
  const out = await said(
    'out',
    'A title\\u001b[31m 1.2.3, a mock server',
    `url       ${url}`,
    'methods   3: 1 answered from examples, 1 notification',
    'generated bare (no example), and other parameters than those of an example',
    curlData,
  )
  const [, data = ''] = curlData.exec(out) ?? []
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf %s ${data}`])
  t.same((await post(url, stdout)).json, { jsonrpc: '2.0', id: 1, result: 'yes' })
  t.equal(await stop('SIGINT'), 0)
})

t.test('YAML and referenced files are served, remote ones only with --allow-remote', async (t) => {
  const folder = await temporaryFolder(t)
  const remote = createServer((_, response) => response.end(JSON.stringify({ Word: { const: 'from afar' } })))
  remote.listen(0, '127.0.0.1')
  await once(remote, 'listening')
  t.teardown(() => remote.close())
  const address = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/words.json`
  const yaml = (reference: string) => `
openrpc: 1.3.2
info: { title: T, version: 1.0.0 }
methods:
  - { name: m, params: [], result: { name: r, schema: { $ref: '${reference}#/Word' } } }
`
  await writeFile(join(folder, 'near.json'), JSON.stringify({ Word: { const: 'from here' } }))
  await writeFile(join(folder, 'openrpc.yaml'), yaml('near.json'))
  t.same(await (await startMockCommand(t, [folder])).ask('m', []), { result: 'from here' })
  const file = join(folder, 'remote.yaml')
  await writeFile(file, yaml(address))
  const refused = await runConcordat(['mock', file])
  t.equal(refused.code, 2)
  t.match(refused.err, '--allow-remote')
  t.same(await (await startMockCommand(t, [file, '--allow-remote'])).ask('m', []), { result: 'from afar' })
})

type Refusal = readonly [args: readonly string[], said: RegExp | string]

t.test('startup problems are explained, with exit code 2', async (t) => {
  const taken = createSocketServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const port = String((taken.address() as AddressInfo).port)
  const folder = await temporaryFolder(t)
  const broken = join(folder, 'broken.json')
  await writeFile(
    broken,
    JSON.stringify({ openrpc: '1.3.2', info: { title: 'T' }, methods: [{ name: 'm' }] }),
  )
  const rows: readonly [Refusal, ...Refusal[]] = [
    [
      [petStore, '--port', port],
      `concordat mock: 127.0.0.1:${port} is in use: choose another port with --port, or 0 for a free one\n`,
    ],
    [
      [petStore, '--host', '192.0.2.1', '--port', '0'],
      /^concordat mock: 192\.0\.2\.1:0 is not an address of this machine: change --host\n$/,
    ],
    [[petStore, '--notify-every', '0'], /^concordat mock: --notify-every needs a whole number from 1\n$/],
    [
      [petStore, '--host', 'nowhere.invalid', '--port', '0'],
      /^concordat mock: nowhere\.invalid:0 is not an address of this machine: change --host\n$/,
    ],
    [[petStore, '--port', '70000'], /^concordat mock: --port needs a whole number from 0 to 65535\n$/],
    [[petStore, '--port', 'x'], /^concordat mock: --port needs a whole number from 0 to 65535\n$/],
    [[petStore, '--host', ''], /^concordat mock: --host needs a value\n$/],
    [[petStore, '--ready-file', ''], /^concordat mock: --ready-file needs a value\n$/],
    [
      [petStore, '--port', '0', '--ready-file', join(folder, 'no', 'where')],
      /^concordat mock: the ready file cannot be written: .*\n$/,
    ],
    [
      [petStore, 'another'],
      /^concordat mock: too many arguments. Expected 1 argument but got 2. See --help.\n$/,
    ],
    [[''], /^concordat mock: DOC needs a value\n$/],
    [
      [petStore, '--sead', 'x'],
      /^concordat mock: unknown option '--sead'. Did you mean --seed\? See --help.\n$/,
    ],
    [[join(folder, 'absent.json')], /^concordat mock: .*absent\.json: the file does not exist\n$/],
    [
      [broken],
      /^concordat mock: .*broken\.json: \d problems\n {2}.*json:1:\d+ {2}#\/info.*\n {2}.*#\/methods\/0.*\n/,
    ],
  ]
  const mock = (...args: readonly string[]) => runConcordat(['mock', ...args])
  for (const [args, said] of rows) {
    const { code, out, err } = await mock(...args)
    t.equal(code, 2, args.join(' '))
    t.equal(out, '')
    t.match(err, said)
  }
  const [[args]] = rows
  const child = startConcordat(['mock', ...args])
  t.same({ code: await child.ended, ...child.output() }, await mock(...args), 'a child process exits with it')
  const { code, out } = await mock('--help')
  t.equal(code, 0)
  t.match(out, /^Usage: concordat mock \[options\] \[DOC\]/)
})
