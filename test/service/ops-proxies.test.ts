import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { limits } from '../../generated/contract.js'
import { startHeldNode } from '../support/held-node.js'
import { post, startService } from '../support/service.js'
import { createVisitor, password } from '../support/visitor.js'

const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
t.teardown(() => node.close())
const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url }
const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Starts a service with trusted proxies; returns the client address that it sees. */
async function addressSeen(t: Pick<Test, 'teardown'>, trusted: string) {
  const service = await startService({ env: { ...nodes, CONCORDAT_TRUSTED_PROXIES: trusted } })
  t.teardown(() => service.stop())
  const addressOf = async (requestId: string): Promise<unknown> => {
    const line = new RegExp(`^.*"${requestId}".*\n`, 'm')
    const [found = ''] = line.exec(await service.said('err', line)) ?? []
    return JSON.parse(found).address
  }
  const seen = async (forwardedFor: string): Promise<unknown> => {
    const { headers } = await post(`${service.origin}/x`, body, { 'x-forwarded-for': forwardedFor })
    return addressOf(headers.get('x-request-id') ?? '')
  }
  return { seen, addressOf, origin: service.origin }
}

const behind = addressSeen(t, '127.0.0.1, 10.0.0.0/8, 2001:db8::/32')

t.test('X-Forwarded-For of an untrusted peer is ignored', async (t) => {
  const { seen, origin } = await addressSeen(t, '10.0.0.0/8')
  t.equal(await seen('192.0.2.1'), '127.0.0.1')
  // Each visitor has a different address and account. The limit may start over once, at the end of a minute.
  const attempts = Array.from({ length: 2 * limits.logInAttemptsPerAddressPerMinute + 1 }, (_, n) =>
    createVisitor(origin).post('/login', { email: `${n}@example.com`, password }, { from: '/login' }),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  t.ok(statuses.includes(429), `the pages ignore it, too: ${statuses}`)
})

t.test('behind trusted proxies the client is the first untrusted address from the right', async (t) => {
  const { seen } = await behind
  for (const [forwardedFor, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['198.51.100.9, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 10.1.2.3', '192.0.2.1'],
    ['192.0.2.1, 2001:db8::1, 10.0.0.1', '192.0.2.1'],
    ['192.0.2.1, 11.0.0.1, 10.0.0.1', '11.0.0.1'],
    ['10.255.255.255', '10.255.255.255'],
    ['2001:db9::7, ::ffff:10.0.0.1', '2001:db9::7'],
  ] as const)
    t.equal(await seen(forwardedFor), address, forwardedFor)
})

t.test('refused keys are counted by that address', async (t) => {
  const { origin } = await behind
  const from = async (address: string) =>
    (await post(`${origin}/x`, body, { 'x-forwarded-for': address })).status
  let status = await from('192.0.2.3')
  for (let sent = 1; status === 401 && sent < 200; sent++)
    status = await from(`198.51.100.${sent}, 192.0.2.3`)
  t.equal(status, 429)
  t.equal(await from('192.0.2.4'), 401)
  t.equal(await from('2001:db9:0:1::1'), 401)
})

t.test("the proxy's own X-Forwarded-For counts behind a forged one and many headers", async (t) => {
  const { addressOf, origin } = await behind
  const send = async (fillers: number) => {
    const lines = Array.from({ length: fillers }, (_, n) => `${n.toString(36)}: x`)
    const text = [
      'POST /x HTTP/1.1',
      'host: x',
      'content-length: 0',
      'x-forwarded-for: 192.0.2.77',
      ...lines,
      'x-forwarded-for: 192.0.2.7',
    ].join('\r\n')
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8')
    socket.end(`${text}\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    const [, status] = /^HTTP\/1.1 (\d+) /.exec(answer) ?? []
    const [, id = ''] = /x-request-id: (\S+)/i.exec(answer) ?? []
    return { status, address: await addressOf(id) }
  }
  const own = ['host', 'content-length', 'x-forwarded-for', 'x-forwarded-for'].length
  const most = limits.headerCount - own
  t.same(await send(most), { status: '401', address: '192.0.2.7' })
  t.same(await send(most + 1), { status: '431', address: '192.0.2.7' })
})
