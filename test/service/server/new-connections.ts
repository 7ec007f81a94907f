import { once } from 'node:events'
import { Server } from 'node:net'
import t from 'tap'
import { createServer } from '../../../src/runtime/server/index.js'
import { until } from '../../support/until.js'
import { createCalculator, methods } from '../../unit/runtime/server/calculator.js'
import { call, post, rawClient, startKeyed } from './server-harness.js'

const host = '127.0.0.1'
const listen = (port: number) => createServer({ methods, handlers: createCalculator() }).listen({ port })

/** True if this version of Node.js and this system can share a port among sockets. */
async function canSharePorts(): Promise<boolean> {
  const servers = [new Server(), new Server()]
  let port = 0
  try {
    for (const server of servers) {
      const options = { port, host, reusePort: true }
      server.listen(options)
      await once(server, 'listening')
      port = (server.address() as { readonly port: number }).port
    }
    return true
  } catch {
    return false
  } finally {
    for (const server of servers) server.close()
  }
}

t.test('several connections are accepted in a turn of the event loop', async (t) => {
  const server = await startKeyed()
  t.teardown(() => server.app.close())
  const clients = Array.from({ length: 64 }, () => rawClient(server.port))
  const inTurns: number[] = []
  for (let accepted = 0; accepted < clients.length; ) {
    const before = accepted
    await new Promise(setImmediate)
    accepted = server.rpc.connections.size
    inTurns.push(accepted - before)
  }
  t.equal(Math.max(...inTurns) >= 4, await canSharePorts(), inTurns.join(' '))
  for (const { socket } of clients) socket.end(post('/good', call('add', [1, 2])))
  for (const { closed } of clients) t.match((await closed).text, /"result":3\}/)
})

t.test('a port belongs to one server', async (t) => {
  const server = await listen(0)
  t.teardown(() => server.close(0))
  const port = Number(new URL(server.url).port)
  await t.rejects(listen(port), { code: 'EADDRINUSE' })
  const other = new Server().listen({ port, host })
  t.match(await once(other, 'error'), [{ code: 'EADDRINUSE' }])
  await server.close(0)
  const again = await listen(port)
  t.equal(again.url, server.url)
  await again.close(0)
})

t.test('connections are limited over all listening sockets', async (t) => {
  const running = await listen(0)
  t.teardown(() => running.close(0))
  const { server, connections } = running
  let refused = 0
  server.on('drop', () => {
    refused += 1
  })
  server.maxConnections = 8
  const clients = Array.from({ length: 40 }, () => rawClient(Number(new URL(running.url).port)))
  await until(() => connections.size + refused === clients.length)
  t.same([connections.size, refused], [8, 32])
  server.maxConnections = 9
  const further = rawClient(Number(new URL(running.url).port))
  await until(() => connections.size === 9)
  for (const { socket } of [...clients, further]) socket.destroy()
  await until(() => connections.size === 0)
  t.equal(server.maxConnections, 9)
})
