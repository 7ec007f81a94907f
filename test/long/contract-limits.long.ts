import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { post, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The contract's own limits, not lowered ones: the whole day of a user, and the times that are waited for. */
const chainId = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })

t.test('25,000 requests a day are admitted exactly, over both networks and a restart', async (t) => {
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

t.test('a node that does not answer in its time: 504, -32002; the service goes on', async (t) => {
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
})

t.test('a body that does not arrive in its time: 408, -32600, and the connection ends', async (t) => {
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
})

t.test('a stop ends in time also where a node never answers', async (t) => {
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
  t.type(code, 'number', 'it ended by itself, not by a signal')
})
