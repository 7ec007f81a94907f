import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { RawJson } from '../../../src/runtime/rpc/index.js'
import { until } from '../../support/until.js'
import { call, post, startKeyed } from './server-harness.js'

/** More than the system buffers for an unread connection. */
const answerBytes = 48 * 1024 * 1024
/** With a pause after each chunk, the whole takes longer than the stall timeout. */
const bytesBetweenPauses = 1024 * 1024
const pauseMs = 150
const large = new RawJson(`"${'x'.repeat(answerBytes)}"`)

async function startLarge(t: Test, answerStallSeconds: number) {
  // The request timeout must not close the connection first.
  const limits = { answerStallSeconds, requestTimeoutSeconds: 600 }
  const server = await startKeyed({ limits, call: () => large })
  t.teardown(() => server.app.close())
  return server
}

/** A client that reads only on request. */
async function quietClient(port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  return socket
}

t.test('a stalled caller is disconnected, and the answer is dropped', async (t) => {
  const server = await startLarge(t, 0.3)
  const socket = await quietClient(server.port)
  t.teardown(() => socket.destroy())
  socket.write(post('/good', call('echo', ['x'])))
  await until(() => server.rpc.connections.size > 0)
  await until(() => server.rpc.connections.size === 0)
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  t.ok(received < answerBytes, `${received} bytes were on the way`)
})

t.test('a slow caller receives everything, however long it takes', async (t) => {
  const stallSeconds = 5
  const server = await startLarge(t, stallSeconds)
  const socket = await quietClient(server.port)
  t.teardown(() => socket.destroy())
  socket.write(post('/good', call('echo', ['x'])))
  const began = performance.now()
  let received = 0
  let sincePause = 0
  for await (const chunk of socket) {
    received += chunk.length
    sincePause += chunk.length
    if (received > answerBytes) break
    if (sincePause < bytesBetweenPauses) continue
    sincePause = 0
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  t.ok(received > answerBytes, 'it is complete')
  t.ok(performance.now() - began > stallSeconds * 1000, 'longer than the stall timeout')
})

t.test(
  'a connection that never sends anything is closed, and one that waits between requests is not',
  async (t) => {
    const server = await startKeyed({ limits: { requestTimeoutSeconds: 2 } })
    t.teardown(() => server.app.close())
    const used = await quietClient(server.port)
    t.teardown(() => used.destroy())
    used.write(post('/good', call('add', [1, 2])))
    used.resume()
    await once(used, 'data')
    const silent = await quietClient(server.port)
    silent.resume()
    await once(silent, 'close')
    t.equal(server.rpc.connections.size, 1, 'the other one stays')
  },
)
