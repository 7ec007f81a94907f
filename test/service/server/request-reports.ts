import { once } from 'node:events'
import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import express from 'express'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { RpcError } from '../../../src/runtime/rpc/index.js'
import { mountRpc, rpcServerOptions } from '../../../src/runtime/server/fastify/index.js'
import { createFetchHandler } from '../../../src/runtime/server/fetch/index.js'
import {
  createNodeHandler,
  createServer,
  createService,
  type RequestReport,
  type ServiceOptions,
} from '../../../src/runtime/server/index.js'
import { mountWebSocket } from '../../../src/runtime/server/web-socket/index.js'
import { until } from '../../support/until.js'
import { createCalculator, methods } from '../../unit/runtime/server/calculator.js'
import { call, rawClient } from './server-harness.js'
import { listening } from './transport-harness.js'

type Options = ServiceOptions<string, typeof methods>

/** Options of a service that collects its reports, and names itself in each answer. */
function reporting(own: Partial<Options> = {}) {
  const reports: RequestReport<string>[] = []
  const options: Options = {
    methods,
    handlers: createCalculator(),
    onError: () => undefined,
    onRequest(report) {
      const { method, headers, ip } = report.request ?? {}
      reports.push({ ...report, request: report.request && { method, headers: { ...headers }, ip } })
      return { 'x-id': String(reports.length) }
    },
    ...own,
  }
  const context = ({
    headers,
  }: {
    readonly headers: { readonly authorization?: string | undefined }
  }): string => {
    if (headers.authorization === undefined)
      throw new RpcError({ code: -32001, message: 'Unauthorized', httpStatus: 401 })
    return headers.authorization
  }
  return { reports, options, context }
}

const headers = { 'content-type': 'application/json', authorization: 'ada' }

async function send(url: string, body: string, own: RequestInit = {}) {
  const response = await fetch(url, { method: 'POST', headers, body, ...own })
  return { status: response.status, id: response.headers.get('x-id'), text: await response.text() }
}

async function served(t: Test, own: Partial<Options> = {}) {
  const { reports, options, context } = reporting(own)
  const server = await createServer<string>({ ...options, context }).listen({ port: 0 })
  t.teardown(() => server.close())
  return { reports, url: server.url }
}

t.test('each request is reported once, with its calls in order', async (t) => {
  const { reports, url } = await served(t)
  const batch = `[${[call('add', [1, 2]), call('unknown', []), call('odd', ['throws'])].join(',')}]`
  t.match(await send(url, call('add', [1, 2])), { status: 200, id: '1' })
  t.match(await send(url, batch), { status: 200, id: '2' })
  t.match(await send(url, '{'), { status: 400, id: '3' })
  const ip = '127.0.0.1'
  const request = { method: 'POST', ip, headers: { authorization: 'ada' } }
  t.match(reports, [
    {
      context: 'ada',
      request,
      status: 200,
      refusal: undefined,
      calls: [{ method: 'add', params: [1, 2], error: undefined }],
    },
    {
      calls: [
        { method: 'add', params: [1, 2], error: undefined },
        { method: undefined, params: [], error: { code: -32601 } },
        { method: 'odd', params: ['throws'], error: { code: -32603 } },
      ],
    },
    {
      context: 'ada',
      status: 400,
      calls: [{ method: undefined, params: undefined, error: { code: -32700 } }],
    },
  ])
  for (const { calls } of reports) for (const { milliseconds } of calls) t.ok(milliseconds > 0)
})

t.test('requests that are refused before their calls are reported, too', async (t) => {
  const { reports, url } = await served(t)
  const none = { 'content-type': 'application/json' }
  t.match(await send(url, call('add', [1, 2]), { headers: none }), { status: 401, id: '1' })
  t.match(await send(`${url}elsewhere`, call('add', [1, 2])), { status: 404, id: '2' })
  t.equal((await fetch(url, { headers })).headers.get('x-id'), '3')
  const plain = { ...headers, 'content-type': 'text/plain' }
  t.match(await send(url, '{}', { headers: plain }), { status: 415, id: '4' })
  const client = rawClient(Number(new URL(url).port))
  client.socket.write('no HTTP\r\n\r\n')
  t.match((await client.closed).text, /^HTTP\/1\.1 400 [\s\S]*x-id: 5/)
  const refused = (failure: string | undefined, status: number, method: string | undefined = 'POST') => ({
    context: undefined,
    request: { method, ip: '127.0.0.1' },
    status,
    refusal: { failure },
    calls: [],
  })
  t.match(reports, [
    { ...refused(undefined, 401), refusal: { code: -32001 } },
    refused('missingKey', 404),
    refused('wrongVerb', 405, 'GET'),
    {
      context: 'ada',
      status: 415,
      refusal: undefined,
      calls: [{ method: undefined, error: { failure: 'unsupportedMediaType' }, milliseconds: 0 }],
    },
    { ...refused('invalidRequest', 400), request: { method: undefined, ip: '127.0.0.1' } },
  ])
})

t.test('a body parser in front, and a caller who disconnects, are reported with their context', async (t) => {
  const { reports, options, context } = reporting()
  const app = express().use('/json', express.json())
  app.use(createNodeHandler({ service: createService(options), context }))
  const origin = await listening(t, createHttpServer(app))
  t.match(await send(`http://${origin}/json`, call('add', [1, 2])), { status: 500, id: '1' })
  const leaving = httpRequest(`http://${origin}/`, { method: 'POST', headers })
  leaving.on('error', () => undefined)
  leaving.write('{', () => leaving.destroy())
  await until(() => reports.length === 2)
  t.match(reports, [
    { context: 'ada', status: 500, calls: [{ method: undefined, error: { code: -32603 } }] },
    { context: 'ada', status: undefined, calls: [] },
  ])
})

t.test('Fastify, the Fetch standard and WebSockets report alike', async (t) => {
  const { reports, options, context } = reporting()
  const service = createService(options)
  const app = Fastify(rpcServerOptions(service))
  t.teardown(() => app.close())
  mountRpc(app, { service, context, path: '/rpc' })
  app.addHook('preHandler', (request, _reply, done) =>
    done(request.headers['x-stop'] === undefined ? undefined : new TypeError('a hook')),
  )
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/rpc`
  t.match(await send(url, call('add', [1, 2])), { status: 200, id: '1' })
  t.match(await send(url, call('add', [1, 2]), { headers: {} }), { status: 401, id: '2' })
  const handle = createFetchHandler({
    service,
    context: ({ headers: own }) => context({ headers: Object.fromEntries(own) }),
  })
  const ask = (init: RequestInit) => handle(new Request('http://localhost/', init))
  t.equal((await ask({ method: 'POST', headers, body: call('add', [1, 2]) })).headers.get('x-id'), '3')
  t.equal((await ask({ method: 'GET' })).headers.get('x-id'), '4')
  const server = createHttpServer()
  mountWebSocket(server, { service, path: '/rpc', context: () => 'bob' })
  const socket = new WebSocket(`ws://${await listening(t, server)}/rpc`)
  await once(socket, 'open')
  socket.send(call('add', [1, 2]))
  await once(socket, 'message')
  socket.close()
  t.match(reports, [
    { context: 'ada', request: { ip: '127.0.0.1' }, status: 200, calls: [{ method: 'add' }] },
    { context: undefined, status: 401, refusal: { code: -32001 } },
    { context: 'ada', request: { method: 'POST', ip: undefined }, calls: [{ method: 'add' }] },
    { context: undefined, request: { method: 'GET' }, status: 405, refusal: { failure: 'wrongVerb' } },
    { context: 'bob', request: undefined, status: 200, calls: [{ method: 'add' }] },
  ])
})

t.test('a hook that throws changes no answer', async (t) => {
  const fails = () => {
    throw new TypeError('a broken hook')
  }
  const { url } = await served(t, { onRequest: fails })
  t.match(await send(url, call('add', [1, 2])), { status: 200, id: null })
  t.match(await send(url, '', { headers: {} }), { status: 401 })
})
