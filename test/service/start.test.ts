import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { developmentAccounts } from '../support/development-chain.js'
import { startHeldNode } from '../support/held-node.js'
import { awayFromMidnight } from '../support/midnight.js'
import { longTest } from '../support/runs.js'
import { call, post, runConcordat, startService } from '../support/service.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-start-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

t.test('the banner contains the version, both URLs, a curl line and the folder', async (t) => {
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

t.test('keys and their usage survive a restart and a crash', async (t) => {
  await awayFromMidnight()
  const data = join(folder, 'kept')
  const options = { data, isChainless: true }
  const first = await startService(options)
  const left = async (url: string) => remaining(await post(url, chainId))
  const before = await left(first.networks.test.url)
  t.equal(await first.stop(), 0)
  t.equal((await stat(data)).mode & 0o077, 0, 'other users cannot read the folder')
  const second = await startService(options)
  const path = (url: string) => new URL(url).pathname
  t.equal(path(second.networks.test.url), path(first.networks.test.url))
  t.equal(path(second.networks.main.url), path(first.networks.main.url))
  t.equal(await left(second.networks.test.url), before - 1)
  await second.stop('SIGKILL')
  await appendFile(join(data, 'leases.journal'), '?\n')
  const third = await startService(options)
  t.teardown(() => third.stop())
  t.equal(await call(third.networks.test.url, 'eth_chainId'), '0x1f')
  t.equal(
    third.output().err.match(/journal of leases is damaged/g)?.length,
    1,
    'a damaged file is logged once',
  )

  const { code, err } = await runConcordat(['start', '--port', '0', '--data', data])
  t.equal(code, 2, 'a second service on the same folder is refused by name')
  t.match(err, data)
  t.equal(err.trim().split('\n').length, 1)
  t.equal(await call(third.networks.test.url, 'eth_chainId'), '0x1f', 'and the first one continues')
})

t.test('a damaged journal of a chain is logged and kept as a copy, and the chain goes on', async (t) => {
  const data = join(folder, 'damaged')
  const first = await startService({ data })
  const { url } = first.networks.test
  const account = privateKeyToAccount(developmentAccounts[0].privateKey)
  const to = '0x00000000000000000000000000000000000c0ffe'
  const nonce = Number(await call(url, 'eth_getTransactionCount', account.address, 'latest'))
  const transaction = {
    type: 'legacy',
    chainId: 31,
    gas: 21_000n,
    gasPrice: 60_000_000n,
    to,
    value: 7n,
    nonce,
  } as const
  await call(url, 'eth_sendRawTransaction', await account.signTransaction(transaction))
  const head = await call(url, 'eth_blockNumber')
  t.equal(await first.stop(), 0)
  await appendFile(join(data, 'chain-test.journal'), '\0\0\n')
  const second = await startService({ data })
  t.teardown(() => second.stop())
  t.equal(await call(second.networks.test.url, 'eth_getBalance', to, 'latest'), '0x7')
  t.equal(await call(second.networks.test.url, 'eth_blockNumber'), head)
  const warning = second
    .output()
    .err.split('\n')
    .filter((line) => line.includes('is damaged'))
  t.equal(warning.length, 1)
  const [copy = ''] = /[^ "]+\.damaged-\d+/.exec(warning[0] ?? '') ?? []
  t.match(await readFile(copy, 'latin1'), /\n\0\0\n$/)
})

longTest('a killed service with its chains starts again on its folder', async (t) => {
  const data = join(folder, 'killed')
  const first = await startService({ data })
  await call(first.networks.test.url, 'eth_chainId')
  await first.stop('SIGKILL')
  const second = await startService({ data })
  t.equal(await call(second.networks.test.url, 'eth_chainId'), '0x1f')
  t.equal(await second.stop(), 0)
})

t.test('a host name works; on SIGTERM pending requests are answered, and new ones are refused', async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
  t.teardown(() => node.close())
  const service = await startService({
    env: { CONCORDAT_HOST: 'localhost', CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
  })
  const { url } = service.networks.test
  t.match(service.origin, /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/)
  const inFlight = post(url, { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice' })
  const batch = post(url, [chainId, { ...chainId, method: 'eth_gasPrice' }])
  await node.arrived('eth_gasPrice')
  const ended = service.stop()
  let late = await post(url, chainId).catch(() => undefined)
  while (late?.status === 200) late = await post(url, chainId).catch(() => undefined)
  t.ok(late === undefined || late.status === 503, 'a new request or its connection is refused')
  if (late !== undefined) t.equal(late.json.error.code, -32002)
  t.equal(service.process.exitCode, null, 'it waits for pending requests')
  node.release('eth_gasPrice', '0x3938700')
  t.same((await inFlight).json, { jsonrpc: '2.0', id: 1, result: '0x3938700' })
  t.equal((await batch).json[1].result, '0x3938700')
  t.equal(await ended, 0)
})

/** The remaining requests of the day in the `RateLimit` header. */
function remaining({ headers }: { headers: Headers }): number {
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
}
