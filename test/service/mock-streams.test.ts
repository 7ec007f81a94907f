import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { cleanEnvironment, runConcordat } from '../support/service.js'
import '../support/plain-children.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { rooted } from './mock-harness.js'

const text = { type: 'string' }
const param = { name: 'text', required: true, schema: text }

const contractOf = (framing: string) => ({
  openrpc: '1.3.2',
  info: {
    title: 'Echo',
    version: '1.0.0',
    'x-session': { framing, open: [{ method: 'initialize' }, { method: 'initialized' }] },
  },
  methods: [
    {
      name: 'initialize',
      'x-effect': 'write',
      paramStructure: 'by-name',
      params: [],
      result: { name: 'result', schema: { type: 'object' } },
      examples: [{ name: 'open', params: [], result: { name: 'result', value: { name: 'größer' } } }],
    },
    { name: 'initialized', 'x-effect': 'write', paramStructure: 'by-name', params: [] },
    {
      name: 'echo',
      'x-effect': 'read',
      paramStructure: 'by-name',
      params: [param],
      result: { name: 'result', schema: { type: 'string', minLength: 1 } },
      examples: [
        {
          name: 'short',
          params: [{ name: 'text', value: 'ä😀' }],
          result: { name: 'result', value: 'größer' },
        },
      ],
    },
  ],
})

async function documentOf(t: Test, framing: string) {
  const file = join(await temporaryFolder(t), 'openrpc.json')
  await writeFile(file, JSON.stringify(contractOf(framing)))
  return file
}

function startMock(t: Test, ...args: readonly string[]) {
  const child = spawn(process.execPath, [rooted('bin/concordat.js'), 'mock', '--stdio', ...args], {
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill())
  let written = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    written += part
  })
  return { child, closed: once(child, 'close'), written: () => written }
}

t.test('a client of language servers calls a mock over standard input and output', async (t) => {
  const { child, closed, written } = startMock(t, await documentOf(t, 'content-length'))
  const client = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  client.listen()
  t.same(await client.sendRequest('initialize', {}), { name: 'größer' })
  await client.sendNotification('initialized', {})
  t.equal(await client.sendRequest('echo', { text: 'ä😀' }), 'größer')
  t.type(await client.sendRequest('echo', { text: '😀'.repeat(100_000) }), 'string', 'a large message')
  await t.rejects(client.sendRequest('echo', { text: 7 }), { code: -32602 })
  await t.rejects(client.sendRequest('unknown', {}), { code: -32601 })
  client.dispose()
  child.stdin.end()
  t.same(await closed, [0, null], 'it ends when its input ends')
  t.match(
    written(),
    /Echo 1\.0\.0, a mock server\n\n {2}framing {3}content-length, on standard input and output/,
  )
})

t.test('lines in any chunks are answered before the end of the input', async (t) => {
  const { child, closed } = startMock(t, await documentOf(t, 'newline'))
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    out += part
  })
  const call = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"echo","params":{"text":"ä😀"}}`
  for (const byte of Buffer.from(`${call(1)}\n`)) child.stdin.write(Buffer.of(byte))
  child.stdin.write(`${call(2)}\n\r\n${call(3)}\r\nno JSON\n`)
  // The last line has no newline.
  child.stdin.end(call(4))
  t.same(await closed, [0, null])
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number | null; result?: string; error?: { code: number } })
  const results = answers.filter(({ result }) => result === 'größer').map(({ id }) => id)
  t.same(results.sort(), [1, 2, 3, 4])
  t.match(
    answers.find(({ id }) => id === null),
    { error: { code: -32700 } },
  )
})

t.test('a signal, an unreadable header and a client that is gone end a mock', async (t) => {
  const document = await documentOf(t, 'content-length')
  const stopped = startMock(t, document)
  stopped.child.stderr.once('data', () => stopped.child.kill('SIGTERM'))
  t.same(await stopped.closed, [0, null])
  const broken = startMock(t, document)
  broken.child.stdin.end('Content-Length: many\r\n\r\n')
  t.same(await broken.closed, [2, null])
  t.match(broken.written(), /concordat mock: standard input: .*Content-Length/)
  const left = startMock(t, document)
  left.child.stdout.destroy()
  left.child.stdin.end('Content-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"initialize"}')
  t.same(await left.closed, [0, null])
})

t.test('the judge finds no deviation in a mock over standard input and output', async (t) => {
  for (const framing of ['newline', 'content-length']) {
    const document = await documentOf(t, framing)
    const target = `stdio:exec ${process.execPath} ${rooted('bin/concordat.js')} mock --stdio ${document}`
    const { code, out, err } = await runConcordat(['conform', target, '--contract', document])
    t.equal(code, 0, `${framing}: ${out}${err}`)
    t.notMatch(out, /failed/)
  }
})

t.test('options that need a port, and a document from standard input, are refused', async (t) => {
  const document = await documentOf(t, 'newline')
  t.match(await runConcordat(['mock', document, '--stdio', '--port', '0']), {
    code: 2,
    err: 'concordat mock: --stdio and --port cannot be combined\n',
  })
  t.match(await runConcordat(['mock', '-', '--stdio']), { code: 2, err: /cannot come from standard input/ })
})
