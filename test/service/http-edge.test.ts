import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { post, startService } from '../support/service.js'

/** Rules of the whole HTTP request: keys, verbs, sizes, types, CORS, health (the contract's `x-failures`). */
const service = await startService({ isChainless: true })
t.teardown(() => service.stop())
const { url } = service.networks.test
const key = new URL(url).pathname.slice(1)
const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Every refusal is a JSON-RPC object with CORS headers, and with id null where the body was not read. */
function isRefusal(
  t: Test,
  got: Awaited<ReturnType<typeof post>>,
  status: number,
  code: number,
  what: string,
  id: number | null = null,
) {
  t.equal(got.status, status, `${what}: HTTP ${status}`)
  t.match(got.json, { jsonrpc: '2.0', id, error: { code, message: /.+/ } }, what)
  t.match(got.headers.get('content-type'), /^application\/json/, what)
  t.equal(got.headers.get('access-control-allow-origin'), '*', what)
}

t.test('a key is accepted in each form of the path, with any query string', async (t) => {
  for (const path of [key, `v2/${key}`, `json-rpc/${key}`, `${key}?a=b`, `v2/${key}?`]) {
    const { status, json } = await post(`${service.origin}/${path}`, call)
    t.equal(status, 200, path)
    t.same(json, { jsonrpc: '2.0', id: 1, result: '0x1f' }, path)
  }
})

t.test('each key selects its own network', async (t) => {
  t.equal((await post(service.networks.main.url, call)).json.result, '0x1e')
  t.equal((await post(service.networks.main.url, { ...call, method: 'net_version' })).json.result, '30')
})

t.test('a missing key, an unknown path and a refused key: 401, -32016', async (t) => {
  for (const path of ['', 'v2', 'v2/', 'json-rpc', 'a/b/c', `${key}/more`, `v3/${key}`, '%']) {
    isRefusal(t, await post(`${service.origin}/${path}`, call), 401, -32016, `POST /${path}`, call.id)
  }
  const swapped = [...key].reverse().join('')
  const refused = new Set<string>()
  for (const wrong of [
    'x',
    'A'.repeat(30),
    `${'A'.repeat(30)}-T`,
    `${'A'.repeat(30)}-M`,
    swapped,
    key.toLowerCase(),
    '%00',
  ]) {
    const got = await post(`${service.origin}/${wrong}`, call)
    isRefusal(t, got, 401, -32016, wrong, call.id)
    refused.add(got.text)
  }
  t.equal(refused.size, 1, 'unknown and malformed keys get the same answer')
})

t.test('verbs other than POST and OPTIONS on a key’s path: 405 with Allow', async (t) => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    for (const path of [key, `v2/${key}`]) {
      const response = await fetch(`${service.origin}/${path}`, { method })
      t.equal(response.status, 405, `${method} /${path}`)
      t.match(response.headers.get('allow'), /POST/)
      t.match(await response.json(), { id: null, error: { code: -32600 } })
    }
  }
  t.equal((await fetch(url, { method: 'HEAD' })).status, 405)
})

t.test('the pages do not read the bodies of other requests', async (t) => {
  const body = '{"jsonrpc":'
  const headers = { 'content-type': 'application/json' }
  for (const path of ['/', '/a/b', `/${'A'.repeat(32)}`])
    isRefusal(t, await post(`${service.origin}${path}`, body), 401, -32016, `POST ${path}`)
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const response = await fetch(url, { method, headers, body })
    t.equal(response.status, 405, method)
    t.match(await response.json(), { id: null, error: { code: -32600 } }, method)
  }
  t.equal((await fetch(url, { method: 'OPTIONS', headers })).status, 204, 'a content type without a body')
})

t.test('an upgrade is answered 405', async (t) => {
  const request = httpRequest(url, {
    headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }]
  response.resume()
  t.equal(response.statusCode, 405)
})

t.test('OPTIONS returns 204 with the CORS headers, without a key and free of charge', async (t) => {
  for (const path of [key, 'x', `v2/${key}`]) {
    const response = await fetch(`${service.origin}/${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://dapp.example', 'access-control-request-method': 'POST' },
    })
    t.equal(response.status, 204, path)
    t.equal(response.headers.get('access-control-allow-origin'), '*')
    t.equal(response.headers.get('access-control-allow-credentials'), null)
    t.equal(response.headers.get('access-control-allow-methods'), 'POST, OPTIONS')
    t.equal(response.headers.get('access-control-allow-headers'), 'content-type, accept, authorization, *')
    t.equal(response.headers.get('access-control-max-age'), '7200')
  }
  t.equal(
    (await post(url, call)).headers.get('access-control-expose-headers'),
    'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  )
})

t.test('a wrong content type and an encoded body: 415', async (t) => {
  for (const type of [
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'multipart/form-data',
  ]) {
    isRefusal(t, await post(url, call, { 'content-type': type }), 415, -32600, type)
  }
  isRefusal(t, await post(url, call, { 'content-encoding': 'gzip' }), 415, -32600, 'gzip')
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON; charset="UTF-8"',
  ]) {
    t.equal((await post(url, call, { 'content-type': type })).status, 200, type)
  }
})

t.test('a body of 5 MiB is accepted, and one byte more is 413', async (t) => {
  const text = JSON.stringify(call)
  const bytes = 5 * 1024 * 1024
  t.equal((await post(url, text.padEnd(bytes))).status, 200)
  isRefusal(t, await post(url, text.padEnd(bytes + 1)), 413, -32600, 'one byte more')
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, duplex: 'half' }
  const chunked = await fetch(url, { ...init, body: new Blob([text.padEnd(bytes + 1)]).stream() })
  t.equal(chunked.status, 413, 'one byte more, without an announced length')
})

/** Writes an invalid request to a new connection, and reads until it ends. */
async function unreadable(text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(text)
  let answer = ''
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk
  return answer
}

t.test('too many headers: 431; invalid HTTP: 400; the log contains the id of each', async (t) => {
  const flood = `POST /${key} HTTP/1.1\r\nhost: x\r\nx-flood: ${'a'.repeat(20_000)}\r\n\r\n`
  const undecodable = 'POST /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
  for (const [text, status, code] of [
    [flood, 431, -32600],
    ['no HTTP\r\n\r\n', 400, -32600],
    [undecodable, 401, -32016],
  ] as const) {
    const answer = await unreadable(text)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [^]*"code":${code}`))
    const [, id = 'none'] = /^x-request-id: (\S+)\r$/im.exec(answer) ?? []
    t.ok(await service.said('err', new RegExp(`"requestId":"${id}"`)), id)
  }
})

t.test('too many refused keys from one address: 429, -32016, and a valid key still works', async (t) => {
  const flooded = await startService({ isChainless: true })
  t.teardown(() => flooded.stop())
  let refusal = await post(`${flooded.origin}/x`, call)
  for (let sent = 1; refusal.status === 401 && sent < 200; sent++)
    refusal = await post(`${flooded.origin}/x${sent}`, call)
  isRefusal(t, refusal, 429, -32016, 'the flood', call.id)
  t.match(refusal.headers.get('retry-after'), /^\d+$/)
  t.equal((await post(flooded.networks.test.url, call)).status, 200)
})

t.test('health: alive and ready', async (t) => {
  for (const path of ['healthz', 'readyz']) {
    const response = await fetch(`${service.origin}/${path}`)
    t.equal(response.status, 200, path)
    t.match(await response.json(), { status: 'ok' })
  }
})
