import Fastify from 'fastify'
import t from 'tap'
import { createClientAddress } from '../../../../../src/service/gateway/app/serve-requests.js'
import { createAddressMatch } from '../../../../../src/service/gateway/keys/index.js'

for (const [networks, trusted, others] of [
  [[], [], ['127.0.0.1', '::1', '']],
  [
    ['10.0.0.0/8'],
    ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
    ['9.255.255.255', '11.0.0.0', '::a00:1'],
  ],
  [['192.0.2.1'], ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.0', '192.0.2.2']],
  [
    ['2001:db8::/32', '::1'],
    ['2001:db8:ffff::1', '::1', '0:0::1'],
    ['2001:db9::', '::2', '32.1.13.184'],
  ],
  [['::ffff:10.0.0.0/104'], ['10.1.2.3', '::ffff:10.1.2.3'], ['11.0.0.0', '::a00:1']],
  [['0.0.0.0/0'], ['203.0.113.9'], ['2001:db8::1', 'garbage', '203.0.113.9:80', '1.2.3']],
] as const) {
  t.test(`trusted: ${networks.join(', ') || 'none'}`, async (t) => {
    const isTrusted = createAddressMatch(networks)
    for (const address of trusted) t.equal(isTrusted(address), true, address)
    for (const address of others) t.equal(isTrusted(address), false, address)
  })
}

t.test('the client address matches the one that Fastify computes', async (t) => {
  const isProxy = createAddressMatch(['10.0.0.0/8', '2001:db8::/32'])
  const addressOf = createClientAddress(isProxy, () => undefined)
  const app = Fastify({ trustProxy: isProxy })
  t.teardown(() => app.close())
  app.get('/', async (request) => ({ own: addressOf(request.raw), fastify: request.ip }))
  const client = async (remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { own, fastify } = (await app.inject({ url: '/', remoteAddress, headers })).json()
    t.equal(own, fastify, `${remoteAddress} for ${forwarded}`)
    return own
  }
  t.equal(await client('192.0.2.1'), '192.0.2.1')
  t.equal(await client('192.0.2.1', '203.0.113.9'), '192.0.2.1', 'a client that poses as a proxy')
  t.equal(await client('10.0.0.1', '203.0.113.9'), '203.0.113.9')
  t.equal(await client('10.0.0.1', '1.1.1.1, 203.0.113.9,10.2.3.4'), '203.0.113.9')
  t.equal(await client('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3', 'only proxies')
  t.equal(await client('::ffff:10.0.0.1', ' 2001:db8::7 '), '2001:db8::7')
  for (const odd of ['', ' ', ',', 'garbage', '203.0.113.9:80, 10.0.0.2', '10.0.0.2,'])
    await client('10.0.0.1', odd)
})

t.test('a proxy that is not trusted is told once', async (t) => {
  const told: string[] = []
  const addressOf = createClientAddress(createAddressMatch(['10.0.0.0/8']), (address) => told.push(address))
  const request = (remoteAddress: string, forwarded?: string) =>
    addressOf({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as Parameters<typeof addressOf>[0])
  t.equal(request('192.0.2.1'), '192.0.2.1')
  t.equal(request('10.0.0.1', '203.0.113.9'), '203.0.113.9')
  t.equal(request('10.0.0.1', '203.0.113.9, 192.0.2.7'), '192.0.2.7')
  t.strictSame(told, [], 'a caller may send the header to a trusted proxy')
  for (const _ of [1, 2]) t.equal(request('172.18.0.2', '203.0.113.9'), '172.18.0.2')
  t.strictSame(told, ['172.18.0.2'])
})
