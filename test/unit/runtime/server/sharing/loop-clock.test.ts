import { once } from 'node:events'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createServer } from '../../../../../src/runtime/server/index.js'
import { systemClock } from '../../../../../src/runtime/server/sharing/loop-clock.js'
import { method } from '../calculator.js'

const connections = 100
/** Processor time of a connection that counts as idle, in milliseconds. */
const connectionMilliseconds = 0.08

t.test('the time of new connections counts as idle, so that they overload no process', async (t) => {
  const { url, close } = await createServer({
    methods: { add: method('add', []) },
    handlers: { add: async () => 4 },
    limits,
  }).listen({ port: 0 })
  t.teardown(close)
  // Idle time does not change within a turn of the event loop.
  const beyondIdle = () => (systemClock.idle() ?? 0) - performance.eventLoopUtilization().idle
  const before = beyondIdle()
  const { hostname, port } = new URL(url)
  for (let opened = 0; opened < connections; opened++) {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.end()
    await once(socket.resume(), 'close')
  }
  t.ok(Math.abs(beyondIdle() - before - connections * connectionMilliseconds) < 1e-6)
})
