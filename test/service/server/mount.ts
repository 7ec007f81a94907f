import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import { mountRpc, rpcServerOptions } from '../../../src/runtime/server/fastify/index.js'
import { createService } from '../../../src/runtime/server/index.js'
import { until } from '../../support/until.js'
import { createCalculator, methods } from '../../unit/runtime/server/calculator.js'
import { call } from './server-harness.js'

const service = createService<undefined>({ methods, handlers: createCalculator() })

/** An application with its own routes, and RPC at the given paths, each registered separately. */
async function startApp(app: FastifyInstance, ...paths: readonly string[]): Promise<string> {
  app.post('/orders', async ({ body }) => ({ ordered: body }))
  app.options('/orders', async (_, reply) => reply.header('allow', 'POST').send('own'))
  app.get('/', async () => 'home')
  app.setNotFoundHandler((_, reply) => reply.code(404).send('nothing here'))
  for (const path of paths) mountRpc(app, { service, path })
  return app.listen({ port: 0, host: '127.0.0.1' })
}

async function send(url: string, method: string, body?: string, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json', ...headers }
  const response = await fetch(url, body === undefined ? { method } : { method, body, headers: type })
  return { status: response.status, text: await response.text() }
}

t.test('RPC in an application does not affect other paths', async (t) => {
  const app = Fastify(rpcServerOptions())
  t.teardown(() => app.close())
  const url = await startApp(app, '/rpc', '/inner/:key')
  t.match(await send(`${url}/rpc`, 'POST', call('add', [1, 2])), { status: 200, text: '"result":3' })
  t.match(await send(`${url}/rpc`, 'GET'), { status: 405, text: '"code":-32600' })
  t.match(await send(`${url}/rpc`, 'OPTIONS'), { status: 204, text: '' })
  const nothing = { status: 404, text: 'nothing here' }
  const rows = [
    ['/orders', 'POST', '{"tea":1}', { status: 200, text: '{"ordered":{"tea":1}}' }],
    ['/orders', 'OPTIONS', undefined, { status: 200, text: 'own' }],
    ['/', 'GET', undefined, { status: 200, text: 'home' }],
    ['/', 'POST', '{}', nothing],
    ['/elsewhere', 'POST', '{}', nothing],
    ['/elsewhere', 'OPTIONS', undefined, nothing],
    ['/elsewhere', 'DELETE', undefined, nothing],
    ['/inner', 'POST', '{}', nothing],
    ['/rpc/more', 'POST', '{}', nothing],
  ] as const
  for (const [path, method, body, want] of rows) {
    t.same(await send(`${url}${path}`, method, body), want, `${method} ${path}`)
  }
})

t.test('RPC is served at two paths that are registered one after another', async (t) => {
  const app = Fastify(rpcServerOptions())
  t.teardown(() => app.close())
  const url = await startApp(app, '/one', '/two')
  for (const path of ['/one', '/two']) {
    t.match(await send(`${url}${path}`, 'POST', call('add', [1, 2])), { status: 200, text: '"result":3' })
    t.match(await send(`${url}${path}`, 'PUT', '{}'), { status: 405 })
  }
})

t.test('one path cannot be registered twice', async (t) => {
  const app = Fastify(rpcServerOptions())
  t.teardown(() => app.close())
  await t.rejects(startApp(app, '/one', '/one'), { code: 'FST_ERR_DUPLICATED_ROUTE' })
})

t.test('hooks of the application run before a call, and their errors are answered', async (t) => {
  const app = Fastify(rpcServerOptions())
  t.teardown(() => app.close())
  const seen: string[] = []
  for (const name of ['onRequest', 'preValidation', 'preHandler'] as const)
    app.addHook(name, async ({ headers }) => {
      seen.push(name)
      if (headers['x-refused'] === name) throw new Error('refused by a hook')
    })
  app.addHook('onResponse', async () => void seen.push('onResponse'))
  const url = `${await startApp(app, '/rpc')}/rpc`
  t.match(await send(url, 'POST', call('add', [1, 2])), { status: 200, text: '"result":3' })
  await until(() => seen.length === 4)
  t.same(seen, ['onRequest', 'preValidation', 'preHandler', 'onResponse'])
  for (const name of ['onRequest', 'preHandler']) {
    const refused = await send(url, 'POST', call('add', [1, 2]), { 'x-refused': name })
    t.match(refused, { status: 500, text: '"code":-32603' }, name)
    t.notMatch(refused.text, 'refused by a hook')
  }
})
