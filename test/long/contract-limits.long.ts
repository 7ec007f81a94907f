import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { post, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The contract's real limits: a user's whole day, and the real timeouts. */
const chainId = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })

t.test('exactly 25,000 requests a day are admitted, across both networks and a restart', async (t) => {
  const data = join(await temporaryFolder(t), 'data')
  const first = await startService({ data })
  const urls = ({ networks }: typeof first) => [networks.test.url, networks.main.url]
  const batch = Array.from({ length: 100 }, (_, id) => chainId(id))
  let admitted = 0
  const spend = async (url: string) => {
    const { status, json } = await post(url, batch)
    if (status === 200)
      admitted += json.filter((item: { result?: unknown }) => item.result !== undefined).length
    return status
  }
  for (let round = 0; round < 60; round++) await Promise.all([...urls(first), ...urls(first)].map(spend))
  t.equal(admitted, 24_000)
  t.equal(await first.stop('SIGTERM'), 0)

  const second = await startService({ data })
  t.teardown(() => second.stop())
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => spend(urls(second)[n % 2] ?? '')))
  t.equal(admitted, 25_000)
  t.ok(statuses.includes(429))
  const { status, json } = await post(second.networks.test.url, chainId(1))
  t.equal(status, 429)
  t.match(json.error, { code: -32005, data: { limit: 25_000, used: 25_000 } })
})

t.test(
  'a node that exceeds its timeout is answered with 504 and -32002, and the service continues',
  async (t) => {
    const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
    t.teardown(() => node.close())
    const service = await startService({
      env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
    })
    t.teardown(() => service.stop())
    const { url } = service.networks.test
    const { status, json } = await post(url, { ...chainId(1), method: 'eth_gasPrice' })
    t.equal(status, 504)
    t.match(json, { id: 1, error: { code: -32002 } })
    t.equal((await post(url, { ...chainId(2), method: 'eth_blockNumber' })).json.result, '0x10')
  },
)

t.test(
  'a body that exceeds its timeout is answered with 408 and -32600, and the connection closes',
  async (t) => {
    const service = await startService()
    t.teardown(() => service.stop())
    const { hostname, port, pathname } = new URL(service.networks.test.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 60\r\n\r\n{"jsonrpc"`,
    )
    let text = ''
    for await (const chunk of socket.setEncoding('utf8')) text += chunk
    t.match(text, /^HTTP\/1\.1 408 /)
    t.match(text, /"code":-32600/)
  },
)

t.test('shutdown ends within its deadline when a node never answers', async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
  t.teardown(() => node.close())
  const service = await startService({
    env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
  })
  const lost = post(service.networks.test.url, { ...chainId(1), method: 'eth_gasPrice' }).catch(
    (error) => error,
  )
  await node.arrived('eth_gasPrice')
  const begun = performance.now()
  const code = await service.stop()
  t.comment(`stopped after ${Math.round(performance.now() - begun)} ms`)
  await lost
  t.type(code, 'number', 'the process exits by itself, without a signal')
})
