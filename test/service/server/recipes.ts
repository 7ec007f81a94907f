import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { freePort } from '../../support/free-port.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { runConcordat } from '../../support/service.js'
import { sumsContract } from '../../support/sums-contract.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { tsc } from '../../support/tsc.js'
import { until } from '../../support/until.js'
import { call } from './server-harness.js'
import { listening } from './transport-harness.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guide = await readFile(join(root, 'docs/backend.md'), 'utf8')
const [service = '', ...recipes] = markdownBlocks(guide, 'Mount it', 'ts')
const [program = ''] = markdownBlocks(guide, 'Handlers', 'ts')
const [rateLimit = '', quota = ''] = markdownBlocks(guide, 'Limit callers', 'ts')
const [beside = ''] = markdownBlocks(guide, 'Serve paths beside an application', 'ts')
const [limited = ''] = markdownBlocks(guide, 'Errors of every method, and scopes', 'ts')
const [stated = ''] = markdownBlocks(guide, 'Errors of every method, and scopes', 'json')
const [shared = ''] = markdownBlocks(guide, 'Share a process between callers', 'ts')
const [watched = ''] = markdownBlocks(guide, 'Observe requests', 'ts')
const [counting = '', removing = ''] = markdownBlocks(guide, 'Subscriptions and calls to the client', 'ts')

const integer = { type: 'integer' }
const toClient = { 'x-direction': 'serverToClient' }
const named = (name: string, schema: object) => ({ name, required: true, schema })
const id = named('id', { type: 'string' })
const text = { type: 'string' }
const subscriptions = [
  {
    name: 'count',
    params: [named('to', integer)],
    result: id,
    'x-subscription': { notification: 'counted', unsubscribe: 'stop' },
  },
  { name: 'counted', params: [id, named('number', integer)], ...toClient },
  { name: 'stop', params: [id], result: { name: 'stopped', schema: { type: 'boolean' } } },
]
const bothDirections = [
  { name: 'remove', params: [named('item', text)], result: { name: 'removed', schema: { type: 'boolean' } } },
  {
    name: 'confirm',
    params: [named('question', text)],
    result: { name: 'is', schema: { type: 'boolean' } },
    ...toClient,
  },
  { name: 'removed', params: [named('item', text)], ...toClient },
]

const imports = `import { methods } from './generated/methods.js'\nimport type { Handlers } from './generated/service.js'\n`
/** A program around the handlers of the guide. */
const serving = (handlers: string) => `${imports}import { createServer } from 'node:http'
import { createService } from '@concordat/server'
import { mountWebSocket } from '@concordat/server/web-socket'
${handlers}
const server = createServer()
mountWebSocket(server, { service: createService({ methods, handlers }), path: '/rpc' })
server.listen(8080)
`

/** The contract with the errors and scopes of the guide. */
function withParts({ info, components }: { readonly info: object; readonly components: object }) {
  return { ...sumsContract, info: { ...sumsContract.info, ...info }, components }
}

const folder = await temporaryFolder(t)
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
await writeFile(join(folder, 'package.json'), '{"type":"module"}')
await writeFile(join(folder, 'service.ts'), service)
/** The second of two contracts: the same method with another error and title. */
await writeFile(join(folder, 'stock.ts'), `export { service } from './stock/service.js'`)
const projects = [
  { path: '.', document: sumsContract },
  { path: 'stock', document: { ...sumsContract, info: { title: 'Stock', version: '2.0.0' } } },
  { path: 'limited', document: withParts(JSON.parse(stated)) },
  { path: 'counting', document: { ...sumsContract, methods: subscriptions } },
  { path: 'removing', document: { ...sumsContract, methods: bothDirections } },
]
for (const { path, document } of projects) {
  const cwd = join(folder, path)
  await mkdir(cwd, { recursive: true })
  await writeFile(join(cwd, 'openrpc.json'), JSON.stringify(document))
  const args = ['generate', join(cwd, 'openrpc.json'), '--out', join(cwd, 'generated')]
  const { code, err } = await runConcordat(args)
  if (code !== 0) throw new TypeError(err)
}
await writeFile(join(folder, 'stock/service.ts'), service)
await compile(['**/*.ts'])

/** Compiles files, whose programs then start faster than with tsx and use the packages as they ship. */
async function compile(entryPoints: readonly string[]): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: [...entryPoints],
    ...{ outdir: '.', outbase: '.', format: 'esm', platform: 'node', target: 'node20' },
  })
}

/** Runs a recipe on another port, and ends it with the test. */
async function run(
  t: Test,
  name: string,
  code: string,
  env: object = {},
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort()
  await writeFile(join(folder, `${name}.ts`), code.replace('8080', String(port)))
  await compile([`${name}.ts`])
  const child = spawn(process.execPath, [`${name}.js`], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await ended
  })
  return { child, port }
}

async function post(url: string, body = call('add', [1, 2]), own: Readonly<Record<string, string>> = {}) {
  const headers = { 'content-type': 'application/json', ...own }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** Collects what a program writes. */
function outputOf({ stdout, stderr }: ChildProcess): { text: string } {
  const output = { text: '' }
  for (const stream of [stdout, stderr])
    stream?.on('data', (chunk) => {
      output.text += chunk
    })
  return output
}

const isDirect = (code: string) => code.includes('service.handle')
const isPair = (code: string) => code.includes('./stock.js')
const isStdio = (code: string) => code.includes('serveStdio')
const isWebSocket = (code: string) => code.includes('mountWebSocket')
const framework = (code: string) => /from '(?:@concordat\/server\/)?([\w:-]+)'/.exec(code)?.[1] ?? ''

t.equal(recipes.length, 8)

for (const code of recipes.filter((code) => !isStdio(code) && !isDirect(code) && !isPair(code))) {
  t.test(`the recipe with ${framework(code)} serves its own path only`, async (t) => {
    const { port } = await run(t, `recipe-${recipes.indexOf(code)}`, code)
    const found = isWebSocket(code)
      ? await until(() => overWebSocket(`ws://127.0.0.1:${port}/rpc`).catch(() => undefined))
      : (await until(() => post(`http://127.0.0.1:${port}/rpc`).catch(() => undefined))).body
    t.match(JSON.parse(found), { id: 1, result: 3 })
    if (isWebSocket(code))
      await t.rejects(overWebSocket(`ws://127.0.0.1:${port}/elsewhere`), { message: /404/ })
    else t.equal((await post(`http://127.0.0.1:${port}/elsewhere`)).status, 404)
  })
}

async function overWebSocket(url: string): Promise<string> {
  const socket = await connected(url)
  socket.send(call('add', [1, 2]))
  const [data] = await once(socket, 'message')
  socket.close()
  return String(data)
}

for (const code of recipes.filter((code) => isStdio(code) || isDirect(code))) {
  const name = isStdio(code) ? 'recipe-stdio' : 'recipe-direct'
  t.test(`${name} answers and ends with its input`, async (t) => {
    const { child } = await run(t, name, code)
    const output = outputOf(child)
    child.stdin?.end(`${call('add', [1, 2])}\n`)
    const [exitCode] = await once(child, 'close')
    t.equal(exitCode, 0)
    t.match(JSON.parse(output.text), { id: 1, result: 3 })
  })
}

t.test('two contracts are served side by side, each with its document', async (t) => {
  const { port } = await run(t, 'recipe-pair', recipes.find(isPair) ?? '')
  const titleAt = async (path: string) => {
    const { body } = await post(`http://127.0.0.1:${port}${path}`, call('rpc.discover', []))
    return JSON.parse(body).result.info.title
  }
  t.equal(await until(() => titleAt('/rpc').catch(() => undefined)), 'Sums')
  t.equal(await titleAt('/stock'), 'Stock')
  t.equal((await post(`http://127.0.0.1:${port}/other`)).status, 404)
})

/** An HTTP service for the program's handler. The test decides when it answers. */
async function startAdder(t: Test) {
  const held: ServerResponse[] = []
  const adder = createHttpServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://adder')
    const [a, b] = ['a', 'b'].map((name) => Number(searchParams.get(name)))
    if (b === 0) held.push(response)
    else response.end(String((a ?? 0) + (b ?? 0)))
  })
  const origin = await listening(t, adder)
  return { url: `http://${origin}/`, held }
}

/** Prints spans and, at the end of the input, metrics. */
const observed = `
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { register } from 'prom-client'
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })] }))
process.stdin.on('end', async () => process.stdout.write(await register.metrics())).resume()
`

t.test('the program under Handlers does what the list below it says', async (t) => {
  const { url: ADDER_URL, held } = await startAdder(t)
  const { child, port } = await run(t, 'handlers', `${program}${observed}`.replace('10_000', '3_000'), {
    ADDER_URL,
  })
  const output = outputOf(child)
  const origin = `http://127.0.0.1:${port}`
  const url = `${origin}/rpc`
  const health = await until(() => fetch(`${origin}/health`).catch(() => undefined))
  t.equal(health.status, 200)
  const authorization = 'ada'
  t.match(await post(url), { status: 401, body: '"code":-32001,"message":"Unauthorized"' })
  const added = await post(url, undefined, { authorization, 'content-type': 'application/json-rpc' })
  t.match(JSON.parse(added.body), { result: 3 })
  t.equal(added.headers.get('cache-control'), 'no-store')
  t.equal(added.headers.get('access-control-allow-origin'), 'https://app.example')
  t.match(await post(url, undefined, { authorization, 'content-type': 'text/plain' }), { status: 415 })
  const discovered = await post(url, call('rpc.discover', []), { authorization })
  t.match(JSON.parse(discovered.body), { result: { info: { title: 'Sums' } } })
  const preflight = await fetch(url, { method: 'OPTIONS' })
  t.match(preflight, { status: 204 })
  t.equal(preflight.headers.get('access-control-allow-methods'), 'POST, OPTIONS')

  const leaving = new AbortController()
  const headers = { 'content-type': 'application/json', authorization }
  const left = fetch(url, { method: 'POST', headers, body: call('add', [1, 0]), signal: leaving.signal })
  const [call1] = await until(() => (held.length === 1 ? held : undefined))
  const closed = call1 && once(call1, 'close')
  leaving.abort()
  await t.rejects(left)
  await closed
  t.pass('the signal fires when the caller disconnects')
  t.match(await post(url, call('add', [2, 0]), { authorization }), { status: 504, body: '"code":-32603' })

  child.stdin?.end()
  await until(() => output.text.includes('rpc_seconds_count{method="unknown",code="-32600"} 1'))
  t.match(output.text, /^{"level":"info","message":"adding","method":"add","user":"ada"}$/m)
  t.match(output.text, /name: 'add'/, 'a span')
  t.match(output.text, 'rpc_seconds_count{method="add",code="0"} 1')
  t.match(output.text, 'rpc_seconds_count{method="rpc.discover",code="0"} 1')
})

for (const [name, code, limit] of [
  ['rate-limit', rateLimit.replace('= 60\n', '= 5\n'), 5],
  ['quota', quota.replace('1_000', '5'), 5],
] as const) {
  t.test(`the ${name} of the guide charges every call, and admits as many as it says`, async (t) => {
    await awayFromMidnight()
    const { port } = await run(t, name, code)
    const url = `http://127.0.0.1:${port}/`
    const batch = `[${[1, 2, 3].map((id) => call('add', [1, id], id)).join(',')}]`
    const send = async (body: string, authorization = 'ada') => {
      const { status, headers, body: text } = await post(url, body, { authorization })
      return { status, left: /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1], body: JSON.parse(text) }
    }
    const first = await until(() => send(batch).catch(() => undefined))
    t.match(first, {
      status: 200,
      left: String(limit - 3),
      body: [{ result: 2 }, { result: 3 }, { result: 4 }],
    })
    t.match(await send(call('add', ['x', 1])), { status: 200, left: '1', body: { error: { code: -32602 } } })
    const second = await send(batch)
    t.match(second, { status: 200, left: '0', body: [{ result: 2 }, { error: { code: -32005 } }, { id: 3 }] })
    t.match(await send('{', 'ada'), { status: 429, left: '0', body: { id: null, error: { code: -32005 } } })
    t.match(await send(call('add', [1, 2]), 'bob'), { status: 200, left: '4', body: { result: 3 } })
    const tooLarge = await send(`"${'x'.repeat(6_000_000)}"`, 'bob')
    t.match(tooLarge, { status: 413, left: '4' }, 'a refused body is not charged')
  })
}

t.test('errors of the guide have their status, and clients wait for them', async (t) => {
  // A busy machine answers the next call before the caller is idle again, and within the deadline.
  const code = limited.replace('1_000', '3_000').replace('5_000', '1_000')
  const { port } = await run(t, 'limited/server', code)
  const url = `http://127.0.0.1:${port}/`
  const send = async (a: number, authorization?: string) => {
    const { status, headers, body } = await post(
      url,
      call('add', [a, 1]),
      authorization ? { authorization } : {},
    )
    return { status, wait: headers.get('retry-after'), error: JSON.parse(body).error, body }
  }
  t.match(await until(() => send(1).catch(() => undefined)), { status: 403, error: { code: -32016 } })
  const message = 'The scope sums:write is missing'
  t.match(await send(1, 'Bearer reader'), { status: 403, wait: null, error: { code: -32016, message } })
  const late = { code: -32010, message: 'The call took too long' }
  t.match(await send(10_000, 'Bearer writer'), { status: 504, error: late })
  const busy = { code: -32005, message: 'Too many requests' }
  t.match(await send(1, 'Bearer writer'), { status: 429, wait: '1', error: busy })

  const { createClient } = await import(join(folder, 'limited/generated/client.ts'))
  const client = createClient(url, {
    headers: { authorization: 'Bearer writer' },
    retry: { attempts: 5, writes: true },
  })
  t.equal(await client.add(1, 1), 2)
  t.equal(await client.add(2, 1), 3, 'after a wait')
})

t.test('paths and pages of the guide overlap', async (t) => {
  const { port } = await run(t, 'beside', beside)
  const origin = `http://127.0.0.1:${port}`
  for (const path of ['/t-1', '/v2/t-1/', '/t-1?a=b', '/other']) {
    const { status, body } = await until(() => post(`${origin}${path}`).catch(() => undefined))
    t.equal(status, 200, path)
    t.match(JSON.parse(body), { result: 3 })
  }
  t.equal(await (await fetch(`${origin}/about`)).text(), 'a page')
  t.equal(await (await fetch(`${origin}/about`, { method: 'POST' })).text(), 'a page')
  t.equal((await fetch(`${origin}/t-1`)).status, 405)
  t.equal((await fetch(`${origin}/a/b`)).status, 404)
})

t.test('callers of the guide share memory and places', async (t) => {
  const { url: AUDIT_URL, held } = await startAdder(t)
  const { port } = await run(t, 'shared', shared, {
    AUDIT_URL,
  })
  const send = (b: number, authorization: string) =>
    post(`http://127.0.0.1:${port}/`, call('add', [1, b]), { authorization })
  t.match(JSON.parse((await until(() => send(0, 'ada').catch(() => undefined))).body), { result: 1 })
  await until(() => (held.length > 0 ? true : undefined))
  for (const response of held) response.end()
  t.match(JSON.parse((await send(2, 'bob')).body), { result: 3 })
})

t.test('the log of the guide has a line for each call and each refusal', async (t) => {
  const { child, port } = await run(t, 'observe', watched)
  const output = outputOf(child)
  const url = `http://127.0.0.1:${port}/`
  const added = await until(() => post(url, undefined, { authorization: 'ada' }).catch(() => undefined))
  t.match(added.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
  t.equal((await fetch(url)).status, 405)
  const lines = await until(() =>
    output.text.split('\n').length === 3 ? output.text.split('\n') : undefined,
  )
  t.match(JSON.parse(lines[0] ?? ''), { user: 'ada', method: 'add', milliseconds: Number })
  t.match(JSON.parse(lines[1] ?? ''), { status: 405, address: '127.0.0.1', reason: String })
})

t.test('the subscription of the guide sends its items', async (t) => {
  const { port } = await run(t, 'counting/server', serving(counting))
  const socket = await until(() => connected(`ws://127.0.0.1:${port}/rpc`).catch(() => undefined))
  const messages = messagesOf(socket)
  socket.send(call('count', [2]))
  await until(() => messages.length === 3)
  t.match(messages, [{ id: 1 }, { method: 'counted', params: { number: 1 } }, { params: { number: 2 } }])
  socket.close()
})

t.test('the handler of the guide calls the client', async (t) => {
  const { port } = await run(t, 'removing/server', serving(removing))
  const socket = await until(() => connected(`ws://127.0.0.1:${port}/rpc`).catch(() => undefined))
  const messages = messagesOf(socket)
  socket.send(call('remove', ['apple']))
  await until(() => messages.length === 1)
  t.match(messages, [{ method: 'confirm', params: { question: 'Remove apple?' } }])
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: messages[0]?.id, result: true }))
  await until(() => messages.length === 3)
  t.match(messages.slice(1), [
    { method: 'removed', params: { item: 'apple' } },
    { id: 1, result: true },
  ])
  socket.close()
})

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  return socket
}

function messagesOf(socket: WebSocket): { readonly id?: unknown }[] {
  const messages: { readonly id?: unknown }[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  return messages
}

t.test('all programs compile', async (t) => {
  for (const [at, code] of recipes.entries()) await writeFile(join(folder, `recipe-${at}.ts`), code)
  await writeFile(join(folder, 'handlers.ts'), program)
  await writeFile(join(folder, 'rate-limit.ts'), rateLimit)
  await writeFile(join(folder, 'quota.ts'), quota)
  await writeFile(join(folder, 'observe.ts'), watched)
  await writeFile(join(folder, 'shared.ts'), shared)
  await writeFile(join(folder, 'beside.ts'), beside)
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { rootDir: '/', noEmit: true, typeRoots: [join(root, 'node_modules/@types')] },
    include: ['*.ts', '*/*.ts'],
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  t.equal(await tsc(['-p', folder]), '')
})
