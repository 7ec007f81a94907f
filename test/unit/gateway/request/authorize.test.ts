import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { limits } from '../../../../generated/contract.js'
import { tuningDefaults as tuning } from '../../../../src/gateway/app/config/tuning.js'
import type { AcceptedKey } from '../../../../src/gateway/keys/accepted-key.js'
import { createClientAccess } from '../../../../src/gateway/keys/access/client-access.js'
import { createKeyCache, type KnownKey } from '../../../../src/gateway/keys/lookup/key-cache.js'
import { createRefusedAddresses } from '../../../../src/gateway/keys/refused-addresses.js'
import { createServesNetwork } from '../../../../src/gateway/networks/serves-network.js'
import type { Network } from '../../../../src/gateway/profiles/network.js'
import { createAuthorize } from '../../../../src/gateway/request/authorize.js'

const ownKey: AcceptedKey = {
  id: 'key_own',
  userId: 'usr_own',
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  access: {},
}

/** Both networks are served at every host. */
const everywhere = { ...tuning, servesNetwork: createServesNetwork(['test', 'main'], {}) }

t.test('a guessing client causes one query at a time, and known keys cause none', async (t) => {
  const asked: { digest: string; answer: (found: KnownKey | undefined) => void }[] = []
  const cache = createKeyCache((digest) => new Promise((answer) => asked.push({ digest, answer })), 10, 6)
  const authorize = createAuthorize(cache, createRefusedAddresses(1), createClientAccess(), everywhere)
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
    t.equal(asked.length, 0, `${digest} was looked up alone`)
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
  t.equal(await post('own'), 'key_own', 'immediately, while guesses wait')
  for (const _ of guesses) await answerNext()
  for (const guess of guesses) t.match(await guess, 'Too many')
  const late = post('late')
  await answerNext({ key: { ...ownKey, id: 'key_late' }, enabled: true })
  t.equal(await late, 'key_late', 'a valid key is still accepted')
})

/** The response to a key of the test network at a host of a process with these networks and public URLs. */
async function answerAt(host: string, served: readonly Network[], publicUrls: Record<string, string>) {
  const cache = createKeyCache(async () => ({ key: ownKey, enabled: true }), 10, 6)
  const servesNetwork = createServesNetwork(served, publicUrls)
  const authorize = createAuthorize(cache, createRefusedAddresses(9), createClientAccess(), {
    ...tuning,
    servesNetwork,
  })
  const app = Fastify()
  app.post('/:key', async (request, reply) => (await authorize(request, reply)).id)
  const { body } = await app.inject({ method: 'POST', url: '/own', headers: { host } })
  await app.close()
  return body
}

const both = ['test', 'main'] as const
const notServed = { message: 'This service does not serve the test network' }

t.test('with one host per network, a key is refused at the other host', async (t) => {
  const split = { test: 'https://test.example.net/base', main: 'https://Main.example.net:8443' }
  for (const host of ['test.example.net', 'TEST.example.net:443', '127.0.0.1:8080', 'other.example.net'])
    t.equal(await answerAt(host, both, split), 'key_own', host)
  for (const host of ['main.example.net', 'MAIN.example.net:8443', 'main.example.net:1'])
    t.match(JSON.parse(await answerAt(host, both, split)), notServed, host)
  t.match(
    JSON.parse(await answerAt('main.example.net', ['test'], split)),
    notServed,
    'the other network has its own process',
  )
  const together = { test: 'https://example.net/test', main: 'https://example.net/main' }
  t.equal(await answerAt('example.net', both, together), 'key_own', 'one host for both')
  t.equal(
    await answerAt('main.example.net', both, { main: split.main }),
    'key_own',
    'only one of them has a public URL',
  )
})

t.test('a key of a network that the process does not serve is refused at every host', async (t) => {
  for (const publicUrls of [{}, { test: 'https://test.example.net' }])
    for (const host of ['test.example.net', '127.0.0.1:8080'])
      t.match(JSON.parse(await answerAt(host, ['main'], publicUrls)), notServed, host)
})

t.test('a key of another network is not a guess, and its own lists are not evaluated', async (t) => {
  const cache = createKeyCache(
    async () => ({ key: { ...ownKey, access: { addresses: ['192.0.2.1'] } }, enabled: true }),
    10,
    6,
  )
  const refused = createRefusedAddresses(1)
  const servesNetwork = createServesNetwork(['main'], {})
  const authorize = createAuthorize(cache, refused, createClientAccess(), { ...tuning, servesNetwork })
  const app = Fastify()
  t.teardown(() => app.close())
  app.post('/:key', async (request, reply) => (await authorize(request, reply)).id)
  for (let sent = 0; sent < 5; sent++)
    t.match((await app.inject({ method: 'POST', url: '/own' })).json(), notServed)
  t.notOk(refused.isOver('127.0.0.1'))
})

t.test('more large bodies of a user may arrive than are processed at once', async (t) => {
  const cache = createKeyCache(async () => ({ key: ownKey, enabled: true }), 10, 6)
  const authorize = createAuthorize(cache, createRefusedAddresses(9), createClientAccess(), everywhere)
  const app = Fastify()
  t.teardown(() => app.close())
  let entered = 0
  const onRequest = async (...exchange: Parameters<typeof authorize>) => {
    await authorize(...exchange)
    entered++
  }
  app.post('/:key', { onRequest }, async () => 'read')
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const arriving = Array.from({ length: 2 * limits.requestsAtOncePerUser }, () => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    socket.write('POST /own HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 20000\r\n\r\n')
    return socket
  })
  while (entered < arriving.length) await new Promise((resolve) => setImmediate(resolve))
  const answers = arriving.map((socket) => once(socket, 'data'))
  for (const socket of arriving) socket.write('x'.repeat(20_000))
  for (const answer of answers) t.match((await answer)[0], /^HTTP\/1.1 200 /)
})

t.test('large bodies of all users stay within a memory limit and release it', async (t) => {
  const cache = createKeyCache(async (userId) => ({ key: { ...ownKey, userId }, enabled: true }), 100, 6)
  const authorize = createAuthorize(cache, createRefusedAddresses(9), createClientAccess(), everywhere)
  const app = Fastify()
  t.teardown(() => app.close())
  let entered = 0
  const read: number[] = []
  const onRequest = async (...exchange: Parameters<typeof authorize>) => {
    const { bodyRead } = await authorize(...exchange)
    entered++
    const [request] = exchange
    ;(request.raw as IncomingMessage).once('end', () => bodyRead?.(read.at(-1) ?? 0))
  }
  const all = tuning.bodyBytesAtOnce
  const kept = new Set<() => void>()
  app.addContentTypeParser('text/plain', { parseAs: 'string', bodyLimit: all }, (_, body, done) => {
    read.push(body.length)
    done(null, body)
  })
  app.post('/:key', { onRequest }, async ({ body }) => {
    if (body === 'wait') await new Promise<void>((resolve) => kept.add(resolve))
    return 'answered'
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const open = (key: string, length: number | 'chunked') => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
    socket.write(`POST /${key} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${size}\r\n\r\n`)
    return socket
  }
  const most = Math.floor(all / limits.bodyBytes)
  const ofOne = Math.floor(most / 4)
  const arriving = []
  while (arriving.length < most) {
    arriving.push(open(`user${Math.floor(arriving.length / ofOne)}`, limits.bodyBytes))
    while (entered < arriving.length) await new Promise((resolve) => setImmediate(resolve))
    if (arriving.length !== ofOne) continue
    t.match((await once(open('user0', limits.bodyBytes), 'data'))[0], 'Too many large', "one user's share")
  }
  t.match((await once(open('other', limits.bodyBytes), 'data'))[0], 'Too many large')
  const small = open('other', 4)
  small.write('four')
  t.match((await once(small, 'data'))[0], /^HTTP\/1.1 200 /, 'small bodies are accepted')
  arriving[0]?.destroy()

  // There is room for one more: a body of unknown size reserves it while it arrives, not while it is processed.
  const comesIn = async (key: string): Promise<typeof small> => {
    for (;;) {
      const socket = open(key, 'chunked')
      const before = entered
      const refused = once(socket, 'data').then(() => true)
      while (entered === before)
        if (await Promise.race([refused, new Promise((resolve) => setImmediate(resolve, false))])) break
      if (entered > before) return socket
    }
  }
  const chunked = await comesIn('other')
  t.match((await once(open('other', 'chunked'), 'data'))[0], 'Too many large')
  chunked.write('4\r\nwait\r\n0\r\n\r\n')
  while (kept.size === 0) await new Promise((resolve) => setImmediate(resolve))
  const next = await comesIn('other')
  next.write('4\r\nfour\r\n0\r\n\r\n')
  t.match((await once(next, 'data'))[0], /^HTTP\/1.1 200 /)
  for (const resolve of kept) resolve()
  t.match((await once(chunked, 'data'))[0], /^HTTP\/1.1 200 /)
})
