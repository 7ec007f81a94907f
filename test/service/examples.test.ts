import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { startHeldNode } from '../support/held-node.js'
import { markdownBlocks } from '../support/markdown-blocks.js'
import { call, cleanEnvironment, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** Copies an example and links its dependencies, as `npm install` does. */
async function installed(t: Test, name: string, env: Readonly<Record<string, string>> = {}) {
  const cwd = join(await temporaryFolder(t), name)
  await cp(join(root, 'examples', name), cwd, { recursive: true })
  const { dependencies } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true })
  for (const dependency of Object.keys(dependencies)) {
    const link = join(cwd, 'node_modules', dependency)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', dependency), link)
  }
  await symlink(join(root, 'bin/concordat.js'), join(cwd, 'node_modules/.bin/concordat'))
  return { cwd, env: cleanEnvironment({ ...env }) }
}

/** Starts `npm start` of an example and resolves to the first match in its output. */
async function started(t: Test, options: Awaited<ReturnType<typeof installed>>, wanted: RegExp) {
  // A process group of its own, because npm starts a shell and the shell starts the program.
  const child: ChildProcess = spawn('npm', ['start'], { ...options, detached: true })
  const ended = once(child, 'close')
  t.teardown(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  })
  const output: string[] = []
  return new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        const found = wanted.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    }
    ended.then(() => reject(new Error(`npm start ended:\n${output.join('\n')}`)))
  })
}

t.test('the backend example serves its contract, and its client watches over a WebSocket', async (t) => {
  const example = await installed(t, 'backend', { PORT: '0' })
  const url = await started(t, example, /listening on (\S+)/)
  const take = async (params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'takeItems', params })
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return answer.json()
  }
  const socket = new WebSocket(url.replace('http', 'ws'))
  const received: { readonly params?: { readonly left: number } }[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  socket.send('{"jsonrpc":"2.0","id":1,"method":"watchItems","params":{"item":"apple"}}')
  await until(() => received.length === 2)
  t.match(await take({ item: 'apple', count: 2 }), { result: 1 })
  await until(() => received.length === 3)
  t.match(received, [{ id: 1 }, { method: 'itemsLeft', params: { left: 3 } }, { params: { left: 1 } }])
  t.match(await take({ item: 'apple', count: 2 }), { error: { code: 1, message: 'Sold out' } })
  const env = cleanEnvironment({ RPC_URL: url.replace('http', 'ws') })
  const { stdout } = await run('npm', ['run', '--silent', 'client'], { cwd: example.cwd, env })
  t.equal(stdout, '1 left\n0 left\n')
  t.match(await take({ item: 'apple', count: 0 }), { error: { code: -32_602 } })
  const concordat = (...args: readonly string[]) =>
    run(process.execPath, [join(root, 'bin/concordat.js'), ...args], { ...example, cwd: root })
  t.match(await concordat('lint', url), { stdout: /no problems/ }, 'its document is read with rpc.discover')
  const conform = await concordat('conform', '--contract', url, '--only', 'json-rpc/*', url)
  t.match(conform, { stdout: /^ {2}\d+ passed/m })
  const guide = await readFile(join(root, 'docs/backend.md'), 'utf8')
  const [shown] = markdownBlocks(guide, 'Call it over a WebSocket', 'ts')
  t.equal(
    shown?.trim(),
    (await readFile(join(example.cwd, 'client.ts'), 'utf8')).trim(),
    'the guide shows it',
  )
})

t.test('the integrator, QA and operator examples run against a service', async (t) => {
  const service = await startService({ env: { CONCORDAT_METRICS_PORT: '0' } })
  t.teardown(() => service.stop())
  const { url } = service.networks.test

  t.test('the integrator example deploys, sends, waits, and reads many logs and blocks', async (t) => {
    const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
    const example = await installed(t, 'integrator', { RPC_URL: url, PRIVATE_KEY: privateKey })
    const { stdout } = await run('npm', ['start'], example)
    t.match(
      stdout,
      /^deployed 0x[0-9a-f]{40} in block \d+\nincreased to 42\nread \d+ logs\nread 1000 blocks$/m,
    )
    t.ok(Number(/read (\d+) logs/.exec(stdout)?.[1]) > 10_000)
    const poor = { ...example.env, PRIVATE_KEY: `0x${'11'.repeat(32)}` }
    const refused = await run('npm', ['start'], { ...example, env: poor }).catch((error: unknown) => error)
    t.match(refused, { code: 1, stderr: /transactionRejected \(-32003\)/ })
  })

  t.test('the QA example passes, and exits with 1 when a case fails', async (t) => {
    const example = await installed(t, 'qa', { RPC_URL: url })
    const { stdout } = await run('npm', ['run', 'conform'], example)
    t.match(stdout, /\b2 passed\b/)
    t.match(await readFile(join(example.cwd, 'report.xml'), 'utf8'), /<testcase [^>]*balance/)
    const wrong = "scenario: Wrong.\nsteps: [{ call: eth_chainId, params: [], expect: { result: '0x0' } }]\n"
    await writeFile(join(example.cwd, 'scenarios/balance/wrong.yaml'), wrong)
    const failed = await run('npm', ['run', 'conform'], example).catch((error: unknown) => error)
    t.match(failed, { code: 1, stdout: /\bfailed\b/ })
  })

  t.test('the operator example is ready, and its alerts name metrics that exist', async (t) => {
    const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f' })
    t.teardown(() => node.close())
    const example = await installed(t, 'operator', {
      NODE_URL: node.url,
      CONCORDAT_PORT: '0',
      CONCORDAT_METRICS_PORT: '0',
    })
    const origin = await started(t, example, /"urls":\["(http:[^"]+)"/)
    t.match(await (await fetch(new URL('/readyz', origin))).json(), {
      status: 'ok',
      networks: { test: 'ok' },
    })
    const create = ['run', 'key', '--', '--user', 'ada@example.com', '--name', 'wallet']
    // The second terminal of a user does not have the variables of the first.
    const { NODE_URL: _, ...env } = example.env
    const { stdout } = await run('npm', create, { ...example, env })
    const keyUrl = /http:\S+/.exec(stdout)?.[0] ?? ''
    t.equal(await call(new URL(new URL(keyUrl).pathname, origin).href, 'eth_blockNumber'), '0x97f')
    const alerts = await readFile(join(root, 'examples/operator/alerts.yml'), 'utf8')
    const metrics = await (await fetch(service.metrics ?? '')).text()
    for (const [name] of alerts.matchAll(/concordat_\w+/g)) t.match(metrics, `# TYPE ${name} `)
  })
})
