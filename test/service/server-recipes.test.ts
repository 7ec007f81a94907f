import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { markdownBlocks } from '../support/markdown-blocks.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { call } from './server-harness.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = await readFile(join(root, 'docs/backend.md'), 'utf8')
const [service = '', ...recipes] = markdownBlocks(guide, 'Mount it', 'ts')
const [handlers = '', server = ''] = markdownBlocks(guide, 'Handlers', 'ts')

const integer = { type: 'integer' }
const contract = {
  openrpc: '1.3.2',
  info: { title: 'Sums', version: '1.0.0' },
  methods: [
    {
      name: 'add',
      params: ['a', 'b'].map((name) => ({ name, required: true, schema: integer })),
      result: { name: 'sum', schema: integer },
    },
  ],
}

const [counting = ''] = markdownBlocks(guide, 'Subscriptions and calls to the client', 'ts')
const toClient = { 'x-direction': 'serverToClient' }
const id = { name: 'id', required: true, schema: { type: 'string' } }
const number = { name: 'number', required: true, schema: integer }
const subscriptions = {
  ...contract,
  methods: [
    {
      name: 'count',
      params: [{ ...number, name: 'to' }],
      result: id,
      'x-subscription': { notification: 'counted', unsubscribe: 'stop' },
    },
    { name: 'counted', params: [id, number], ...toClient },
    { name: 'stop', params: [id], result: { name: 'stopped', schema: { type: 'boolean' } } },
  ],
}

const folder = await temporaryFolder(t)
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
await writeFile(join(folder, 'package.json'), '{"type":"module"}')
await writeFile(join(folder, 'openrpc.json'), JSON.stringify(contract))
await writeFile(join(folder, 'service.ts'), service)
await mkdir(join(folder, 'counting'))
await writeFile(join(folder, 'counting/openrpc.json'), JSON.stringify(subscriptions))
for (const cwd of [folder, join(folder, 'counting')])
  await execute(process.execPath, [join(root, 'bin/concordat.js'), 'generate', '--out', 'generated'], { cwd })

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

/** Runs a recipe on another port, and ends it with the test. */
async function run(t: Test, name: string, code: string): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort()
  await writeFile(join(folder, `${name}.ts`), code.replace('8080', String(port)))
  const child = spawn(process.execPath, ['--import=tsx', `${name}.ts`], {
    cwd: folder,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await ended
  })
  return { child, port }
}

async function post(url: string) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: call('add', [1, 2]) })
  return { status: response.status, body: await response.text() }
}

const isStdio = (code: string) => code.includes('serveStdio')
const isWebSocket = (code: string) => code.includes('mountWebSocket')
const framework = (code: string) => /from '(?:@concordat\/server\/)?([\w:-]+)'/.exec(code)?.[1] ?? ''

t.equal(recipes.length, 6)

for (const code of recipes.filter((code) => !isStdio(code))) {
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
  const socket = new WebSocket(url)
  await once(socket, 'open')
  socket.send(call('add', [1, 2]))
  const [data] = await once(socket, 'message')
  socket.close()
  return String(data)
}

t.test('the recipe with standard input answers and ends with its input', async (t) => {
  const { child } = await run(t, 'recipe-stdio', recipes.find(isStdio) ?? '')
  const output: string[] = []
  child.stdout?.on('data', (chunk) => output.push(String(chunk)))
  child.stdin?.end(`${call('add', [1, 2])}\n`)
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.match(JSON.parse(output.join('')), { id: 1, result: 3 })
})

t.test('recipes and handlers compile', async (t) => {
  const imports = `import { methods } from './generated/methods.js'\nimport type { Handlers } from './generated/service.js'\n`
  await writeFile(
    join(folder, 'handlers.ts'),
    `${imports}${server.replace('const timed', `${handlers}\nconst timed`)}`,
  )
  for (const [at, code] of recipes.entries()) await writeFile(join(folder, `recipe-${at}.ts`), code)
  await writeFile(join(folder, 'counting/handlers.ts'), `${imports}${counting}export { handlers, methods }\n`)
  const compilerOptions = { rootDir: '/', noEmit: true }
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: ['*.ts', 'counting/*.ts'],
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiled = execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  const { stdout } = await compiled.catch((cause: { readonly stdout: string }) => cause)
  t.equal(stdout, '')
})
