import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import type { Fault } from '../../../../src/judge/index.js'
import { startFaultingProxy } from '../../../../src/judge/selftest/faulting-proxy.js'
import { rawClient } from '../../../service/server/server-harness.js'
import { call, post } from '../../../support/service.js'
import { sharedService } from '../../../support/shared-service.js'

const service = await sharedService()
const path = new URL(service.networks.test.url).pathname

/** Parses every exchange and changes nothing. */
const idle: Fault = {
  name: 'idle',
  rule: 'none',
  description: 'Nothing is changed.',
  begin: () => ({
    request: (request) => request,
    call: (call) => call,
    answer: (answer) => answer,
    reply: (reply) => reply,
  }),
}

/** Replaces every call and every response by an equal copy, so that all of them are written again. */
const rewriting: Fault = {
  ...idle,
  name: 'rewriting',
  begin: () => ({
    call: (call) => ({ ...call }),
    answer: (answer) => ({ ...answer }),
  }),
}

async function proxyWith(fault: Fault | undefined) {
  const proxy = await startFaultingProxy({ target: service.origin, fault })
  t.teardown(() => proxy.close())
  return proxy
}

/** A raw request. */
function wire(start: string, headers: readonly string[], body: string | Uint8Array = '') {
  const head = [start, 'Host: service', ...headers, 'Connection: close', '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

const json = 'Content-Type: application/json'

const posting = (body: string | Uint8Array, to = path, headers = [json]) =>
  wire(`POST ${to} HTTP/1.1`, [...headers, `Content-Length: ${Buffer.byteLength(body)}`], body)

const request = (members: string) => `{"jsonrpc":"2.0",${members}}`

/** Kinds of exchanges, named after their special feature. */
const exchanges: Readonly<Record<string, Buffer>> = {
  'a call': posting(request('"id":1,"method":"eth_chainId","params":[]')),
  'a call with spaces and unknown members': posting(
    ` { "more" : {"id": 7}, "jsonrpc":"2.0" , "id" : 1 ,"method":"eth_chainId" }\n`,
  ),
  'an id past 2^53': posting(request('"id":123456789012345678901234567890,"method":"eth_chainId"')),
  'an id with escapes': posting(request('"id":"\\u00e9\\n","method":"eth_chainId"')),
  'no id': posting(request('"method":"eth_chainId"')),
  'a fraction as id': posting(request('"id":1.50,"method":"eth_chainId"')),
  'a member twice': posting(request('"id":5,"id":6,"method":"eth_chainId"')),
  __proto__: posting(request('"id":5,"method":"eth_chainId","__proto__":{"params":[1]}')),
  'an error': posting(request('"id":1,"method":"eth_getBalance","params":["0x12","newest"]')),
  null: posting(request('"id":1,"method":"eth_getBlockByNumber","params":["0xffffffff",false]')),
  'a batch': posting(
    `[${request('"id":"b","method":"eth_chainId"')},7,${request('"id":12345678901234567890,"method":"net_version"')},${request('"id":3,"method":"nope"')},[]]`,
  ),
  'an empty batch': posting('[]'),
  'a batch too large': posting(`[${Array(1_001).fill(request('"id":1,"method":"eth_chainId"')).join()}]`),
  'no JSON': posting('{"jsonrpc":"2.0",'),
  'no UTF-8': posting(Buffer.from([0x22, 0xff, 0x22])),
  'a byte-order mark': posting(`\ufeff${request('"id":1,"method":"eth_chainId"')}`),
  'nested too deeply': posting(`${'['.repeat(70)}${']'.repeat(70)}`),
  'nested far too deeply': posting('['.repeat(100_000)),
  'an empty body': posting(''),
  'no body and no length': wire(`POST ${path} HTTP/1.1`, [json]),
  'a body in chunks': wire(
    `POST ${path} HTTP/1.1`,
    [json, 'Transfer-Encoding: chunked'],
    `10\r\n{"jsonrpc":"2.0"\r\n20\r\n,"id":1,"method":"eth_chainId"}\n\r\n0\r\n\r\n`,
  ),
  'another content type': posting(request('"id":1,"method":"eth_chainId"'), path, [
    'Content-Type: text/plain',
  ]),
  'an encoded body': posting('x', path, [json, 'Content-Encoding: gzip']),
  'a header twice': posting(request('"id":1,"method":"eth_chainId"'), path, [json, 'X-A: 1', 'x-a: 2']),
  'a body over the limit': posting(Buffer.alloc(5_242_881, ' ')),
  'headers over the limit': posting('{}', path, [json, `X-Long: ${'x'.repeat(20_000)}`]),
  'a long path': posting('{}', `/${'x'.repeat(5_000)}`),
  OPTIONS: wire(`OPTIONS ${path} HTTP/1.1`, ['Origin: https://page.example']),
  GET: wire(`GET ${path} HTTP/1.1`, []),
  HEAD: wire(`HEAD ${path} HTTP/1.1`, []),
  'an upgrade': wire(`GET ${path} HTTP/1.1`, ['Upgrade: websocket', 'Connection: upgrade']),
  DELETE: wire(`DELETE ${path} HTTP/1.1`, []),
  'no key': posting('{}', '/'),
  'another form of path': posting(request('"id":1,"method":"eth_chainId"'), `/v2${path}`),
  'a query': posting(request('"id":1,"method":"eth_chainId"'), `${path}?a=%20b`),
  'an unknown key': posting('{}', `/${'A'.repeat(30)}-T`),
  'an unknown path': posting('{}', '/a/b/c/d'),
}

/** The whole reply, without its variable parts. */
async function exchange(origin: string, bytes: Buffer): Promise<string> {
  const { socket, closed } = rawClient(Number(new URL(origin).port))
  socket.write(bytes)
  const { text } = await closed
  return text.replace(/^(Date|X-Request-Id): .*$/gm, '$1: …').replace(/;r=\d+;t=\d+/g, ';r=…;t=…')
}

for (const fault of [undefined, idle]) {
  t.test(
    `every exchange passes byte for byte ${fault ? 'where a fault changes nothing' : 'without a fault'}`,
    async (t) => {
      const proxy = await proxyWith(fault)
      for (const [what, bytes] of Object.entries(exchanges)) {
        const direct = await exchange(service.origin, bytes)
        t.match(direct, /^HTTP\/1.1 \d{3} /, what)
        t.equal(await exchange(proxy.origin, bytes), direct, what)
      }
      t.same(proxy.troubles(), [])
      t.equal(proxy.changes(), 0)
    },
  )
}

t.test('rewritten messages keep the digits of their ids', async (t) => {
  const proxy = await proxyWith(rewriting)
  const bodyOf = (text: string) => text.split('\r\n\r\n')[1]
  for (const [what, bytes] of Object.entries(exchanges)) {
    if (what === 'an id with escapes') continue
    const direct = await exchange(service.origin, bytes)
    t.equal(bodyOf(await exchange(proxy.origin, bytes)), bodyOf(direct), what)
  }
  t.ok(proxy.changes() > 10)
})

t.test('the charges through the proxy match its requests', async (t) => {
  const left = async (origin: string) => {
    const { headers } = await post(`${origin}${path}`, request('"id":1,"method":"eth_chainId"'))
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const proxy = await proxyWith(idle)
  const before = await left(service.origin)
  t.equal(await left(proxy.origin), before - 1)
  t.equal(await left(service.origin), before - 2)
})

t.test('a connection is reused for the next request', async (t) => {
  const proxy = await proxyWith(idle)
  const { socket, until } = rawClient(Number(new URL(proxy.origin).port))
  const body = request('"id":1,"method":"eth_chainId"')
  const keeping = `POST ${path} HTTP/1.1\r\nHost: x\r\n${json}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  socket.write(keeping)
  await until(/"id":1,"result"/)
  socket.write(keeping.replace('"id":1', '"id":2'))
  t.match(await until(/"id":2,"result"/), /Keep-Alive: timeout=\d+/)
  socket.destroy()
})

t.test('a fault changes calls and responses, single and in a batch, with their original ids', async (t) => {
  const fault: Fault = {
    ...idle,
    begin: () => ({
      call: (call) => (call.method === 'net_version' ? { ...call, method: 'eth_chainId' } : call),
      answer: (answer, call) =>
        call.method === 'net_version' ? { ...answer, result: [answer.result ?? null] } : answer,
    }),
  }
  const proxy = await proxyWith(fault)
  const url = `${proxy.origin}${path}`
  const asked = '"id":123456789012345678901,"method":"net_version"'
  const single = await post(url, request(asked))
  t.equal(single.text, '{"jsonrpc":"2.0","id":123456789012345678901,"result":["0x1f"]}')
  t.equal(single.headers.get('content-length'), String(single.text.length))
  const { text } = await post(url, `[1,${request('"id":2,"method":"eth_chainId"')},${request(asked)}]`)
  t.match(text, /^\[{"jsonrpc":"2.0","id":null,"error":{"code":-32600/)
  t.match(text, '{"jsonrpc":"2.0","id":2,"result":"0x1f"}')
  t.match(text, '{"jsonrpc":"2.0","id":123456789012345678901,"result":["0x1f"]}]')
  t.equal(proxy.changes(), 2)
})

t.test('a fault may send further requests, and may replace the whole reply', async (t) => {
  const fault: Fault = {
    ...idle,
    begin: () => ({
      answer: async (answer, _call, ask) => ({ ...answer, result: (await ask('net_version', [])).result }),
      reply: (reply, { verb }) => (verb === 'GET' ? { ...reply, status: 418, reason: 'Teapot' } : reply),
    }),
  }
  const proxy = await proxyWith(fault)
  t.equal(await call(`${proxy.origin}${path}`, 'eth_chainId'), '31')
  t.match(await exchange(proxy.origin, wire(`GET ${path} HTTP/1.1`, [])), /^HTTP\/1.1 418 Teapot\r\n/)
})

t.test('each proxy starts its fault with new state', async (t) => {
  const counting: Fault = {
    ...idle,
    begin: () => {
      let answers = 0
      return { answer: (answer) => ({ ...answer, result: ++answers }) }
    },
  }
  for (const _round of [1, 2]) {
    const proxy = await proxyWith(counting)
    t.equal(await call(`${proxy.origin}${path}`, 'eth_chainId'), 1)
    t.equal(await call(`${proxy.origin}${path}`, 'eth_chainId'), 2)
  }
})

t.test('headers keep their order, case and duplicates in both directions', async (t) => {
  const seen: string[][] = []
  const echo = createServer((incoming, response) => {
    seen.push(incoming.rawHeaders)
    response.sendDate = false
    response.writeHead(200, 'Fine', ['X-One', '1', 'set-cookie', 'a=1', 'x-one', '2', 'Set-Cookie', 'b=2'])
    response.end('x')
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const target = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`
  const proxy = await startFaultingProxy({ target, fault: idle })
  const bytes = posting('{}', '/', ['X-B: 1', 'x-a: 2', 'X-b: 3', 'Cookie: c'])
  const direct = await exchange(target, bytes)
  t.match(direct, /^HTTP\/1.1 200 Fine\r\nX-One: 1\r\nset-cookie: a=1\r\nx-one: 2\r\nSet-Cookie: b=2\r\n/)
  t.equal(await exchange(proxy.origin, bytes), direct)
  t.same(seen[1], seen[0])
  await proxy.close()
  echo.close()
  echo.closeAllConnections()
})

t.test('a reply that the service does not finish stays unfinished for the caller', async (t) => {
  const broken = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('{"jsonrpc"')
    setImmediate(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const target = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
  const proxy = await startFaultingProxy({ target, fault: undefined })
  t.equal(await exchange(proxy.origin, exchanges['a call'] ?? Buffer.of()), '', 'not a single byte')
  t.equal(proxy.troubles().length, 1)
  broken.close()
  await once(broken, 'close')
  t.equal(
    await exchange(proxy.origin, exchanges['a call'] ?? Buffer.of()),
    '',
    'nor one for a stopped service',
  )
  t.equal(proxy.troubles().length, 2)
  await proxy.close()
})

t.test('an exception in a fault is reported and ends the exchange', async (t) => {
  const throwing: Fault = {
    ...idle,
    begin: () => ({
      reply() {
        throw new TypeError('a bug in the fault')
      },
    }),
  }
  const proxy = await proxyWith(throwing)
  t.equal(await exchange(proxy.origin, exchanges['a call'] ?? Buffer.of()), '')
  t.match(proxy.troubles(), [{ message: 'a bug in the fault' }])
})

t.test('a disconnect is not reported', async (t) => {
  const proxy = await startFaultingProxy({ target: service.origin, fault: idle })
  const { socket, closed } = rawClient(Number(new URL(proxy.origin).port))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{`)
  await once(socket, 'connect')
  socket.destroy()
  await closed
  t.equal(await call(`${proxy.origin}${path}`, 'eth_chainId'), '0x1f')
  await proxy.close()
  t.same(proxy.troubles(), [])
})

t.test('closing ends every connection, waiting ones included, and releases the port', async (t) => {
  const proxy = await startFaultingProxy({ target: service.origin, fault: undefined })
  const port = Number(new URL(proxy.origin).port)
  const idling = rawClient(port)
  await once(idling.socket, 'connect')
  const halfway = rawClient(port)
  halfway.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
  await call(`${proxy.origin}${path}`, 'eth_chainId')
  await proxy.close()
  t.equal((await idling.closed).text, '')
  t.equal((await halfway.closed).text, '')
  const late = connect({ port, host: '127.0.0.1' })
  const [refusal] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  t.equal(refusal.code, 'ECONNREFUSED')
})
