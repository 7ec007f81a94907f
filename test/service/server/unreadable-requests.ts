import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { rpcServerOptions } from '../../../src/runtime/server/fastify/index.js'

t.test('an unreadable request is reported, and its answer has the headers for it', async (t) => {
  const told: (readonly [string, string | undefined])[] = []
  const app = Fastify(
    rpcServerOptions({
      limits: { headerTimeoutSeconds: 0.2, requestTimeoutSeconds: 0.4 },
      onUnreadable(failure, { remoteAddress }) {
        told.push([failure, remoteAddress])
        return { 'X-Request-Id': `id-${told.length}` }
      },
    }),
  )
  app.post('/', async () => 'read')
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(() => app.close())
  for (const [failure, text, status, message = 'HTTP/1.1'] of [
    [
      'slowBody',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nslow',
      408,
      'within 0.4 seconds',
    ],
    ['slowBody', 'POST / HTTP/1.1\r\nhost: x\r\n', 408, 'within 0.2 seconds'],
    ['headersTooLarge', `POST / HTTP/1.1\r\nx-flood: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['invalidRequest', 'no HTTP\r\n\r\n', 400],
    ['missingKey', 'POST /%zz HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n', 404],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    socket.write(text)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), failure)
    t.match(answer, new RegExp(`^x-request-id: id-${told.length}\r$`, 'im'), failure)
    t.match(answer, message, failure)
    t.same(told.at(-1), [failure, '127.0.0.1'])
  }
})
