import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { createServer, type ErrorReport, type RpcServer } from '../../../src/runtime/server/index.js'
import { createCalculator, methods, SECRET } from '../../unit/runtime/server/calculator.js'
import { call } from './server-harness.js'

const handlers = createCalculator()
const plainService = { limits: {}, envelope: undefined, failures: {}, errors: {}, withoutData: [] }

async function send(url: string, body: string, method = 'POST') {
  const init = { method, headers: { 'content-type': 'application/json' } }
  const response = await fetch(url, method === 'POST' ? { ...init, body } : init)
  const answer: { readonly error: { readonly data: { readonly reference: string } } } = JSON.parse(
    await response.text(),
  )
  return { status: response.status, body: answer }
}

t.test('a server is created from a contract and its handlers', async (t) => {
  const server = await createServer({ methods, handlers, document: '{"openrpc":"1.3.2"}' }).listen({
    port: 0,
  })
  t.teardown(() => server.close())
  t.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/$/)
  t.match(await send(server.url, call('add', [1, 2])), { status: 200, body: { id: 1, result: 3 } })
  t.match(await send(server.url, call('rpc.discover', [])), { body: { result: { openrpc: '1.3.2' } } })
  t.match(await send(server.url, '', 'GET'), { status: 405, body: { error: { code: -32600 } } })
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await send(`${server.url}elsewhere`, '{', method)
    t.match(answer, { status: 404, body: { id: null, error: { code: -32600 } } }, `${method} elsewhere`)
  }
})

t.test('rpc.discover is replaced or turned off with "document", and a declared one is called', async (t) => {
  const discover = async (server: RpcServer) => {
    const { url, close } = await server.listen({ port: 0 })
    const { body } = await send(url, call('rpc.discover', []))
    await close()
    return body
  }
  const service = { ...plainService, document: async () => '{"openrpc":"1.4.0"}' }
  const generated = { ...methods, add: { ...methods.add, service } }
  const served = createServer({ methods: generated, handlers })
  t.match(await discover(served), { result: { openrpc: '1.4.0' } })
  const replaced = createServer({ methods: generated, handlers, document: { openrpc: 'own' } })
  t.match(await discover(replaced), { result: { openrpc: 'own' } })
  const refused = createServer({ methods: generated, handlers, document: false })
  t.match(await discover(refused), { error: { code: -32601 } })
  const bare = createServer({ methods, handlers })
  t.match(await discover(bare), { error: { code: -32601 } }, 'methods without a document')
  const declared = { ...generated, 'rpc.discover': { ...methods.toString, name: 'rpc.discover' } }
  const own = { ...handlers, 'rpc.discover': () => 'from the handler' }
  t.match(await discover(createServer({ methods: declared, handlers: own })), { result: 'from the handler' })
  const lost = { ...service, document: () => Promise.reject(new Error(SECRET)) }
  const broken = { ...methods, add: { ...methods.add, service: lost } }
  const answer = await discover(createServer({ methods: broken, handlers, onError: () => undefined }))
  t.match(answer, { error: { code: -32603 } })
  t.notMatch(JSON.stringify(answer), SECRET)
})

t.test('a custom path', async (t) => {
  const server = await createServer({ methods, handlers, path: '/rpc/v1' }).listen({
    port: 0,
    host: 'localhost',
  })
  t.teardown(() => server.close())
  t.match(server.url, /\/rpc\/v1$/)
  t.match(await send(server.url, call('add', [1, 2])), { status: 200 })
  t.match(await send(new URL('/', server.url).href, call('add', [1, 2])), { status: 404 })
})

t.test('a result that violates the contract never reaches the client', async (t) => {
  const reports: ErrorReport<unknown>[] = []
  const onError = (report: ErrorReport<unknown>) => {
    reports.push(report)
  }
  const server = await createServer({ methods, handlers, onError }).listen({ port: 0 })
  t.teardown(() => server.close())
  const answer = await send(server.url, call('odd', ['wrong']))
  t.match(answer, {
    status: 500,
    body: { error: { code: -32603, data: { reference: reports[0]?.reference } } },
  })
  t.match(reports, [{ kind: 'resultInvalid', method: 'odd', problems: [{ path: '' }] }])
})

t.test('without onError one line goes to standard error', async (t) => {
  const server = await createServer({ methods, handlers }).listen({ port: 0 })
  t.teardown(() => server.close())
  const lines = t.capture(process.stderr, 'write', () => true)
  const { body } = await send(server.url, call('odd', ['throws']))
  const [line] = lines().map(({ args }) => String(args[0]))
  t.match(JSON.parse(line ?? ''), {
    kind: 'handlerFailed',
    method: 'odd',
    reference: body.error.data.reference,
  })
  t.equal(line?.split('\n').length, 2, 'one line')
})

t.test('handlers receive the caller', async (t) => {
  const whoAmI = { ...methods.toString, name: 'whoAmI' }
  const server = await createServer({
    methods: { whoAmI },
    handlers: { whoAmI: (_params: object, context: { readonly agent: string }) => context.agent },
    context: (request: IncomingMessage) => Promise.resolve({ agent: String(request.headers['user-agent']) }),
  }).listen({ port: 0 })
  t.teardown(() => server.close())
  t.match(await send(server.url, call('whoAmI', [])), { body: { result: 'node' } })
})

t.test('a missing handler is detected before the server listens', async (t) => {
  const incomplete = { add: handlers.add } as typeof handlers
  t.throws(() => createServer({ methods, handlers: incomplete }), { name: 'MissingHandlerError' })
})

t.test('a port in use is an error', async (t) => {
  const first = await createServer({ methods, handlers }).listen({ port: 0 })
  t.teardown(() => first.close())
  const port = Number(new URL(first.url).port)
  await t.rejects(createServer({ methods, handlers }).listen({ port }), { code: 'EADDRINUSE' })
})
