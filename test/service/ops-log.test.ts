import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { post, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10', eth_gasPrice: 'rubbish' })
t.teardown(() => node.close())
const nodes = { CONCORDAT_NODES_TEST: `${node.url}/v2/secret-of-node`, CONCORDAT_NODES_MAIN: node.url }
const service = await startService({ env: nodes })
t.teardown(() => service.stop())
const { url } = service.networks.test
const key = new URL(url).pathname.slice(1)
const request = (method: string, params: unknown = []) => ({ jsonrpc: '2.0', id: 1, method, params })

/** A line of the log as an object. */
type Line = Readonly<Record<string, unknown>>

/** The log lines of a request, once there is one. */
async function linesOf(requestId: string | null, of = service): Promise<readonly Line[]> {
  const said = await of.said('err', new RegExp(`^.*"${requestId}".*\n`, 'm'))
  return said
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line['requestId'] === requestId)
}

t.test('an error answer has the id of its log line', async (t) => {
  const answer = await post(url, request('eth_getBalance', ['x']))
  const [line] = await linesOf(answer.headers.get('x-request-id'))
  t.match(line, {
    level: 30,
    msg: 'request failed',
    keyId: /^key_[a-z0-9]+$/,
    network: 'test',
    method: 'eth_getBalance',
    code: -32602,
    error: 'invalidParams',
  })
  t.type(line?.['milliseconds'], 'number')
})

t.test('a successful answer has no id, and no log line at this level', async (t) => {
  const { headers } = await post(url, request('eth_chainId'))
  t.equal(headers.get('x-request-id'), null)
})

t.test('a batch has one id, and a log line for each failed request', async (t) => {
  const batch = [request('eth_chainId'), request('nothing'), request('eth_call', [])]
  const { headers } = await post(url, batch)
  const lines = await linesOf(headers.get('x-request-id'))
  t.match(lines, [{ code: -32601 }, { code: -32602, method: 'eth_call' }])
  t.equal(lines.length, 2)
  t.notOk('method' in (lines[0] ?? {}), 'an unknown method name is not logged')
})

t.test('refusals have an id, too, with the address and without the key', async (t) => {
  const rows: [string, RequestInit, string][] = [
    [`${service.origin}/${'B'.repeat(30)}-T`, { method: 'POST' }, 'refusedKey'],
    ...['/', '/v2', '/v2/', '/json-rpc'].map((path): [string, RequestInit, string] => [
      `${service.origin}${path}`,
      { method: 'POST' },
      'missingKey',
    ]),
    [url, { method: 'GET' }, 'wrongVerb'],
  ]
  for (const [address, init, failure] of rows) {
    const { headers } = await fetch(address, init)
    const [line] = await linesOf(headers.get('x-request-id'))
    t.match(line, { level: 30, failure, address: '127.0.0.1', verb: init.method, msg: 'request refused' })
  }
  const { headers } = await post(url, 'x', { 'content-type': 'text/plain' })
  t.match(await linesOf(headers.get('x-request-id')), [{ keyId: /^key_/, code: -32600 }])
})

t.test('a valid request id of the caller is used', async (t) => {
  const failing = request('nothing')
  const idOf = async (sent: string) =>
    (await post(url, failing, { 'x-request-id': sent })).headers.get('x-request-id')
  const longest = 'a'.repeat(64)
  for (const good of ['abc-1.2_3', longest]) t.equal(await idOf(good), good)
  for (const bad of [`${longest}a`, 'a b', '"', 'ä']) t.match(await idOf(bad), /^[0-9a-f]{10}-[0-9a-z]+$/)
})

t.test('failures of the service or a node are logged with their cause, under the same id', async (t) => {
  const answer = await post(url, request('eth_gasPrice'))
  t.equal(answer.status, 502)
  const lines = await linesOf(answer.headers.get('x-request-id'))
  t.match(lines, [
    { level: 50, err: { message: /./ } },
    { level: 30, code: -32603 },
  ])
})

t.test('every id of an error leads to its cause, however often it is answered', async (t) => {
  for (let time = 0; time < 3; time++) {
    const alone = await post(url, request('eth_gasPrice'))
    const batch = await post(url, [request('eth_gasPrice'), request('eth_gasPrice')])
    for (const { headers } of [alone, batch]) {
      const lines = await linesOf(headers.get('x-request-id'))
      const failed = lines.filter(({ msg }) => msg === 'request failed')
      t.equal(failed.length, headers === alone.headers ? 1 : 2)
      for (const line of failed) t.match(line, { code: -32603, cause: /"node":"test-1".*rubbish/ })
    }
  }
})

t.test('at debug level, every request is logged', async (t) => {
  const talkative = await startService({ env: { ...nodes, CONCORDAT_LOG_LEVEL: 'debug' } })
  t.teardown(() => talkative.stop())
  const { headers } = await post(talkative.networks.main.url, request('eth_accounts'))
  const [line] = await linesOf(headers.get('x-request-id'), talkative)
  t.match(line, { level: 20, msg: 'request answered', method: 'eth_accounts', network: 'main' })
})

t.test('the log contains no key and no node address', async (t) => {
  await post(`${service.origin}/${key}/more`, request('eth_chainId'))
  node.release('eth_gasPrice', `more rubbish from ${nodes.CONCORDAT_NODES_TEST}`)
  await linesOf((await post(url, request('eth_gasPrice'))).headers.get('x-request-id'))
  await service.stop()
  const { err } = service.output()
  t.ok(err.length > 1000)
  t.match(err, 'more rubbish')
  for (const secret of [key, 'secret-of-node', new URL(node.url).host, 'B'.repeat(30)])
    t.notOk(err.includes(secret), secret)
})

t.test('a flood of errors fills no more than the stated bytes of a minute', async (t) => {
  const bound = 10_000
  const startedAt = performance.now()
  const flooded = await startService({
    env: { ...nodes, CONCORDAT_TUNING_LOG_BYTES_PER_MINUTE: String(bound) },
  })
  t.teardown(() => flooded.stop())
  const batch = Array.from({ length: 100 }, () => request('nothing'))
  for (let time = 0; time < 5; time++)
    t.equal((await post(flooded.networks.test.url, batch)).json.length, batch.length)
  // A failure of the node has a line of its own, which the others leave room for.
  await post(flooded.networks.test.url, request('eth_gasPrice'))
  const err = await flooded.said('err', 'this cause is logged at most once a minute')
  t.ok(err.split('\n').filter((line) => line.includes('request failed')).length > 10)
  await flooded.stop()
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000)
  t.ok(Buffer.byteLength(flooded.output().err) < bound * minutes)
})

t.test('a warning of Node.js or of a package is logged as JSON', async (t) => {
  const { code, err } = await runConcordat(['serve', '--port', '0', '--data', await temporaryFolder(t)], {
    ...nodes,
    CONCORDAT_SECRET: 'the secret of these tests, long enough',
    // The driver warns about the future meaning of this parameter. The port has no listener.
    DATABASE_URL: 'postgres://user:password@127.0.0.1:9/database?sslmode=require',
  })
  t.equal(code, 2)
  const [reason = '', ...lines] = err.trim().split('\n').reverse()
  t.match(reason, /^concordat serve: The database database at 127\.0\.0\.1:9 cannot be reached/)
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
  // On a busy machine the log also has errors of nodes that did not answer in time.
  t.match(warnings, [{ level: 40, msg: /sslmode/ }])
})

t.test('the service continues when the reader of its log has exited', async (t) => {
  const unread = await startService({ env: nodes })
  t.teardown(() => unread.stop())
  unread.process.stdout?.destroy()
  unread.process.stderr?.destroy()
  // Each is a line of the log.
  for (const method of ['nothing', 'no_more', 'eth_call'])
    t.equal((await post(unread.networks.test.url, request(method))).status, 200, method)
  t.equal(await unread.stop(), 0)
})

t.test('a full disk for the log ends nothing', async (t) => {
  const full = await open('/dev/full', 'w')
  t.teardown(() => full.close())
  const launcher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))
  const child = spawn(process.execPath, [launcher, 'nothing'], { stdio: ['ignore', 'ignore', full.fd] })
  t.same(await once(child, 'exit'), [2, null], 'it prints that the command is unknown, and exits by itself')
})
