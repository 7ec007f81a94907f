import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createLoopbackClient } from '../../../../../src/service/gateway/dashboard/index.js'
import type { LoopbackCall } from '../../../../../src/service/gateway/dashboard/setup/loopback-client.js'

/** A service that calls itself, and the users that it reports for its calls. */
const elsewhere = () => 'the connection’s'
const given: LoopbackCall = {
  url: 'https://rpc.example.net/base/KEY-T',
  body: '{"id":1}',
  address: '2001:db8::7',
  origin: 'https://dashboard.example.net',
  token: '',
  mostBytes: 100,
}

async function serve(
  t: { teardown: (work: () => unknown) => void },
  listener: RequestListener,
  host: string,
) {
  const server = createServer(listener).listen(0, host)
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return createLoopbackClient(() => server.address() as AddressInfo, elsewhere)
}

for (const host of ['127.0.0.1', '0.0.0.0'])
  t.test(`a call reaches the service that listens on ${host} with the user’s address`, async (t) => {
    let asked: IncomingMessage | undefined
    const calls = await serve(
      t,
      (request, response) => {
        asked = request
        response.writeHead(429, { 'retry-after': '7' }).end('spent')
      },
      host,
    )
    const answer = await calls.send({ ...given, token: 'a.b.c' })
    t.match(answer, { status: 429, text: 'spent', isCut: false })
    t.same(
      answer.headers.filter(([name]) => name === 'retry-after'),
      [['retry-after', '7']],
    )
    t.ok(answer.milliseconds > 0)
    if (asked === undefined) return
    t.equal(asked.url, '/KEY-T', 'the path contains only the key')
    t.match(asked.headers, {
      host: 'rpc.example.net',
      origin: 'https://dashboard.example.net',
      authorization: 'Bearer a.b.c',
      'content-type': 'application/json',
    })
    t.equal(calls.addressOf(asked), '2001:db8::7')
  })

t.test('only this service can name the user of a call', async (t) => {
  const askedBy: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    askedBy.push(request)
    response.end()
  }
  const calls = await serve(t, listener, '127.0.0.1')
  const others = await serve(t, listener, '127.0.0.1')
  await calls.send({ ...given, origin: undefined })
  const [asked] = askedBy
  if (asked === undefined) return
  t.equal(asked.headers.origin, undefined)
  t.equal(asked.headers.authorization, undefined)
  t.equal(calls.addressOf(asked), given.address)
  t.equal(others.addressOf(asked), 'the connection’s', 'another process has another secret')
  const name = 'x-concordat-person'
  for (const told of ['', 'guessed 10.0.0.1', String(asked.headers[name]).toUpperCase()])
    t.equal(
      calls.addressOf({ headers: { [name]: told } } as unknown as IncomingMessage),
      'the connection’s',
      told,
    )
  t.equal(calls.addressOf({ headers: {} } as IncomingMessage), 'the connection’s')
})

t.test('of a long answer only the beginning is read, and the connection is closed', async (t) => {
  const closed: Promise<unknown>[] = []
  const calls = await serve(
    t,
    (_request, response) => {
      closed.push(once(response, 'close'))
      const more = () => {
        while (!response.destroyed && response.write('0123456789'));
        response.once('drain', more)
      }
      more()
    },
    '127.0.0.1',
  )
  t.match(await calls.send(given), { status: 200, isCut: true, text: '0123456789'.repeat(10) })
  await Promise.all(closed)
  t.equal(closed.length, 1)
})

t.test('a broken connection is an error', async (t) => {
  const calls = await serve(t, (request) => request.socket.destroy(), '127.0.0.1')
  await t.rejects(calls.send(given))
  await t.rejects(createLoopbackClient(() => undefined, elsewhere).send(given), TypeError)
})
