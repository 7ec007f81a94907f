import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import express from 'express'
import t, { type Test } from 'tap'
import { type HandlerCall, RpcError } from '../../../src/runtime/rpc/index.js'
import { createFetchHandler } from '../../../src/runtime/server/fetch/index.js'
import {
  createNodeHandler,
  createServer,
  createService,
  type ErrorReport,
  type ResponseReport,
  type ServerCall,
  type ServiceOptions,
} from '../../../src/runtime/server/index.js'
import { method } from '../../unit/runtime/server/calculator.js'
import { call } from './server-harness.js'
import { listening } from './transport-harness.js'

const isAnything = () => undefined
const methods = {
  echo: method('echo', [{ name: 'value', check: isAnything }], { result: isAnything }),
  wait: method('wait', [], { result: isAnything }),
}

interface Caller {
  readonly user: string
}

type Echo = (params: { value: string }, context: Caller, call: HandlerCall) => unknown

/** A service whose `wait` resolves when its signal fires. */
function create(
  options: Partial<ServiceOptions<Caller, typeof methods>> = {},
  echo: Echo = ({ value }) => value,
) {
  const aborted: string[] = []
  let arrived: () => void = () => undefined
  const isWaiting = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const handlers = {
    echo,
    wait: (_: object, __: Caller, { signal }: HandlerCall) =>
      new Promise((_, reject) => {
        arrived()
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason.name)
          reject(signal.reason)
        })
      }),
  }
  const reports: ErrorReport<Caller>[] = []
  const onError = (report: ErrorReport<Caller>) => {
    reports.push(report)
  }
  const service = createService<Caller>({ methods, handlers, onError, ...options })
  return { service, handlers, aborted, isWaiting, reports }
}

const context = ({
  headers,
}: {
  readonly headers: { readonly authorization?: string | undefined }
}): Caller => {
  if (headers.authorization === undefined)
    throw new RpcError({ code: -32001, message: 'Unauthorized', httpStatus: 401 })
  return { user: headers.authorization }
}

const headers = { 'content-type': 'application/json', authorization: 'ada' }

async function post(url: string, body: string, own: Readonly<Record<string, string>> = headers) {
  const response = await fetch(url, { method: 'POST', headers: own, body })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

async function mounted(t: Test, service: ReturnType<typeof create>['service']) {
  return `http://${await listening(t, createHttpServer(createNodeHandler({ service, context })))}/`
}

t.test('a context function refuses requests before their body is read', async (t) => {
  const { service } = create()
  const url = await mounted(t, service)
  const refused = await post(url, 'no JSON', { 'content-type': 'application/json' })
  t.match(refused, { status: 401, body: { id: null, error: { code: -32001, message: 'Unauthorized' } } })
  const fetchContext = ({ headers }: Request) =>
    context({ headers: { authorization: headers.get('authorization') ?? undefined } })
  const handle = createFetchHandler({ service, context: fetchContext })
  const response = await handle(new Request('http://localhost/', { method: 'POST', body: '{}' }))
  t.equal(response.status, 401)
  t.match(await response.json(), { error: { code: -32001 } })
})

t.test('handlers get context, headers and log, and unsafe headers are left out', async (t) => {
  const entries: unknown[] = []
  const log = { debug() {}, warn() {}, error() {}, info: (...entry: unknown[]) => entries.push(entry) }
  const { service } = create({ log }, ({ value }, { user }, { headers: own, log, method }) => {
    own.set('cache-control', 'no-store')
    own.set('content-length', '1')
    own.append('x-seen', value)
    log.info({ value }, 'echoed')
    return `${user} calls ${method}`
  })
  const answer = await post(await mounted(t, service), call('echo', ['x']))
  t.match(answer, { status: 200, body: { result: 'ada calls echo' } })
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.equal(answer.headers.get('x-seen'), 'x')
  t.same(entries, [[{ method: 'echo', value: 'x' }, 'echoed']])
})

t.test('a disconnect fires the signal', async (t) => {
  const { service, aborted, isWaiting, reports } = create({
    onResponse: () => answered(),
  })
  let answered: () => void = () => undefined
  const isAnswered = new Promise<void>((resolve) => {
    answered = resolve
  })
  const sent = httpRequest(await mounted(t, service), { method: 'POST', headers })
  sent.on('error', () => undefined)
  sent.end(call('wait', []))
  await isWaiting
  sent.destroy()
  await isAnswered
  t.same(aborted, ['AbortError'])
  t.match(reports, [{ kind: 'handlerFailed', method: 'wait', context: { user: 'ada' } }])
})

t.test('an aborted request of the Fetch standard fires the signal', async (t) => {
  const { service, aborted, isWaiting } = create()
  const handle = createFetchHandler({ service, context: () => ({ user: 'ada' }) })
  const controller = new AbortController()
  const { signal } = controller
  const request = new Request('http://localhost/', {
    method: 'POST',
    headers,
    body: call('wait', []),
    signal,
  })
  const answer = handle(request)
  await isWaiting
  controller.abort()
  t.equal((await answer).status, 500)
  t.same(aborted, ['AbortError'])
})

t.test('a request that is aborted before its context is ready has a fired signal', async (t) => {
  const controller = new AbortController()
  const context = async () => {
    controller.abort()
    return { user: 'ada' }
  }
  const { service } = create({}, (_params, _context, { signal }) => signal.aborted)
  const handle = createFetchHandler({ service, context })
  const { signal } = controller
  const body = call('echo', ['x'])
  // Undici ends the body with the signal; other runtimes may have it in memory.
  const request = new Request('http://localhost/', { method: 'POST', headers, body })
  Object.defineProperty(request, 'signal', { value: signal })
  t.match(await (await handle(request)).json(), { result: true })
})

t.test('a body that ends too early is not reported, because its caller has disconnected', async (t) => {
  const reports: unknown[] = []
  const { service } = create({ onError: (report) => reports.push(report) })
  const handle = createFetchHandler({ service, context: () => ({ user: 'ada' }) })
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
  const request = new Request('http://localhost/', { method: 'POST', headers, body, ...{ duplex: 'half' } })
  t.equal((await handle(request)).status, 400)
  t.same(reports, [])
})

t.test('the deadline fires the signal', async (t) => {
  const { service, aborted } = create({ deadlineMilliseconds: 5 })
  t.match(await post(await mounted(t, service), call('wait', [])), {
    status: 504,
    body: { error: { code: -32603 } },
  })
  t.same(aborted, ['TimeoutError'])
})

t.test('middleware wraps handlers in order, and every response is reported', async (t) => {
  const seen: string[] = []
  const responses: ResponseReport<Caller>[] = []
  const named =
    (name: string) =>
    (next: (call: ServerCall<Caller>) => unknown) =>
    async (own: ServerCall<Caller>): Promise<never> => {
      seen.push(`${name} ${own.method} ${own.context.user}`)
      if (own.params['value'] === 'stop') throw new RpcError({ code: 7, message: 'stopped' })
      return (await next({ ...own, params: { value: `${own.params['value']}${name}` } })) as never
    }
  const echo: Echo = ({ value }, _, { headers, signal, peer, log }) => {
    headers.set('x-seen', String(signal.aborted))
    return peer && log && value
  }
  const { service } = create(
    {
      middleware: [named('a'), named('b')],
      onResponse(report) {
        responses.push(report)
        throw new TypeError('a broken hook')
      },
    },
    echo,
  )
  const url = await mounted(t, service)
  const first = await post(url, call('echo', ['-']))
  t.match(first, { body: { result: '-ab' } })
  t.equal(first.headers.get('x-seen'), 'false', 'a spread call keeps its members')
  t.match(await post(url, call('echo', ['stop'])), { body: { error: { code: 7 } } })
  t.match(await post(url, call('unknown', [])), { body: { error: { code: -32601 } } })
  t.same(seen, ['a echo ada', 'b echo ada', 'a echo ada'])
  t.match(responses, [
    { method: 'echo', error: undefined, milliseconds: Number, context: { user: 'ada' } },
    { method: 'echo', error: { code: 7 } },
    { method: undefined, error: { code: -32601 } },
  ])
})

t.test('a body that a parser has read is refused with a reason, and a read text is accepted', async (t) => {
  const { service, reports } = create()
  const rpc = createNodeHandler({ service, context })
  const app = express()
  app.use('/text', express.text({ type: 'application/json' }), rpc)
  app.use(express.json())
  app.all('/json', rpc)
  const origin = await listening(t, createHttpServer(app))
  t.match(await post(`http://${origin}/json`, call('echo', [1])), {
    status: 500,
    body: { error: { code: -32603 } },
  })
  t.match(reports, [{ cause: { message: /body parser has read/ } }])
  t.match(await post(`http://${origin}/text`, call('echo', [1])), { status: 200, body: { result: 1 } })
})

t.test('two services are mounted side by side', async (t) => {
  const [one, two] = ['one', 'two'].map((name) =>
    createNodeHandler({ service: create({}, () => name).service, context }),
  )
  const app = express()
  if (one && two) app.all('/one', one).all('/two', two)
  const origin = await listening(t, createHttpServer(app))
  t.match(await post(`http://${origin}/one`, call('echo', [1])), { body: { result: 'one' } })
  t.match(await post(`http://${origin}/two`, call('echo', [1])), { body: { result: 'two' } })
})

t.test('health, CORS and content types are options', async (t) => {
  const { handlers } = create()
  const server = await createServer<Caller>({
    methods,
    handlers,
    context: () => ({ user: 'ada' }),
    path: '/rpc',
    healthPath: '/health',
    cors: { allowOrigin: null },
    contentTypes: ['application/json', 'application/json-rpc'],
  }).listen({ port: 0 })
  t.teardown(() => server.close())
  const health = await fetch(new URL('/health', server.url))
  t.same([health.status, await health.json()], [200, { status: 'ok' }])
  t.equal((await fetch(new URL('/health', server.url), { method: 'POST' })).status, 404)
  const answer = await post(server.url, call('echo', [1]), { 'content-type': 'application/json-rpc' })
  t.match(answer, { status: 200, body: { result: 1 } })
  t.equal(answer.headers.get('access-control-allow-origin'), null)
  t.equal((await post(server.url, call('echo', [1]), { 'content-type': 'text/plain' })).status, 415)
  const preflight = await fetch(server.url, { method: 'OPTIONS' })
  t.equal(preflight.headers.get('access-control-allow-methods'), null)
})

t.test('one origin is allowed', async (t) => {
  const { service } = create()
  const cors = { allowOrigin: 'https://app.example' }
  const handle = createFetchHandler({ service, context: () => ({ user: 'ada' }), cors })
  for (const verb of ['POST', 'OPTIONS', 'GET']) {
    const response = await handle(new Request('http://localhost/', { method: verb }))
    if (verb === 'GET') t.equal(response.headers.get('allow'), 'POST, OPTIONS')
    if (verb !== 'OPTIONS')
      t.equal(response.headers.get('access-control-allow-origin'), 'https://app.example', verb)
  }
})
