import t from 'tap'
import { type ClientOptions, type Middleware, sendRequest } from '../../../../src/runtime/client/index.js'
import { type Answer, caught, clientOf, json, serve } from './rpc-server.js'

const echo: Answer = ({ sent }, response) =>
  void response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: sent.params }))

t.test(
  'middleware runs around each call, the first outermost, and passes calls and results on',
  async (t) => {
    const { url, all } = await serve(t, echo)
    const seen: unknown[] = []
    const layer =
      (name: string): Middleware =>
      (next) =>
      async (call) => {
        seen.push([name, call.method, call.params, call.options])
        const result = await next({ ...call, params: [...(call.params as unknown[]), name] })
        seen.push([name, result])
        return [name, result]
      }
    const client = clientOf(url, { middleware: [layer('outer'), layer('inner')] } satisfies ClientOptions)
    const options = { timeoutMilliseconds: 9_000 }
    t.same(await client.add(1, 2, 3, options), ['outer', ['inner', [1, 2, 3, 'outer', 'inner']]])
    t.same(seen, [
      ['outer', 'add', [1, 2, 3], options],
      ['inner', 'add', [1, 2, 3, 'outer'], options],
      ['inner', [1, 2, 3, 'outer', 'inner']],
      ['outer', ['inner', [1, 2, 3, 'outer', 'inner']]],
    ])
    t.same(await sendRequest(client, 'any', ['x']), ['outer', ['inner', ['x', 'outer', 'inner']]])
    t.equal(all.length, 2)
  },
)

t.test('middleware sees errors, and may answer or repeat a call', async (t) => {
  const { url, all } = await serve(t, json({ jsonrpc: '2.0', id: 1, error: { code: 7, message: 'no' } }))
  const seen: unknown[] = []
  const watch: Middleware = (next) => async (call) => {
    try {
      return await next(call)
    } catch (error) {
      seen.push(error)
      throw error
    }
  }
  const found = await caught(clientOf(url, { middleware: [watch] }).add(1))
  t.same(seen, [found])
  t.match(found, { error: 'refused', method: 'add' })
  const answer: Middleware =
    () =>
    async ({ method }) =>
      `cached ${method}`
  const cached = clientOf(url, { middleware: [answer] })
  t.equal(await cached.add(1), 'cached add')
  t.equal(all.length, 1, 'the second call was not sent')
})

t.test('values are decoded outside of middleware and validated inside', async (t) => {
  const { url } = await serve(t, echo)
  const steps: unknown[] = []
  const watch: Middleware = (next) => async (call) => {
    steps.push(['middleware', call.params])
    return next(call)
  }
  const options: ClientOptions = {
    decode: {
      params: (_, params) => (params as unknown[]).map(String),
      result: (method, result) => ({ method, decoded: result }),
    },
    middleware: [watch],
    validate: (method, params, result) => {
      steps.push(['validate', method, params, result])
      if (params.length === 0) throw new TypeError('no result of add')
    },
  }
  const client = clientOf(url, options)
  t.same(await client.add(5n), { method: 'add', decoded: ['5'] })
  t.same(steps, [
    ['middleware', ['5']],
    ['validate', 'add', ['5'], ['5']],
  ])
  t.match(await caught(client.add()), { name: 'TypeError', message: 'no result of add' })
  t.same(await sendRequest(client, 'add', ['wire']), ['wire'], 'sendRequest does not decode')
})
