import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { post, startService } from '../support/service.js'

/** A span as OTLP encodes it (opentelemetry-proto, trace.proto, JSON). */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly status: { readonly code?: number }
}

/** A server that records the bodies and headers that it receives, and answers them. */
async function listen(answer: (body: string) => string) {
  const requests: { readonly headers: IncomingHttpHeaders; readonly path: string; readonly body: string }[] =
    []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({ headers: request.headers, path: request.url ?? '', body })
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Results of a node's methods; a batch is answered item by item. */
const results: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1f',
  eth_blockNumber: '0x10',
  eth_gasPrice: '0x1',
}
const nodeAnswer = (body: string) => {
  const sent = JSON.parse(body)
  const one = ({ id, method }: { id: number; method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: results[method] ?? null,
  })
  return JSON.stringify(Array.isArray(sent) ? sent.map(one) : one(sent))
}

const node = await listen(nodeAnswer)
const collector = await listen(() => '{}')
const service = await startService({
  env: {
    CONCORDAT_NODES_TEST: `${node.url}/v2/secret-of-node`,
    CONCORDAT_NODES_MAIN: node.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'rpc-of-the-test',
  },
})
const { url } = service.networks.test
const key = new URL(url).pathname.slice(1)
const request = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })
const trace = 'a'.repeat(32)
const caller = 'b'.repeat(16)

const sampled = { traceparent: `00-${trace}-${caller}-01` }
await post(url, request('eth_gasPrice'), sampled)
await post(url, request('no_such_method'), { traceparent: `00-${'c'.repeat(32)}-${caller}-01` })
await post(url, [request('eth_gasPrice'), request('eth_accounts')], {
  traceparent: `00-${'d'.repeat(32)}-${caller}-01`,
})
await post(url, request('eth_gasPrice'), { traceparent: `00-${'e'.repeat(32)}-${caller}-00` })
await post(url, request('eth_gasPrice'), { traceparent: `00-${'0'.repeat(32)}-${caller}-01` })
await post(url, request('eth_accounts'))
t.equal(await service.stop(), 0, 'shutdown sends the remaining spans')

const spans = collector.requests.flatMap(({ body }) =>
  (JSON.parse(body).resourceSpans as { scopeSpans: { spans: Span[] }[] }[]).flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  ),
)
const of = (traceId: string) => spans.filter((span) => span.traceId === traceId)
const attribute = ({ attributes }: Span | { attributes: Span['attributes'] }, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

t.test('a request continues the trace of its caller, and the node receives that of the call', async (t) => {
  const [server, ...others] = of(trace).filter(({ kind }) => kind === 2)
  const [client] = of(trace).filter(({ kind }) => kind === 3)
  t.same(others, [])
  t.match(server, { name: 'eth_gasPrice', parentSpanId: caller })
  t.match(client, { name: 'eth_gasPrice test-1', parentSpanId: server?.spanId })
  if (server !== undefined && client !== undefined) {
    t.equal(attribute(server, 'concordat.network'), 'test')
    t.match(attribute(server, 'concordat.key_id'), /^key_/)
    t.equal(attribute(server, 'http.response.status_code'), 200)
    t.equal(attribute(client, 'concordat.outcome'), 'result')
  }
  const told = node.requests.map(({ headers }) => headers['traceparent'])
  t.ok(told.includes(`00-${trace}-${client?.spanId}-01`))
})

t.test('a failed request has its error, and a batch has one span', async (t) => {
  t.match(of('c'.repeat(32)), [{ name: 'POST', events: [{ name: 'error' }] }])
  t.match(
    of('d'.repeat(32)).find(({ kind }) => kind === 2),
    { name: 'batch' },
  )
})

t.test('an unsampled trace is not recorded, and an invalid trace header starts a new one', async (t) => {
  t.same(of('e'.repeat(32)), [])
  t.same(of('0'.repeat(32)), [])
  const begun = spans.filter(({ kind, parentSpanId }) => kind === 2 && !parentSpanId)
  t.same(begun.map(({ name }) => name).sort(), ['eth_accounts', 'eth_gasPrice'])
})

t.test('spans arrive as OTLP, under the name of the service', async (t) => {
  const [first] = collector.requests
  t.equal(first?.path, '/v1/traces')
  t.equal(first?.headers['content-type'], 'application/json')
  const [{ resource }] = JSON.parse(first?.body ?? '{}').resourceSpans
  t.equal(attribute(resource, 'service.name'), 'rpc-of-the-test')
})

t.test('traces contain no key and no node address', async (t) => {
  const text = collector.requests.map(({ body }) => body).join()
  for (const secret of [key, 'secret-of-node', new URL(node.url).host]) t.notOk(text.includes(secret), secret)
})

// These tests wait for unresponsive collectors, so they run concurrently.
t.jobs = 3
const together = { buffered: true }

t.test('without an exporter a node receives no trace', together, async (t) => {
  const own = await listen(nodeAnswer)
  const plain = await startService({
    env: { CONCORDAT_NODES_TEST: own.url, CONCORDAT_NODES_MAIN: own.url },
  })
  t.teardown(() => plain.stop())
  await post(plain.networks.test.url, request('eth_gasPrice'), sampled)
  const later = own.requests
  t.ok(later.length > 0)
  t.ok(later.every(({ headers }) => headers['traceparent'] === undefined))
})

t.test('a missing collector delays neither answers nor shutdown', together, async (t) => {
  const env = {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: node.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
  }
  const alone = await startService({ env })
  t.equal((await post(alone.networks.test.url, request('eth_gasPrice'), sampled)).status, 200)
  t.equal(await alone.stop(), 0)
})

t.test('a failing collector is logged, and calls are answered', together, async (t) => {
  const deaf = createServer((_request, response) => response.writeHead(400).end()).listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  t.teardown(() => deaf.close())
  const endpoint = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`
  const service = await startService({
    env: {
      CONCORDAT_NODES_TEST: node.url,
      CONCORDAT_NODES_MAIN: node.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  })
  t.teardown(() => service.stop())
  t.equal((await post(service.networks.test.url, request('eth_gasPrice'))).json.result, '0x1')
  const told = await service.said('err', 'traces could not be sent')
  const line = told.split('\n').find((each) => each.includes('traces could not be sent')) ?? ''
  t.match(JSON.parse(line), { level: 40, reason: /./ })
  t.equal((await post(service.networks.test.url, request('eth_gasPrice'))).json.result, '0x1')
})
