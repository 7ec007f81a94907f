import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { openBrowser } from '../../support/dashboard.js'
import { startHeldNode } from '../../support/held-node.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { runConcordat, startService } from '../../support/service.js'

const limit = 100
const pageScript = fileURLToPath(new URL('./browser-page.ts', import.meta.url))
const tsconfig = fileURLToPath(new URL('../../../tsconfig.json', import.meta.url))

const node = await startHeldNode({ eth_chainId: '0x1e', eth_blockNumber: '0x10' })
t.teardown(() => node.close())
const service = await startService({
  env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit), CONCORDAT_NODES_MAIN: node.url },
})
t.teardown(() => service.stop())

const bundle = await build({
  entryPoints: [pageScript],
  tsconfig,
  bundle: true,
  format: 'iife',
  platform: 'browser',
  write: false,
})
const script = bundle.outputFiles[0]?.text ?? ''

/** An origin other than the service's, so that calls of the page use CORS. */
const site = createServer((request, response) => {
  const isScript = request.url === '/client.js'
  response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
  response.end(isScript ? script : '<!doctype html><title>page</title><script src="/client.js"></script>')
}).listen(0, '127.0.0.1')
await once(site, 'listening')
t.teardown(() => site.close())
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`

const browser = await openBrowser(t)
const page = await browser.newPage()
await page.goto(`${origin}/`)

/** Calls a function of the page. */
const run = (name: string, ...given: readonly (string | number)[]): Promise<unknown> =>
  page.evaluate(`page.${name}(${given.map((value) => JSON.stringify(value)).join(', ')})`)

const { url } = service.networks.test
const refusedUrl = url.replace(/\w{5}-T$/, 'AAAAA-T')

t.test('a page of another origin reads, with single calls and in a batch', async (t) => {
  t.not(new URL(page.url()).origin, service.origin)
  t.match(await run('reads', url), {
    from: /^0x[0-9a-f]{40}$/,
    missing: null,
    chainId: { status: 'fulfilled', value: '0x1f' },
    status: /^0x[01]$/,
    wrong: [{ path: '/0', rule: 'pattern' }],
    provided: '31',
  })
})

t.test('the page sees the remaining requests of the day', async (t) => {
  t.match(await run('call', url), { value: '0x1f', rateLimit: /^"daily";r=\d+;t=\d+$/ })
})

t.test('a refused key and an exhausted quota are distinguished, with the data of the quota', async (t) => {
  await awayFromMidnight()
  t.match(await run('call', refusedUrl), {
    name: 'RpcError',
    error: 'unauthorized',
    code: -32016,
    httpStatus: 401,
    method: 'eth_chainId',
    rateLimit: null,
  })
  const args = ['--user', 'spender@example.com', '--network', 'test', '--name', 'key', '--data', service.data]
  const { out } = await runConcordat(['keys', 'create', ...args])
  const [spent = ''] = /http:\/\/\S+-T/.exec(out) ?? []
  await run('spend', spent, limit)
  t.match(await run('call', spent), {
    error: 'limitExceeded',
    code: -32005,
    httpStatus: 429,
    data: { limit, used: limit, scope: 'daily', resetAt: /T00:00:00/ },
    rateLimit: /;r=0;/,
  })
  t.match(await run('spend', spent, 2), { error: 'limitExceeded', httpStatus: 429 }, 'a whole batch')
})

t.test('a timeout, an aborted signal and an unreachable server are distinguished', async (t) => {
  const main = service.networks.main.url
  t.match(await run('late', main), { name: 'TransportError', kind: 'timeout', message: /200 ms/ })
  t.same(await run('abort', main), ['AbortError', true])
  const nobody = await run('call', 'http://127.0.0.1:1/a-key-that-is-long-enough')
  t.match(nobody, {
    name: 'TransportError',
    kind: 'network',
    message: /^eth_chainId: no answer from http:\/\/127/,
  })
  t.notMatch(nobody, { message: /a-key/ })
  t.match(await run('call', `${origin}/a-page`), { kind: 'http', httpStatus: 200, message: /text\/html/ })
})

t.test('Retry-After reaches the page', async (t) => {
  t.match(await run('untilTurnedAway', refusedUrl, 200), {
    error: 'unauthorized',
    httpStatus: 429,
    retryAfterSeconds: Number,
  })
})
