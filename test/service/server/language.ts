import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import {
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { until } from '../../support/until.js'
import '../../support/plain-children.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const guide = await readFile(join(root, 'docs/backend.md'), 'utf8')
const [program = ''] = markdownBlocks(guide, 'A language server', 'ts')

const any = {}
const text = { type: 'string' }
const object = { type: 'object' }
const param = (name: string, schema: object = any) => ({ name, required: true, schema })
const request = (name: string, params: object[], schema: object = any) => ({
  name,
  paramStructure: 'by-name',
  params,
  result: { name: 'result', schema },
})
const notification = (name: string, params: object[], extensions: object = {}) => ({
  name,
  paramStructure: 'by-name',
  params,
  ...extensions,
})
const toClient = { 'x-direction': 'serverToClient' }
const textDocument = (...members: readonly string[]) =>
  param('textDocument', {
    type: 'object',
    properties: Object.fromEntries(members.map((name) => [name, text])),
    required: members,
  })
const document = textDocument('uri')

const [, cancelRequest = ''] = markdownBlocks(guide, 'Subscriptions and calls to the client', 'json')

/** Eleven methods of the Language Server Protocol, version 3.17. */
const contract = {
  openrpc: '1.3.2',
  info: { title: 'Language server', version: '1.0.0' },
  methods: [
    request('initialize', [param('capabilities', object)], object),
    notification('initialized', []),
    request('shutdown', []),
    notification('exit', []),
    notification('textDocument/didOpen', [textDocument('uri', 'text')]),
    notification('textDocument/didClose', [document]),
    request('textDocument/hover', [document, param('position', object)]),
    request('textDocument/formatting', [document], { type: 'array' }),
    JSON.parse(cancelRequest),
    notification('textDocument/publishDiagnostics', [param('uri', text), param('diagnostics')], toClient),
    {
      ...request('workspace/configuration', [param('items', { type: 'array' })], { type: 'array' }),
      ...toClient,
    },
  ],
}

t.test('the language server of the guide answers the client of vscode-jsonrpc, and calls it', async (t) => {
  const folder = await temporaryFolder(t)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(contract))
  await writeFile(join(folder, 'server.ts'), program)
  const generated = spawn(
    process.execPath,
    [join(root, 'bin/concordat.js'), 'generate', '--out', 'generated'],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  t.same(await once(generated, 'exit'), [0, null])
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
  const server = spawn(process.execPath, ['--import=tsx', 'server.ts'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  t.teardown(() => server.kill())
  const client = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  )
  const published = new Promise((resolve) => {
    client.onNotification('textDocument/publishDiagnostics', resolve)
  })
  const asked: CancellationToken[] = []
  client.onRequest('workspace/configuration', ({ items }: { readonly items: readonly unknown[] }, token) => {
    asked.push(token)
    return asked.length === 1 ? items : new Promise(() => undefined)
  })
  client.listen()

  t.same(await client.sendRequest('initialize', { capabilities: {} }), {
    capabilities: { hoverProvider: true },
  })
  await client.sendNotification('initialized', {})
  const textDocument = { uri: 'file:///a', text: 'größer' }
  await client.sendNotification('textDocument/didOpen', { textDocument })
  t.same(await published, { uri: 'file:///a', diagnostics: [{ message: 'größer' }] })
  const position = { line: 0, character: 0 }
  t.same(await client.sendRequest('textDocument/hover', { textDocument, position }), { contents: 'größer' })
  t.same(await client.sendRequest('textDocument/formatting', { textDocument }), [{ section: 'editor' }])
  await t.rejects(client.sendRequest('textDocument/hover', { textDocument }), { code: -32602 })
  await t.rejects(client.sendRequest('unknown', {}), { code: -32601 })
  const source = new CancellationTokenSource()
  const formatting = client.sendRequest('textDocument/formatting', { textDocument }, source.token)
  const { onCancellationRequested } = await until(() => asked[1])
  const isCancelled = new Promise((resolve) => onCancellationRequested(resolve))
  source.cancel()
  await t.rejects(formatting, { code: -32800 })
  await isCancelled
  await client.sendNotification('textDocument/didClose', { textDocument })
  t.same(await client.sendRequest('textDocument/hover', { textDocument, position }), { contents: null })
  t.equal(await client.sendRequest('shutdown'), null)
  await client.sendNotification('exit')
  t.same(await exited, [0, null])
})
