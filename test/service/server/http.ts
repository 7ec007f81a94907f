import { type IncomingHttpHeaders, METHODS, request } from 'node:http'
import t from 'tap'
import { call, startKeyed, startOnNode } from './server-harness.js'

for (const [transport, start] of Object.entries({
  'fast lane and Fastify': startKeyed,
  "Node's HTTP": startOnNode,
}))
  t.test(transport, async (t) => {
    const server = await start()
    t.teardown(() => server.app.close())

    interface Sent {
      readonly path?: string
      readonly method?: string
      readonly headers?: Record<string, string>
      readonly body?: string | Buffer | null
    }

    interface Got {
      readonly status: number | undefined
      readonly headers: IncomingHttpHeaders
      readonly text: string
    }

    function send({
      path = '/good',
      method = 'POST',
      headers = {},
      body = call('add', [1, 2]),
    }: Sent): Promise<Got> {
      return new Promise((resolve, reject) => {
        const all = { 'content-type': 'application/json', ...headers }
        const sent = request(server.url + path, { method, headers: all }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => {
            resolve({
              status: response.statusCode,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            })
          })
        })
        sent.on('error', reject)
        sent.end(method === 'POST' ? body : null)
      })
    }

    t.test('requests and their status', async (t) => {
      const cases: {
        name: string
        sent: Sent
        status: number
        code?: number
        more?: Record<string, string>
      }[] = [
        { name: 'a call', sent: {}, status: 200 },
        { name: 'by another path', sent: { path: '/v2/good' }, status: 200 },
        { name: 'a key that is looked up', sent: { path: '/later' }, status: 200 },
        { name: 'with a query string', sent: { path: '/good?key=x&y' }, status: 200 },
        {
          name: 'charset in capitals',
          sent: { headers: { 'content-type': 'application/json; charset=UTF-8' } },
          status: 200,
        },
        { name: 'h2c offered', sent: { headers: { upgrade: 'h2c', connection: 'upgrade' } }, status: 200 },
        { name: 'accept is ignored', sent: { headers: { accept: 'text/html' } }, status: 200 },
        { name: 'a batch', sent: { body: `[${call('add', [1, 2])},1]` }, status: 200 },
        { name: 'an error of a call', sent: { body: call('none', []) }, status: 200, code: -32601 },
        { name: 'a failed handler', sent: { body: call('odd', ['throws']) }, status: 500, code: -32603 },
        {
          name: 'a status of the contract',
          sent: { body: call('divide', [1, 0]) },
          status: 409,
          code: -32010,
          more: { 'retry-after': '3' },
        },
        { name: 'no JSON', sent: { body: '{' }, status: 400, code: -32700 },
        { name: 'an empty body', sent: { body: '' }, status: 400, code: -32700 },
        { name: 'no body', sent: { body: null }, status: 400, code: -32700 },
        { name: 'no UTF-8', sent: { body: Buffer.from([0x22, 0xff, 0x22]) }, status: 400, code: -32700 },
        { name: 'no request', sent: { body: '7' }, status: 400, code: -32600 },
        { name: 'too deep', sent: { body: '['.repeat(65) }, status: 400, code: -32600 },
        {
          name: 'a batch too large',
          sent: { body: `[${Array(101).fill(1).join()}]` },
          status: 413,
          code: -32600,
        },
        { name: 'text', sent: { headers: { 'content-type': 'text/plain' } }, status: 415, code: -32600 },
        {
          name: 'a form',
          sent: { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
          status: 415,
          code: -32600,
        },
        {
          name: 'another charset',
          sent: { headers: { 'content-type': 'application/json; charset=latin1' } },
          status: 415,
          code: -32600,
        },
        {
          name: 'no content type at all',
          sent: { headers: { 'content-type': '' } },
          status: 415,
          code: -32600,
        },
        { name: 'compressed', sent: { headers: { 'content-encoding': 'gzip' } }, status: 415, code: -32600 },
        {
          name: 'an upgrade',
          sent: { headers: { upgrade: 'websocket', connection: 'upgrade' } },
          status: 405,
          code: -32600,
          more: { allow: 'POST, OPTIONS' },
        },
        {
          name: 'a refused key',
          sent: { path: '/bad' },
          status: 401,
          code: -32016,
          more: { 'retry-after': '4' },
        },
        {
          name: 'a key refused later',
          sent: { path: '/refusedLater' },
          status: 401,
          code: -32016,
          more: { 'retry-after': '4' },
        },
        { name: 'a very long key', sent: { path: `/${'k'.repeat(5_000)}` }, status: 401, code: -32016 },
        { name: 'an encoded key', sent: { path: '/%67ood' }, status: 200 },
        { name: 'a key that cannot be decoded', sent: { path: '/%zz' }, status: 404, code: -32600 },
        { name: 'a bug in front of the body', sent: { path: '/broken' }, status: 500, code: -32603 },
        {
          name: 'a refused key, whatever the body',
          sent: { path: '/bad', body: '{', headers: { 'content-type': 'x/y' } },
          status: 401,
          code: -32016,
        },
        { name: 'no key', sent: { path: '/' }, status: 404, code: -32600 },
        { name: 'no key, by another path', sent: { path: '/v2/' }, status: 404, code: -32600 },
        { name: 'an unknown path', sent: { path: '/a/b/c' }, status: 404, code: -32600 },
      ]
      for (const { name, sent, status, code, more = {} } of cases) {
        const answer = await send(sent)
        t.equal(answer.status, status, `${name}: status`)
        t.match(
          answer.headers,
          { 'content-type': 'application/json', 'access-control-allow-origin': '*', ...more },
          name,
        )
        t.equal(
          answer.headers['access-control-expose-headers'],
          'RateLimit, RateLimit-Policy, Retry-After',
          name,
        )
        const body = JSON.parse(answer.text)
        if (code === undefined) t.notOk(body.error, `${name}: no error`)
        else t.equal(body.error?.code, code, `${name}: code`)
        const owed = (sent.path ?? '/good').includes('good') && answer.status !== 405
        t.equal(
          answer.headers['ratelimit'],
          owed ? '"daily";r=9;t=60' : answer.headers['ratelimit'],
          `${name}: RateLimit`,
        )
        t.notMatch(answer.text, /stack|\.ts|node_modules|a bug/, `${name}: no internal details`)
      }
    })

    t.test('every other verb is refused with the allowed ones', async (t) => {
      const verbs = METHODS.filter((verb) => !['POST', 'OPTIONS', 'CONNECT'].includes(verb))
      for (const method of verbs) {
        for (const path of ['/good', '/bad', '/v2/good']) {
          const answer = await send({ method, path })
          t.match(
            answer,
            { status: 405, headers: { allow: 'POST, OPTIONS', 'access-control-allow-origin': '*' } },
            `${method} ${path}`,
          )
          if (method !== 'HEAD') t.equal(JSON.parse(answer.text).error.code, -32600)
        }
      }
    })

    t.test('OPTIONS skips every check', async (t) => {
      for (const path of ['/good', '/bad', '/', '/a/b/c', '/v2/bad']) {
        const { status, headers, text } = await send({ method: 'OPTIONS', path })
        t.equal(status, 204, path)
        t.equal(text, '')
        t.match(headers, {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'POST, OPTIONS',
          'access-control-allow-headers': 'content-type, accept, authorization, *',
          'access-control-max-age': '7200',
        })
        t.notHas(headers, 'access-control-allow-credentials')
      }
    })

    t.test('both sides of the body’s limit', async (t) => {
      const limit = 5_242_880
      const empty = call('echo', [''])
      const exact = call('echo', ['x'.repeat(limit - empty.length)])
      t.equal(exact.length, limit)
      const passes = await send({ body: exact })
      t.equal(passes.status, 200)
      t.equal(JSON.parse(passes.text).result.length, limit - empty.length, '5,242,880 bytes are accepted')
      const fails = await send({ body: `${exact} ` })
      t.equal(fails.status, 413, 'one more is refused')
      t.match(JSON.parse(fails.text), { id: null, error: { code: -32600 } })
      t.equal(fails.headers['ratelimit'], '"daily";r=9;t=60')
    })

    t.test('a notification has no body', async (t) => {
      const loose = await start({ envelope: { idRequired: false } })
      t.teardown(() => loose.app.close())
      const response = await fetch(`${loose.url}/good`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","method":"note","params":["x"]}',
      })
      t.equal(response.status, 204)
      t.equal(await response.text(), '')
      t.equal(response.headers.get('access-control-allow-origin'), '*')
    })

    t.test('an exception before the body is reported', async (t) => {
      const [report] = server.reports.filter(({ method }) => method === undefined)
      t.match(report, { kind: 'handlerFailed', cause: new TypeError('a bug') })
    })
  })
