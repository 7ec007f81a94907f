import { gzipSync } from 'node:zlib'
import { RpcError } from '@concordat/rpc'
import nodeFetch from 'node-fetch'
import t from 'tap'
import { CallError, isCallError, TransportError } from '../../../../src/runtime/client/index.js'
import { freePort } from '../../../support/free-port.js'
import { type Answer, caught, clientOf, json, key, serve } from './rpc-server.js'

const answered = (members: object): Answer => json({ jsonrpc: '2.0', id: 1, ...members })
const text =
  (body: string, status = 200, type = 'text/html'): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

/** A minimal `fetch` whose response has no stream. */
const textOnly = async (url: string, request: RequestInit) => {
  const answer = await fetch(url, request)
  return { status: answer.status, headers: answer.headers, text: () => answer.text() }
}

t.test('an invalid response is reported with its kind', async (t) => {
  const error = { code: 7, message: 'no' }
  const rows: readonly [
    string,
    Answer,
    { kind: string; httpStatus?: number | undefined; message: RegExp },
  ][] = [
    [
      'a page',
      text('<html>'),
      { kind: 'http', httpStatus: 200, message: /answered HTTP 200 with text\/html/ },
    ],
    ['an HTML page of a proxy', text('<html>', 502), { kind: 'http', httpStatus: 502, message: /HTTP 502/ }],
    ['an empty body', text(''), { kind: 'http', httpStatus: 200, message: /HTTP 200 without a body/ }],
    ['204', text('', 204), { kind: 'http', httpStatus: 204, message: /HTTP 204 without a body/ }],
    [
      'half a body',
      text('{"jsonrpc":"2.0","id":1,"res'),
      { kind: 'http', httpStatus: 200, message: /no JSON-RPC/ },
    ],
    ['JSON of a proxy', json({ error: 'gone' }, 504), { kind: 'http', httpStatus: 504, message: /HTTP 504/ }],
    ['null', text('null'), { kind: 'malformed', httpStatus: 200, message: /: no response object/ }],
    ['a number', text('1'), { kind: 'malformed', message: /: no response object/ }],
    [
      'a list',
      json([{ jsonrpc: '2.0', id: 1, result: 1 }]),
      { kind: 'malformed', message: /: no response object/ },
    ],
    ['an unrelated object', json({ ok: true }), { kind: 'malformed', message: /neither a result/ }],
    [
      'a result with an error status',
      json({ jsonrpc: '2.0', id: 1, result: 1 }, 503),
      { kind: 'http', httpStatus: 503, message: /answered a result with HTTP 503/ },
    ],
    [
      'another version',
      json({ jsonrpc: '1.0', id: 1, result: 1 }),
      { kind: 'malformed', message: /"jsonrpc"/ },
    ],
    ['another id', answered({ id: 2, result: 1 }), { kind: 'malformed', message: /the id 2 instead of 1/ }],
    [
      'the id as a string',
      answered({ id: '1', result: 1 }),
      { kind: 'malformed', message: /the id "1" instead of 1/ },
    ],
    ['no id', json({ jsonrpc: '2.0', result: 1 }), { kind: 'malformed', message: /a result without id/ }],
    [
      'a null id',
      answered({ id: null, result: 1 }),
      { kind: 'malformed', message: /the id null instead of 1/ },
    ],
    ['an error of another call', answered({ id: 2, error }), { kind: 'malformed', message: /the id 2/ }],
    [
      'neither result nor error',
      answered({}),
      { kind: 'malformed', message: /neither a result nor an error/ },
    ],
    ['both', answered({ result: 1, error }), { kind: 'malformed', message: /a result and an error/ }],
    [
      'an error that is a string',
      answered({ error: 'no' }),
      { kind: 'malformed', message: /an error without/ },
    ],
    ['no code', answered({ error: { message: 'no' } }), { kind: 'malformed', message: /an error without/ }],
    [
      'a code that is a string',
      answered({ error: { ...error, code: '7' } }),
      { kind: 'malformed', message: /integer code/ },
    ],
    ['no message', answered({ error: { code: 7 } }), { kind: 'malformed', message: /and a message/ }],
    [
      'a reset',
      (_, response) => void response.socket?.resetAndDestroy(),
      { kind: 'network', message: /no answer from/ },
    ],
    [
      'a connection that breaks within the body',
      (_, response) => {
        response
          .writeHead(200, { 'content-length': 100 })
          .write('{"jsonrpc"', () => response.socket?.destroy())
      },
      { kind: 'network', httpStatus: undefined, message: /no answer from/ },
    ],
  ]
  for (const [name, answer, want] of rows) {
    const { url, origin } = await serve(t, answer)
    const found = await caught(clientOf(url).add(1, 2))
    t.ok(found instanceof TransportError, name)
    t.match(found, { name: 'TransportError', method: 'add', ...want }, name)
    t.match(found, { message: new RegExp(`^add: .*${origin}`) }, name)
    t.notMatch(found, { message: key }, name)
  }
})

t.test('an unreachable server is reported with the cause and advice', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/`
  await t.rejects(clientOf(url).add(1, 2), {
    kind: 'network',
    message: /^add: no answer from http:\/\/127\.0\.0\.1:\d+ \(connect ECONNREFUSED [^)]*\)\. Check that/,
    cause: { message: /^fetch failed$|ECONNREFUSED/ },
  })
  t.match(await caught(clientOf('http://no-such-host.invalid/').add(1, 2)), {
    kind: 'network',
    message: /^add: no answer from http:\/\/no-such-host\.invalid \(getaddrinfo E.*\)\. Check that/,
  })
})

t.test('a server that switches protocols gives no answer', async (t) => {
  const { url } = await serve(t, ({ request: { socket } }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n')
  })
  t.match(await caught(clientOf(url).add(1, 2)), { kind: 'network', method: 'add' })
})

t.test('every result is returned, null and false included', async (t) => {
  for (const result of [null, false, 0, '', [], {}, { __proto__: null, constructor: 1 }]) {
    const { url } = await serve(t, answered({ result }))
    t.same(await clientOf(url).add(1, 2), result)
  }
})

t.test('an answer of twenty megabytes is returned completely', async (t) => {
  const result = 'x'.repeat(20_000_000)
  const { url } = await serve(t, answered({ result }))
  t.ok((await clientOf(url).add(1, 2)) === result)
})

t.test(
  'an answer beyond maxAnswerBytes is cancelled, and one of exactly that size is accepted',
  async (t) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'é'.repeat(500) })
    const size = Buffer.byteLength(body)
    const forms: Readonly<Record<string, Answer>> = {
      announced: (_, response) => void response.writeHead(200, { 'content-length': size }).end(body),
      chunked: (_, response) => {
        response.write(body.slice(0, 100))
        response.end(body.slice(100))
      },
      compressed: (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body)),
    }
    for (const [form, answer] of Object.entries(forms)) {
      for (const [name, fetch] of Object.entries({ global: undefined, nodeFetch, textOnly })) {
        const { url } = await serve(t, answer)
        const fits = clientOf(url, { fetch, maxAnswerBytes: size })
        t.equal(await fits.add(1), 'é'.repeat(500), `${form}, ${name}`)
        const tight = clientOf(url, { fetch, maxAnswerBytes: size - 1 })
        const want = {
          kind: 'malformed',
          message: `more than ${size - 1} bytes. Request less data, or increase maxAnswerBytes.`,
        }
        t.match(await caught(tight.add(1)), want, `${form}, ${name}, one byte more`)
      }
    }
  },
)

t.test('an endless answer is cut off at the limit, and its connection is closed', async (t) => {
  const { url, all } = await serve(t, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  t.match(await caught(clientOf(url, { maxAnswerBytes: 1_000_000 }).add(1)), { kind: 'malformed' })
  const socket = all[0]?.request.socket
  if (socket && !socket.closed) await new Promise((resolve) => socket.on('close', resolve))
  t.ok(socket?.destroyed)
})

t.test('an invalid maxAnswerBytes is refused', async (t) => {
  for (const maxAnswerBytes of [0, -1, Number.NaN, '5', null]) {
    t.throws(() => clientOf('http://127.0.0.1/', { maxAnswerBytes }), { name: 'RangeError' })
  }
})

t.test('invalid UTF-8 makes an answer malformed', async (t) => {
  const start = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"')
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
    const { url } = await serve(
      t,
      (_, response) => void response.end(Buffer.concat([start, Buffer.from(bytes), Buffer.from('"}')])),
    )
    for (const fetch of [undefined, nodeFetch]) {
      t.match(await caught(clientOf(url, { fetch }).add(1)), { kind: 'malformed', message: 'not UTF-8' })
    }
  }
})

t.test('a character that is split between two chunks, and a byte order mark, are decoded', async (t) => {
  const body = Buffer.from('\u{feff}{"jsonrpc":"2.0","id":1,"result":"€"}')
  const cut = body.indexOf(0xe2) + 1
  const { url } = await serve(t, (_, response) => {
    response.write(body.subarray(0, cut), () => setImmediate(() => response.end(body.subarray(cut))))
  })
  for (const fetch of [undefined, nodeFetch]) t.equal(await clientOf(url, { fetch }).add(1), '€')
})

t.test('an error answer has its name, code, data, status and method', async (t) => {
  const rows: readonly [string, object, number, object][] = [
    [
      'of the call',
      { id: 1, error: { code: 7, message: 'no', data: { a: 1 } } },
      200,
      { error: 'refused', data: { a: 1 } },
    ],
    [
      'of the request, whose id is null',
      { id: null, error: { code: 7, message: 'no' } },
      401,
      { error: 'refused' },
    ],
    ['without id', { id: undefined, error: { code: 7, message: 'no' } }, 429, { error: 'refused' }],
    [
      'not in the contract',
      { id: 1, error: { code: -1, message: 'no' } },
      200,
      { error: undefined, code: -1 },
    ],
    ['data null', { id: 1, error: { code: 7, message: 'no', data: null } }, 200, { data: null }],
  ]
  for (const [name, members, status, want] of rows) {
    const { url } = await serve(t, json({ jsonrpc: '2.0', ...members }, status))
    const found = await caught(clientOf(url).add(1, 2))
    t.ok(found instanceof CallError && found instanceof RpcError && isCallError(found), name)
    t.match(
      found,
      { name: 'RpcError', message: 'no', httpStatus: status, method: 'add', code: 7, ...want },
      name,
    )
  }
})

t.test('of two errors with one code, the name is that of the one that the method declares', async (t) => {
  const { url } = await serve(t, ({ sent }, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, error: { code: 8, message: 'no' } })),
  )
  t.match(await caught(clientOf(url).either(1, 2)), { error: 'late' })
  t.match(await caught(clientOf(url).add(1, 2)), { error: 'early' })
})

t.test('Retry-After is read as seconds and as a date, from errors and pages', async (t) => {
  const refused = { jsonrpc: '2.0', id: null, error: { code: 7, message: 'wait' } }
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  const seconds = async (header: string, body: unknown = refused) => {
    const { url } = await serve(t, json(body, 503, { 'retry-after': header }))
    const { retryAfterSeconds } = (await caught(clientOf(url).add(1, 2))) as CallError | TransportError
    return retryAfterSeconds
  }
  t.equal(await seconds('5'), 5)
  t.equal(await seconds('0'), 0)
  t.equal(await seconds('5', 'busy'), 5)
  t.equal(await seconds('Wed, 21 Oct 2015 07:28:00 GMT'), 0)
  t.equal(await seconds('soon'), undefined)
  const hour = (await seconds(inAnHour)) ?? 0
  t.ok(hour > 0 && hour <= 3_600, `${hour} s`)
})
