import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { call, post, runConcordat, startService } from '../support/service.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-start-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

t.test('says what it is, prints both URLs, a curl line and the folder', async (t) => {
  const service = await startService()
  const { test, main } = service.networks
  t.match(test.url, /^http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{30}-T$/)
  t.match(main.url, /^http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{30}-M$/)
  t.equal(test.chainId, '0x1f')
  t.equal(main.chainId, '0x1e')
  t.equal(await service.stop(), 0)
  const { out } = service.output()
  for (const text of [test.url, main.url, 'development chain', `curl -s ${test.url}`, service.data])
    t.ok(out.includes(text), text)
})

t.test('keys, and what they have used, outlive a restart', async (t) => {
  const data = join(folder, 'kept')
  const first = await startService({ data })
  const before = await post(first.networks.test.url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  t.equal(await first.stop(), 0)
  t.equal((await stat(data)).mode & 0o077, 0, 'nobody else reads the folder')
  const second = await startService({ data })
  t.teardown(() => second.stop())
  const path = (url: string) => new URL(url).pathname
  t.equal(path(second.networks.test.url), path(first.networks.test.url))
  t.equal(path(second.networks.main.url), path(first.networks.main.url))
  const after = await post(second.networks.test.url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  t.equal(remaining(after), remaining(before) - 1)
})

t.test('a killed service leaves no process behind, and starts again on its folder', async (t) => {
  const data = join(folder, 'killed')
  const first = await startService({ data })
  await call(first.networks.test.url, 'eth_chainId')
  await first.stop('SIGKILL')
  const second = await startService({ data })
  t.equal(await call(second.networks.test.url, 'eth_chainId'), '0x1f')
  t.equal(await second.stop(), 0)
})

t.test('a second service on the same folder is refused by name, and the first goes on', async (t) => {
  const first = await startService()
  t.teardown(() => first.stop())
  const { code, err } = await runConcordat(['start', '--port', '0', '--data', first.data])
  t.equal(code, 2)
  t.match(err, first.data)
  t.equal(err.trim().split('\n').length, 1)
  t.equal(await call(first.networks.test.url, 'eth_chainId'), '0x1f')
})

t.test('SIGTERM: what is in flight is answered, new connections are not taken', async (t) => {
  const service = await startService()
  const url = service.networks.test.url
  const head = Number(await call(url, 'eth_blockNumber'))
  const wide = { fromBlock: `0x${(head - 1999).toString(16)}`, toBlock: 'latest' }
  const inFlight = Array.from({ length: 8 }, (_, id) =>
    post(url, { jsonrpc: '2.0', id, method: 'eth_getLogs', params: [wide] }),
  )
  const ended = service.stop()
  const answers = await Promise.allSettled(inFlight)
  for (const answer of answers) {
    if (answer.status === 'rejected')
      t.match(String(answer.reason.cause), /ECONNREFUSED/, 'never taken, so never lost')
    else t.ok([200, 503].includes(answer.value.status))
  }
  t.equal(await ended, 0)
})

t.test('bad input: one clear line, exit 2, nothing written', async (t) => {
  const unwritable = join(folder, 'unwritable')
  await writeFile(unwritable, 'a file, no folder')
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const data = join(folder, 'never-made')
  const rows: [string[], Record<string, string>, RegExp][] = [
    [['--port', 'x'], {}, /--port must be a whole number/],
    [['--prot', '1'], {}, /--prot/],
    [['extra'], {}, /extra/],
    [['--port'], {}, /--port/],
    [[], { CONCORDAT_LOG_LEVEL: 'loud', CONCORDAT_HOST: '!' }, /CONCORDAT_HOST.*CONCORDAT_LOG_LEVEL/],
    [[], { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '25001' }, /CONCORDAT_LIMIT_REQUESTS_PER_DAY/],
    [[], { CONCORDAT_NODES_TEST: 'nowhere' }, /CONCORDAT_NODES_TEST/],
  ]
  for (const [args, env, message] of rows) {
    const { code, out, err } = await runConcordat(['start', '--data', data, ...args], env)
    t.equal(code, 2, `${args} ${JSON.stringify(env)}`)
    t.equal(out, '')
    t.match(err, message)
    t.equal(err.trim().split('\n').length, 1, err)
  }
  t.notOk((await readdir(folder)).includes('never-made'))
  const inUse = await runConcordat(['start', '--data', join(folder, 'in-use'), '--port', String(port)])
  t.equal(inUse.code, 2)
  t.match(inUse.err, new RegExp(`127.0.0.1:${port} is in use`))
  const noFolder = await runConcordat(['start', '--data', unwritable, '--port', '0'])
  t.equal(noFolder.code, 2)
  t.match(noFolder.err, unwritable)
  t.equal(noFolder.err.trim().split('\n').length, 1, noFolder.err)
})

/** What the `RateLimit` header says is left of the day. */
function remaining({ headers }: { headers: Headers }): number {
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
}
