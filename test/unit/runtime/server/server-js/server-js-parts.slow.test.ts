import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { JSONRPCError, Server, transports } from '@open-rpc/server-js'
import t, { type Test } from 'tap'
import type { ErrorReport } from '../../../../../src/runtime/server/index.js'
import {
  byPosition,
  ContractRouter,
  FastifyTransport,
  guardTransport,
} from '../../../../../src/runtime/server/server-js/index.js'
import { loadServerJs } from '../../../../../src/runtime/server/server-js/load-server-js.js'
import { call, rawClient, post as rawPost } from '../../../../service/server/server-harness.js'
import { createCalculator, methods } from '../calculator.js'

const handlers = createCalculator()

async function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

async function started(t: Test, options: Partial<ConstructorParameters<typeof FastifyTransport>[0]> = {}) {
  const transport = new FastifyTransport({ port: 0, ...options })
  transport.addRouter(new ContractRouter({ methods, handlers, onError: () => undefined }))
  await transport.start()
  t.teardown(() => transport.stop())
  return transport
}

t.test('a server of the package keeps its transports, and accepts ours', async (t) => {
  const { add } = methods
  const server = new Server({
    openrpcDocument: { openrpc: '1.3.2', info: { title: 'T', version: '1' }, methods: [] },
  })
  const transport = new FastifyTransport({ port: 0, host: 'localhost', path: '/rpc' })
  server.addTransport(transport)
  transport.addRouter(
    new ContractRouter({
      methods: { add },
      handlers: byPosition({ add }, { add: (a: number, b: number) => a + b }),
    }),
  )
  t.throws(() => transport.url, { name: 'TransportStateError' })
  await server.start()
  t.match(transport.url, /\/rpc$/)
  t.match(await post(transport.url, call('add', [1, 2])), { status: 200, body: { result: 3 } })
  t.match(await post(new URL('/', transport.url).href, call('add', [1, 2])), { status: 404 })
  await t.rejects(transport.start(), { name: 'TransportStateError' })
  const { port } = new URL(transport.url)
  const another = new FastifyTransport({ port: Number(port), host: 'localhost' })
  await t.rejects(another.start(), { code: 'EADDRINUSE' })
  await another.stop()
  await server.stop()
  await t.rejects(fetch(`http://localhost:${port}/rpc`), 'nobody listens')
  await server.start()
  t.match(await post(transport.url, call('add', [1, 2])), { body: { result: 3 } }, 'and again')
  await server.stop()
})

t.test('shutdown answers pending requests', async (t) => {
  const { later } = methods
  let release: (value: string) => void = () => undefined
  const held = new Promise<string>((resolve) => {
    release = resolve
  })
  let arrived: () => void = () => undefined
  const isHeld = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const transport = new FastifyTransport({ port: 0 })
  const wait = () => {
    arrived()
    return held
  }
  transport.addRouter(new ContractRouter({ methods: { later }, handlers: { later: wait } }))
  await transport.start()
  const answer = post(transport.url, call('later', ['x']))
  await isHeld
  const stopped = transport.stop()
  release('answered')
  t.match(await answer, { body: { result: 'answered' } })
  await stopped
})

t.test('envelope, limits and failures of a contract apply to a transport', async (t) => {
  const failures = {
    invalidRequest: { code: -32099, message: 'No request', httpStatus: 422 },
    batchTooLarge: { code: -32098, message: 'Too many', httpStatus: 413 },
  }
  const transport = await started(t, { envelope: { idRequired: true }, limits: { batchItems: 2 }, failures })
  t.match(await post(transport.url, '{"jsonrpc":"2.0","method":"add","params":[1,2]}'), {
    status: 422,
    body: { id: null, error: { code: -32099, message: /^No request: the id is missing/ } },
  })
  t.match(await post(transport.url, '[1,2,3]'), { status: 413, body: { error: { code: -32098 } } })
  t.match(await post(transport.url, call('divide', [1, 0])), {
    status: 409,
    body: { error: { code: -32010 } },
  })
})

t.test(
  'a body over the fixed one megabyte of the package is accepted, and one over the limit is refused',
  async (t) => {
    const label = call('label', ['x'.repeat(1_500_000)])
    const router = () => new ContractRouter({ methods, handlers, onError: () => undefined })
    const alone = new transports.HTTPTransport({ port: 0, middleware: [] })
    alone.addRouter(router())
    const guarded = new transports.HTTPTransport({ port: 0, middleware: [] })
    guardTransport(guarded, {}).addRouter(router())
    for (const transport of [alone, guarded]) {
      await transport.start()
      t.teardown(() => transport.stop())
    }
    const urlOf = (transport: object) => {
      const { server } = transport as { readonly server: NetServer }
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    }
    const headers = { 'content-type': 'application/json' }
    const refused = await fetch(urlOf(alone), { method: 'POST', headers, body: label })
    t.equal(refused.status, 413, 'only the package')
    for (const url of [urlOf(guarded), (await started(t)).url])
      t.match(await post(url, label), { status: 200, body: { result: /xxx/ } })
    const strict = await started(t, { limits: { bodyBytes: 1_000_000 } })
    t.match(await post(strict.url, label), { status: 413, body: { id: null, error: { code: -32600 } } })
  },
)

t.test(
  'of several routers the first one with the method answers, and discovery asks the others',
  async (t) => {
    const { add, scale } = methods
    const transport = new FastifyTransport({ port: 0 })
    const first = new ContractRouter({ methods: { add }, handlers: { add: () => 1 } })
    transport.addRouter(first)
    transport.addRouter(
      new ContractRouter({ methods: { add, scale }, handlers: { add: () => 2, scale: () => 2 } }),
    )
    await transport.start()
    t.teardown(() => transport.stop())
    const body = `[${call('add', [1, 2])},${call('scale', [1])}]`
    t.match(await post(transport.url, body), { body: [{ result: 1 }, { result: 2 }] })
    transport.removeRouter(first)
    t.match(await post(transport.url, body), { body: [{ result: 2 }, { result: 2 }] })
  },
)

t.test('a router never throws for any input', async (t) => {
  const reports: ErrorReport<undefined>[] = []
  const onError = (report: ErrorReport<undefined>) => {
    reports.push(report)
  }
  const router = new ContractRouter({ methods, handlers, onError, validateResults: false })
  t.same(await router.call('add', [1, 2]), { result: 3 })
  t.same(await router.call('rawBytes', ['[1]']), { result: [1] })
  t.same(await router.call('note', ['x']), { result: null }, 'a method without a result')
  t.match(await router.call('note', [7]), { error: { code: -32602 } })
  t.match(await router.call('add', undefined), { error: { code: -32602 } })
  t.match(await router.call('add', 1n), { error: { code: -32600 } })
  t.equal(reports.length, 0)
  t.match(await router.call('raw', ['no JSON']), { error: { code: -32603 } }, 'a raw result is not validated')
  t.match(reports, [{ kind: 'handlerFailed', method: 'raw' }])
  t.notOk(router.isMethodImplemented('rpc.discover'), 'there is no document to return')
})

t.test('errors of the package with an invalid code are failures', async (t) => {
  const odd = () => {
    throw new JSONRPCError('odd', Number.NaN)
  }
  const router = new ContractRouter({
    methods: { odd: methods.odd },
    handlers: { odd },
    onError: () => undefined,
  })
  t.match(await router.call('odd', ['x']), { error: { code: -32603, data: { reference: String } } })
})

t.test(
  'functions by position are called on their object, with the contract’s order and defaults',
  async (t) => {
    const { label, scale } = methods
    const mapping = {
      sign: '?',
      label(text: string, unit: string | undefined, mark: string) {
        return [text, unit, mark, this.sign].join()
      },
      scale: (value: number, by: number) => value * by,
    }
    const router = new ContractRouter({
      methods: { label, scale },
      handlers: byPosition({ label, scale }, mapping),
    })
    t.same(await router.call('label', { text: 'a' }), { result: 'a,,!,?' })
    t.same(await router.call('scale', [3]), { result: 30 })
    const none = {} as { toString: () => string; label: () => string }
    t.throws(
      () =>
        new ContractRouter({
          methods: { label, toString: methods.toString },
          handlers: byPosition({ label, toString: methods.toString }, none),
        }),
      { name: 'MissingHandlerError', methods: ['label', 'toString'] },
    )
  },
)

type Middleware = (
  request: IncomingMessage & { body?: { id?: unknown } },
  response: ServerResponse,
  next: () => void,
) => void

async function guarded(t: Test, middleware: readonly Middleware[]) {
  const transport = guardTransport(new transports.HTTPTransport({ port: 0, middleware: [...middleware] }))
  transport.addRouter(new ContractRouter({ methods, handlers }))
  await transport.start()
  t.teardown(() => transport.stop())
  const { server } = transport as unknown as { readonly server: NetServer }
  return (server.address() as AddressInfo).port
}

t.test('middleware stays between a guarded transport and its router', async (t) => {
  const seen: unknown[] = []
  const port = await guarded(t, [
    (request, response, next) => {
      seen.push(request.body)
      if (request.headers.authorization === undefined) {
        response.statusCode = 401
        response.end()
        return
      }
      if (request.body !== undefined && request.headers['x-id'] !== undefined)
        request.body.id = request.headers['x-id']
      next()
    },
  ])
  const url = `http://127.0.0.1:${port}/`
  t.match(await post(url, call('add', [1, 2])), { status: 401 })
  const authorization = 'Bearer x'
  t.match(await post(url, call('add', [1, 2]), { authorization, 'x-id': 'a' }), {
    body: { id: 'a', result: 3 },
  })
  t.match(await post(url, '{', { authorization }), { status: 400, body: { error: { code: -32700 } } })
  t.match(seen, [{ method: 'add' }, { method: 'add' }, {}])
  const response = await fetch(url, { method: 'OPTIONS', headers: { authorization } })
  t.equal(response.headers.get('access-control-allow-origin'), '*', 'CORS is still handled by the package')
})

t.test('a disconnect in the middle of a body leaves a guarded transport usable', async (t) => {
  const port = await guarded(t, [])
  const client = rawClient(port)
  await once(client.socket, 'connect')
  client.socket.write(rawPost('/', '{"jsonrpc":', { 'content-length': '100' }))
  client.socket.destroy()
  await client.closed
  t.match(await post(`http://127.0.0.1:${port}/`, call('add', [1, 2])), { body: { result: 3 } })
})

t.test('an unsupported transport is refused', async (t) => {
  const ipc = new transports.IPCTransport({ id: 'concordat-test', port: 0, udp: false, ipv6: false })
  const app = Object.assign(() => undefined, { use: () => undefined })
  const express = new transports.HTTPTransport({ port: 0, middleware: [], app } as never)
  for (const transport of [ipc, express, new FastifyTransport({ port: 0 })]) {
    t.throws(() => guardTransport(transport), {
      name: 'UnguardedTransportError',
      message: /only HTTPTransport/,
    })
  }
  const https = new transports.HTTPSTransport({ port: 0, middleware: [] })
  t.equal(guardTransport(https), https)
})

t.test('without the package there is one clear sentence', async (t) => {
  const missing = (message: string, code: string) => () => {
    throw Object.assign(new Error(message), { code })
  }
  t.throws(
    () =>
      loadServerJs(missing("Cannot find module '@open-rpc/server-js'\nRequire stack:", 'MODULE_NOT_FOUND')),
    {
      name: 'MissingServerJsError',
      message:
        '@concordat/server/server-js needs the package @open-rpc/server-js: npm install @open-rpc/server-js',
    },
  )
  t.throws(() => loadServerJs(missing("Cannot find module 'ws'", 'MODULE_NOT_FOUND')), { message: /'ws'/ })
  t.equal(typeof loadServerJs().Router, 'function')
})
