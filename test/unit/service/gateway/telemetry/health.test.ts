import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { HealthSources } from '../../../../../src/service/gateway/telemetry/health.js'
import { registerHealth } from '../../../../../src/service/gateway/telemetry/index.js'

const answering = { ready: async () => 'ok' as const }
const silent = { ready: async () => 'no node' as const }

const well: HealthSources = {
  isDraining: () => false,
  networks: { test: answering, main: answering },
  database: async () => 1,
}

/** The responses of `/readyz` to concurrent requests, for a service with these parts. */
async function readiness(t: Test, sources: Partial<HealthSources>, times = 1) {
  const app = Fastify()
  t.teardown(() => app.close())
  registerHealth(app, { ...well, ...sources })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const [response] = await Promise.all(Array.from({ length: times }, () => fetch(`${origin}/readyz`)))
  return {
    status: response?.status,
    connection: response?.headers.get('connection'),
    body: await response?.json(),
  }
}

for (const [what, sources, status, body] of [
  ['a healthy service', {}, 200, { status: 'ok', networks: { test: 'ok', main: 'ok' }, database: 'ok' }],
  [
    'a network without a node',
    { networks: { test: answering, main: silent } },
    200,
    { status: 'degraded', networks: { main: 'no node' }, database: 'ok' },
  ],
  ['no network with a node', { networks: { test: silent, main: silent } }, 200, { status: 'degraded' }],
  [
    'a failing database',
    { database: () => Promise.reject(new TypeError('gone')) },
    200,
    { status: 'degraded', database: 'no answer' },
  ],
  [
    'a database that never answers',
    { database: () => new Promise(() => undefined) },
    200,
    { status: 'degraded', database: 'no answer' },
  ],
  [
    'a node whose check never ends',
    { networks: { test: answering, main: { ready: () => new Promise<'ok'>(() => undefined) } } },
    200,
    { status: 'degraded', networks: { test: 'ok', main: 'no node' } },
  ],
  ['a stopping service', { isDraining: () => true }, 503, { status: 'draining' }],
] as const) {
  t.test(`${what}: ${status}`, async (t) => {
    t.match(await readiness(t, sources), { status, body })
  })
}

t.test('during shutdown the connection closes after the response', async (t) => {
  t.equal((await readiness(t, { isDraining: () => true })).connection, 'close')
  t.not((await readiness(t, {})).connection, 'close')
})

t.test('concurrent health checks share one query to the nodes and the database', async (t) => {
  let asked = 0
  const database = async () => {
    asked += 1
  }
  await readiness(t, { database }, 20)
  t.equal(asked, 1)
})
