import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { createClientAccess } from '../../../src/gateway/access/client-access.js'
import { createAuthorize } from '../../../src/gateway/authorize.js'
import { type AcceptedKey, createKeyCache, type KnownKey } from '../../../src/gateway/keys/key-cache.js'
import { createRefusedAddresses } from '../../../src/gateway/keys/refused-addresses.js'
import { createNetworkOfHost } from '../../../src/gateway/network-hosts.js'

const ownKey: AcceptedKey = {
  id: 'key_own',
  userId: 'usr_own',
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  access: {},
}

t.test(
  'who guesses too much asks the database one guess at a time, and known keys ask nothing',
  async (t) => {
    const asked: { digest: string; answer: (found: KnownKey | undefined) => void }[] = []
    const cache = createKeyCache((digest) => new Promise((answer) => asked.push({ digest, answer })), 10)
    const authorize = createAuthorize(cache, createRefusedAddresses(1), createClientAccess())
    const app = Fastify()
    t.teardown(() => app.close())
    app.post('/:key', async (request, reply) => (await authorize(request, reply)).id)
    const post = async (key: string) => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: `/${key}` })
      return statusCode === 200 ? body : JSON.parse(body).message
    }
    const answerNext = async (found?: KnownKey) => {
      while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const { digest, answer } = asked.shift() ?? { digest: '', answer: () => undefined }
      t.equal(asked.length, 0, `${digest} was asked for alone`)
      answer(found)
    }
    const own = post('own')
    await answerNext({ key: ownKey, enabled: true })
    t.equal(await own, 'key_own')
    for (const key of ['first', 'second']) {
      const guess = post(key)
      await answerNext()
      t.match(await guess, key === 'first' ? 'not accepted' : 'Too many')
    }
    const guesses = ['a', 'b', 'c'].map(post)
    t.equal(await post('own'), 'key_own', 'at once, while guesses wait')
    for (const _ of guesses) await answerNext()
    for (const guess of guesses) t.match(await guess, 'Too many')
    const late = post('late')
    await answerNext({ key: { ...ownKey, id: 'key_late' }, enabled: true })
    t.equal(await late, 'key_late', 'a key that is right is accepted all the same')
  },
)

t.test('where each network has a host of its own, a key is refused at the other one', async (t) => {
  const cache = createKeyCache(async () => ({ key: ownKey, enabled: true }), 10)
  const split = { test: 'https://test.example.net/base', main: 'https://Main.example.net:8443' }
  const status = async (host: string, publicUrls: Record<string, string>) => {
    const networkOfHost = createNetworkOfHost(publicUrls)
    const authorize = createAuthorize(cache, createRefusedAddresses(9), createClientAccess(), networkOfHost)
    const app = Fastify()
    app.post('/:key', async (request, reply) => (await authorize(request, reply)).id)
    const { body } = await app.inject({ method: 'POST', url: '/own', headers: { host } })
    await app.close()
    return body
  }
  for (const host of ['test.example.net', 'TEST.example.net:443', '127.0.0.1:8080', 'other.example.net'])
    t.equal(await status(host, split), 'key_own', host)
  for (const host of ['main.example.net', 'MAIN.example.net:8443', 'main.example.net:1'])
    t.match(await status(host, split), 'not accepted', host)
  const together = { test: 'https://example.net/test', main: 'https://example.net/main' }
  t.equal(await status('example.net', together), 'key_own', 'one host for both')
  t.equal(await status('main.example.net', { main: split.main }), 'key_own', 'one of them alone is shown')
})

t.test('large bodies that arrive take the places of a user, and give them back', async (t) => {
  const cache = createKeyCache(async () => ({ key: ownKey, enabled: true }), 10)
  const authorize = createAuthorize(cache, createRefusedAddresses(9), createClientAccess())
  const app = Fastify()
  t.teardown(() => app.close())
  let entered = 0
  const onRequest = async (...exchange: Parameters<typeof authorize>) => {
    await authorize(...exchange)
    entered++
  }
  app.post('/:key', { onRequest, bodyLimit: 1_000_000 }, async () => 'read')
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const open = (length: number) => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    socket.write(
      `POST /own HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`,
    )
    return socket
  }
  const arriving = Array.from({ length: limits.requestsAtOncePerUser }, () => open(100_000))
  while (entered < arriving.length) await new Promise((resolve) => setImmediate(resolve))
  const [refused] = await once(open(100_000), 'data')
  t.match(refused, 'Too many')
  const small = open(4)
  small.write('four')
  t.match((await once(small, 'data'))[0], /^HTTP\/1.1 200 /, 'small ones come in')
  arriving[0]?.write('x'.repeat(100_000))
  t.match((await once(arriving[0] ?? small, 'data'))[0], /^HTTP\/1.1 200 /)
  const next = open(100_000)
  next.write('x'.repeat(100_000))
  t.match((await once(next, 'data'))[0], /^HTTP\/1.1 200 /, 'a place was given back')
})
