import express from 'express'
import Fastify from 'fastify'
import t from 'tap'
import { RpcError } from '../../../../../src/runtime/rpc/index.js'
import { createFetchHandler } from '../../../../../src/runtime/server/fetch/index.js'
import { fixedHeaders } from '../../../../../src/runtime/server/http/http-headers.js'
import {
  createHttpServer,
  createNodeHandler,
  createServer,
  createService,
  defaultLimits,
  type Otherwise,
} from '../../../../../src/runtime/server/index.js'
import { createCalculator, methods } from '../calculator.js'

/** Applications of other frameworks, which read the bodies of their own requests. */
const applications: Readonly<Record<string, () => Promise<Otherwise>>> = {
  async Express() {
    const app = express()
    app.use(express.json())
    app.get('/about', (_, response) => void response.send('a page'))
    app.post('/users', (request, response) => void response.send(request.body.name))
    return (request, response, next) =>
      app(request as express.Request, response as express.Response, () => next())
  },
  async Fastify() {
    const app = Fastify()
    app.get('/about', () => 'a page')
    app.post('/users', (request) => (request.body as { name: string }).name)
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
}

for (const [name, open] of Object.entries(applications)) {
  t.test(`paths of a service beside an application of ${name}`, async (t) => {
    const server = await createHttpServer({
      service: createService({ methods, handlers: createCalculator(), document: '{}' }),
      path: ['/:tenant', '/v2/:tenant'],
      paramPatterns: { tenant: /^t-\d+$/ },
      context: () => 'ada',
      otherwise: await open(),
    }).listen({ port: 0 })
    t.teardown(() => server.close())
    const { origin } = new URL(server.url)
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, body: string) => fetch(`${origin}${path}`, { method: 'POST', headers, body })
    const add = '{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}'
    for (const path of ['/t-1', '/v2/t-2', '/t-3?a=b'])
      t.strictSame(await (await post(path, add)).json(), { jsonrpc: '2.0', id: 1, result: 3 }, path)
    t.match(await (await post('/t-1', '{')).json(), { id: null, error: { code: -32700 } })
    t.equal(await (await post('/users', '{"name":"ada"}')).text(), 'ada', 'a path of the application')
    t.equal(await (await fetch(`${origin}/about`)).text(), 'a page')
    const options = await fetch(`${origin}/t-1`, { method: 'OPTIONS', headers })
    t.equal(options.status, 204, 'a preflight is answered by the service')
    t.ok(options.headers.get('access-control-allow-methods'))
  })
}

t.test('the service answers what its application leaves', async (t) => {
  const server = await createHttpServer({
    service: createService({ methods, handlers: createCalculator(), document: '{}' }),
    path: '/:tenant',
    paramPatterns: { tenant: /^t-\d+$/ },
    context: () => 'ada',
    otherwise: (_request, _response, next) => next(),
  }).listen({ port: 0 })
  t.teardown(() => server.close())
  const { origin } = new URL(server.url)
  const get = await fetch(`${origin}/t-1`)
  t.equal(get.status, 405)
  t.equal(get.headers.get('allow'), 'POST, OPTIONS')
  t.match(await (await fetch(`${origin}/a/b`, { method: 'POST', body: '{' })).json(), {
    id: null,
    error: { message: /.+/ },
  })
})

t.test(
  'a body of exactly the limit is answered and a longer one is refused, however it arrives',
  async (t) => {
    const bodyBytes = 100
    const service = createService({ methods, handlers: createCalculator(), limits: { bodyBytes } })
    const rpc = createNodeHandler({ service })
    const app = express()
    app.use('/text', express.text({ type: 'application/json' }), rpc)
    const server = await createHttpServer({
      service,
      path: '/rpc',
      otherwise: (request, response, next) =>
        app(request as express.Request, response as express.Response, () => next()),
    }).listen({ port: 0 })
    t.teardown(() => server.close())
    const { origin } = new URL(server.url)
    const answer = createFetchHandler({ service })
    const init = (body: BodyInit): RequestInit & { readonly duplex: 'half' } => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    })
    const ways: Readonly<Record<string, (body: string) => Promise<Response>>> = {
      'with its length': (body) => fetch(`${origin}/rpc`, init(body)),
      'in chunks': (body) => fetch(`${origin}/rpc`, init(new Blob([body]).stream())),
      'read by a framework': (body) => fetch(`${origin}/text`, init(body)),
      'as a request of the Fetch standard': (body) =>
        answer(new Request('http://x/', init(new Blob([body]).stream()))),
    }
    const add = '{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}'
    for (const [way, send] of Object.entries(ways)) {
      const most = await send(add.padEnd(bodyBytes))
      t.strictSame(await most.json(), { jsonrpc: '2.0', id: 1, result: 3 }, way)
      t.equal((await send(add.padEnd(bodyBytes + 1))).status, 413, way)
    }
  },
)

t.test('headers and statuses that HTTP does not allow break no answer', async (t) => {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const body = '{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}'
  for (const header of ['ada\r\nset-cookie: a', 'ada €']) {
    const onRequest = () => ({ user: header })
    const options = { methods, handlers: createCalculator(), onRequest, onError() {} }
    const service = createService(options)
    for (const httpStatus of [undefined, 42, 204, Number.NaN]) {
      const context = () => {
        if (httpStatus !== undefined) throw new RpcError({ code: 5, message: 'refused', httpStatus })
        return undefined
      }
      const servers = [createServer({ ...options, context }), createHttpServer({ service, context })]
      const running = await Promise.all(servers.map((server) => server.listen({ port: 0 })))
      const handle = createFetchHandler({ service, context })
      const answers = [
        ...running.map(({ url }) => fetch(url, { ...post, body })),
        handle(new Request('http://x/', { ...post, body })),
      ]
      for (const answer of await Promise.all(answers)) {
        t.equal(answer.status, httpStatus === undefined ? 200 : 500)
        t.match(await answer.json(), httpStatus === undefined ? { result: 3 } : { error: { code: -32603 } })
        t.notOk(answer.headers.has('user') || answer.headers.has('set-cookie'))
      }
      await Promise.all(running.map((server) => server.close()))
    }
  }
})

t.test('a CORS setting that cannot be sent is refused at creation, and undefined is the default', (t) => {
  const service = createService({ methods, handlers: createCalculator() })
  for (const cors of [{ allowOrigin: 'https://a.example\n' }, { allowHeaders: ['x', 'ä €'] }])
    t.throws(() => createNodeHandler({ service, cors }), { name: 'TypeError', message: /cannot be sent/ })
  const cors = { allowOrigin: undefined, exposeHeaders: undefined } as object
  t.strictSame(fixedHeaders(cors, defaultLimits), fixedHeaders({}, defaultLimits))
  t.end()
})
