import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Exchange } from '../../../../src/judge/send/exchange.js'
import { freePort } from '../../../support/free-port.js'
import { callOf, testSender } from './requests.js'
import { httpServer, tcpServer } from './servers.js'

const key = 'abcdefghijklmnopqrstuvwxyz1234-T'

/** The kind of failure of an exchange. Checks that its message is a sentence without the key. */
function troubleOf(t: Test, { trouble, reply }: Exchange): string | undefined {
  if (trouble === undefined) return undefined
  t.equal(reply, undefined)
  t.match(trouble.message, /^\S.*\.$/)
  t.notMatch(trouble.message, key)
  return trouble.kind
}

t.test('a reply is returned complete: status, headers, bytes and text', async (t) => {
  const origin = await httpServer(t, (request, response) => {
    response.setHeader('X-Twice', ['a', 'b'])
    response.setHeader('Set-Cookie', ['c=1', 'd=2'])
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      response.statusCode = 418
      response.end(
        JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }),
      )
    })
  })
  const sender = testSender(t, { headers: { 'X-Mine': 'option', 'X-Other': 'option' } })
  const outgoing = callOf(`${origin}/${key}?a=b`, { headers: { 'x-mine': 'step', 'content-type': 'text/x' } })
  const { reply, trouble, outgoing: sent } = await sender.send(outgoing)
  t.equal(trouble, undefined)
  t.equal(sent, outgoing)
  t.equal(reply?.status, 418)
  t.equal(reply?.headers['x-twice'], 'a, b')
  t.equal(reply?.headers['set-cookie'], 'c=1, d=2')
  t.equal(Buffer.from(reply?.bytes ?? []).toString(), reply?.text)
  const seen = JSON.parse(reply?.text ?? '')
  t.match(seen, { method: 'POST', url: `/${key}?a=b`, body: Buffer.from(outgoing.body ?? []).toString() })
  t.match(seen.headers, { 'x-mine': 'step', 'x-other': 'option', 'content-type': 'text/x' })
  t.match(seen.headers, { 'user-agent': 'concordat-conform', 'accept-encoding': 'identity' })
  t.equal(seen.headers['content-length'], String(outgoing.body?.length))
})

t.test('an omitted content type stays absent, and GET, HEAD and OPTIONS have no body', async (t) => {
  const seen: unknown[] = []
  const origin = await httpServer(t, (request, response) => {
    seen.push([request.method, request.headers['content-type'], request.headers['content-length']])
    response.end(request.method === 'HEAD' ? undefined : 'x')
  })
  const sender = testSender(t)
  for (const verb of ['POST', 'PUT', 'GET', 'HEAD', 'OPTIONS', 'get']) {
    const { reply } = await sender.send(
      callOf(origin, { verb, headers: {}, body: Buffer.from('{}'), methods: [] }),
    )
    t.equal(reply?.status, 200, verb)
    t.equal(reply?.text, verb === 'HEAD' ? '' : 'x')
  }
  await sender.send(callOf(origin, { headers: {}, body: undefined }))
  t.same(seen, [
    ['POST', undefined, '2'],
    ['PUT', undefined, '2'],
    ['GET', undefined, undefined],
    ['HEAD', undefined, undefined],
    ['OPTIONS', undefined, undefined],
    ['GET', undefined, undefined],
    ['POST', undefined, '0'],
  ])
})

t.test('user info of the URL becomes Basic authorization, unless the request has its own', async (t) => {
  const origin = await httpServer(t, (request, response) => response.end(request.headers.authorization))
  const url = origin.replace('//', '//us%40er:p%C3%A4ss@')
  const sender = testSender(t)
  const expected = `Basic ${Buffer.from('us@er:päss').toString('base64')}`
  t.equal((await sender.send(callOf(url))).reply?.text, expected)
  t.equal(
    (await sender.send(callOf(url, { headers: { Authorization: 'Bearer x' } }))).reply?.text,
    'Bearer x',
  )
  t.equal((await sender.send(callOf(origin))).reply?.text, '')
})

t.test('a redirect is returned like any other reply', async (t) => {
  const origin = await httpServer(t, (_request, response) => {
    response.writeHead(307, { location: 'http://elsewhere.invalid/' }).end('moved')
  })
  const { reply } = await testSender(t).send(callOf(origin))
  t.match(reply, { status: 307, text: 'moved', headers: { location: 'http://elsewhere.invalid/' } })
})

t.test('HTML, empty bodies and invalid UTF-8 are replies', async (t) => {
  const bodies = ['<html>no</html>', '', Buffer.from([0x22, 0xff, 0x22]), Buffer.from('\ufeff{}')]
  const origin = await httpServer(t, (request, response) =>
    response.end(bodies[Number(request.url?.slice(1))]),
  )
  const sender = testSender(t)
  const texts = []
  for (const index of bodies.keys()) texts.push((await sender.send(callOf(`${origin}/${index}`))).reply?.text)
  t.same(texts, ['<html>no</html>', '', undefined, '\ufeff{}'])
})

t.test('compressed replies are decompressed, whether requested or not', async (t) => {
  const bodies: Record<string, Buffer> = {
    gzip: gzipSync('{"a":1}'),
    deflate: deflateSync('{"a":1}'),
    Deflate: deflateRawSync('{"a":1}'),
    br: brotliCompressSync('{"a":1}'),
    'gzip, br': brotliCompressSync(gzipSync('{"a":1}')),
    identity: Buffer.from('{"a":1}'),
  }
  const origin = await httpServer(t, (request, response) => {
    const coding = decodeURIComponent(request.url?.slice(1) ?? '')
    response.setHeader('content-encoding', coding).end(bodies[coding])
  })
  const sender = testSender(t)
  for (const coding of Object.keys(bodies)) {
    const { reply } = await sender.send(callOf(`${origin}/${encodeURIComponent(coding)}`))
    t.equal(reply?.text, '{"a":1}', coding)
    t.equal(reply?.headers['content-encoding'], coding)
  }
})

t.test('a body that does not match its content encoding is a failure', async (t) => {
  const bodies: Record<string, string | Buffer> = {
    gzip: '{"a":1}',
    'x-gzip': gzipSync('{"a":1}').subarray(0, -3),
    br: 'plain',
    zstd: '{"a":1}',
    'gzip, gzip, gzip, gzip': 'x',
  }
  const origin = await httpServer(t, (request, response) => {
    const coding = decodeURIComponent(request.url?.slice(1) ?? '')
    response.setHeader('content-encoding', coding).end(bodies[coding])
  })
  const sender = testSender(t)
  for (const coding of Object.keys(bodies)) {
    const exchange = await sender.send(callOf(`${origin}/${encodeURIComponent(coding)}`))
    t.equal(troubleOf(t, exchange), 'bad-encoding', coding)
  }
})

t.test('a reply that is too large is cancelled: declared, streamed, endless or inside gzip', async (t) => {
  const endings: string[] = []
  const origin = await httpServer(t, (request, response) => {
    response.on('close', () => endings.push(request.url ?? ''))
    if (request.url === '/claim') response.writeHead(200, { 'content-length': 2 ** 30 }).write('x')
    if (request.url === '/exact') response.end(Buffer.alloc(65_536))
    if (request.url === '/one-more') response.end(Buffer.alloc(65_537))
    if (request.url === '/bomb')
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(2 ** 24)))
    if (request.url === '/endless') {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(8192))) {}
      }
      response.on('drain', more)
      more()
    }
  })
  const sender = testSender(t, { maximumBytes: 65_536 })
  for (const path of ['/claim', '/one-more', '/bomb', '/endless']) {
    const exchange = await sender.send(callOf(`${origin}${path}`))
    t.equal(troubleOf(t, exchange), 'too-large', path)
    t.match(exchange.trouble?.message, '65536 bytes')
  }
  t.equal((await sender.send(callOf(`${origin}/exact`))).reply?.bytes.length, 65_536)
})

t.test('endless headers are too large', async (t) => {
  const origin = await tcpServer(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
  )
  t.equal(troubleOf(t, await testSender(t).send(callOf(origin))), 'too-large')
})

t.test('an endless reply ends with the timeout', async (t) => {
  const starts: Record<string, string> = {
    '/silent': '',
    '/half-head': 'HTTP/1.1 200 OK\r\ncontent-le',
    '/half-body': 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345',
    '/chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n',
    '/continue': 'HTTP/1.1 100 Continue\r\n\r\n',
  }
  const origin = await tcpServer(t, (socket, text) => socket.write(starts[text.split(' ')[1] ?? ''] ?? ''))
  const sender = testSender(t, { timeoutMilliseconds: 100 })
  for (const path of Object.keys(starts)) {
    const exchange = await sender.send(callOf(`${origin}${path}`))
    t.equal(troubleOf(t, exchange), 'timeout', path)
    t.match(exchange.trouble?.message, '0.1 s')
  }
})

t.test('a body that trickles forever ends with the timeout', async (t) => {
  const origin = await httpServer(t, (_request, response) => {
    const timer = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(timer))
  })
  t.equal(troubleOf(t, await testSender(t, { timeoutMilliseconds: 100 }).send(callOf(origin))), 'timeout')
})

t.test('a broken connection is a reset at every stage', async (t) => {
  const starts: Record<string, string> = {
    '/at-once': '',
    '/half-head': 'HTTP/1.1 200 OK\r\ncontent-le',
    '/half-body': 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345',
    '/chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n',
    '/half-chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12',
  }
  for (const way of ['end', 'resetAndDestroy'] as const) {
    const origin = await tcpServer(t, (socket, text) => {
      const start = starts[text.split(' ')[1] ?? ''] ?? ''
      if (start === '') socket[way]()
      else socket.write(start, () => socket[way]())
    })
    const sender = testSender(t)
    for (const path of Object.keys(starts)) {
      t.equal(troubleOf(t, await sender.send(callOf(`${origin}${path}`))), 'reset', `${way} ${path}`)
    }
  }
})

t.test('a reply that ends in small packets is complete, with and without trailers', async (t) => {
  const endings: Record<string, readonly string[]> = {
    '/split': ['0', '\r\n\r\n'],
    '/letters': ['0', '\r', '\n', '\r', '\n'],
    '/trailer': ['0\r\nx: y\r\n', '\r\n'],
    '/together': ['0\r\n\r\n'],
  }
  const origin = await tcpServer(t, async (socket, text) => {
    socket.setNoDelay(true)
    const write = (part: string) => new Promise((resolve) => socket.write(part, resolve))
    await write('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n')
    for (const part of endings[text.split(' ')[1] ?? ''] ?? []) await write(part)
    socket.end()
  })
  const sender = testSender(t)
  for (const path of Object.keys(endings)) {
    for (let round = 0; round < 20; round++) {
      const { reply, trouble } = await sender.send(callOf(`${origin}${path}`))
      t.equal(reply?.text, '{}', `${path} ${trouble?.message}`)
    }
  }
})

t.test('a wrong content-length is reported', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n'
  const answers: Record<string, string> = {
    '/short': `${head}content-length: 3\r\n\r\n`,
    '/two': `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`,
    '/word': `${head}content-length: many\r\n\r\n{}`,
  }
  const origin = await tcpServer(t, (socket, text) => socket.end(answers[text.split(' ')[1] ?? ''] ?? ''))
  const sender = testSender(t)
  t.equal(troubleOf(t, await sender.send(callOf(`${origin}/short`))), 'reset')
  t.equal(troubleOf(t, await sender.send(callOf(`${origin}/two`))), 'other')
  t.equal(troubleOf(t, await sender.send(callOf(`${origin}/word`))), 'other')
})

t.test('invalid HTTP, an early end and a missing server are distinguished', async (t) => {
  const rubbish = await tcpServer(t, (socket) => socket.end('SSH-2.0-hello\r\n'))
  const sender = testSender(t)
  const noHttp = await sender.send(callOf(`${rubbish}/${key}`))
  t.equal(troubleOf(t, noHttp), 'other')
  t.match(noHttp.trouble?.message, 'is not HTTP')
  const nobody = await sender.send(callOf(`http://127.0.0.1:${await freePort()}/${key}`))
  t.equal(troubleOf(t, nobody), 'unreachable')
  t.match(nobody.trouble?.message, /^127\.0\.0\.1:\d+ cannot be reached: nothing listens on that port/)
  const noName = await sender.send(callOf(`http://no-such-host.invalid/${key}`))
  t.equal(troubleOf(t, noName), 'unreachable')
  const plain = await httpServer(t, (_request, response) => response.end())
  const noTls = await sender.send(callOf(`${plain.replace('http:', 'https:')}/${key}`))
  t.equal(troubleOf(t, noTls), 'unreachable')
})

t.test('a request that violates HTTP is a failure without an exception', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end())
  const sender = testSender(t)
  const outgoing = callOf(`${origin}/${key}`)
  for (const change of [
    { headers: { 'x y': 'z' } },
    { headers: { x: 'a\nb' } },
    { headers: { x: '\u{1f511}' } },
    { verb: 'NO VERB' },
    { url: `ftp://host/${key}` },
    { url: `no url ${key}` },
  ]) {
    t.equal(troubleOf(t, await sender.send({ ...outgoing, ...change })), 'other', JSON.stringify(change))
  }
})

t.test('IPv6 loopback is reachable', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end('six'), '::1')
  const sender = testSender(t)
  t.equal((await sender.send(callOf(`${origin}/${key}`))).reply?.text, 'six')
})

t.test('connections are reused, and limited by the concurrency', async (t) => {
  const sockets = new Set<unknown>()
  const origin = await httpServer(t, (request, response) => {
    sockets.add(request.socket)
    response.end('{}')
  })
  const sender = testSender(t, { concurrency: 3 })
  await Promise.all(Array.from({ length: 60 }, () => sender.send(callOf(origin))))
  t.ok(sockets.size <= 3, `${sockets.size} connections`)
})

t.test('a read is retried when the server closes a kept-alive connection', async (t) => {
  let requests = 0
  const origin = await tcpServer(t, (socket) => {
    requests++
    // The second request on a connection finds it closed, as after an idle timeout.
    if (socket.bytesWritten > 0) socket.destroy()
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
  })
  const sender = testSender(t, { budget: 3 })
  t.equal((await sender.send(callOf(origin))).reply?.text, '{}')
  t.equal((await sender.send(callOf(origin))).reply?.text, '{}')
  t.equal(requests, 3)
  t.match(sender.counts(), { http: 3, billed: 3 })
  const writer = testSender(t, { allow: new Set(['write']) })
  t.equal((await writer.send(callOf(origin, { method: 'things_put' }))).reply?.text, '{}')
  t.equal(
    troubleOf(t, await writer.send(callOf(origin, { method: 'things_put' }))),
    'reset',
    'a write is not retried',
  )
  t.match(writer.counts(), { http: 2, writes: 2 })
})

t.test('a protocol switch is a reply without a body', async (t) => {
  const answer = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nfrom now on x'
  const origin = await tcpServer(t, (socket, text) =>
    socket.write(text.startsWith('CONNECT') ? 'HTTP/1.1 200 OK\r\nx: y\r\n\r\n' : answer),
  )
  const sender = testSender(t)
  const upgrade = callOf(origin, { verb: 'GET', headers: { connection: 'Upgrade', upgrade: 'websocket' } })
  t.match((await sender.send(upgrade)).reply, { status: 101, headers: { upgrade: 'x' }, text: '' })
  t.match((await sender.send(callOf(origin))).reply, { status: 101 })
  t.match((await sender.send(callOf(origin, { verb: 'CONNECT' }))).reply, {
    status: 200,
    headers: { x: 'y' },
  })
})

t.test('invalid HTTP on a kept-alive connection is a failure of the reply', async (t) => {
  const origin = await tcpServer(t, (socket) =>
    socket.write(
      socket.bytesWritten > 0 ? 'rubbish\r\n\r\n' : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    ),
  )
  const sender = testSender(t)
  t.equal((await sender.send(callOf(origin))).reply?.text, '{}')
  t.equal(troubleOf(t, await sender.send(callOf(origin))), 'other')
})

t.test('an early reply to a large body is the reply', async (t) => {
  const origin = await httpServer(t, (_request, response) => {
    response.writeHead(413, { connection: 'close' }).end('too large')
  })
  const body = Buffer.alloc(6 * 1024 * 1024, 'x')
  const { reply, trouble } = await testSender(t).send(
    callOf(origin, { body, methods: undefined, builtIn: true }),
  )
  t.equal(reply?.status, 413, trouble?.message ?? 'an answer')
})

t.test('closing cancels pending requests', async (t) => {
  const sender = testSender(t)
  const origin = await httpServer(t, () => sender.close())
  t.equal(troubleOf(t, await sender.send(callOf(origin))), 'other')
  t.equal(troubleOf(t, await sender.send(callOf(origin))), 'other')
  t.equal(sender.counts().http, 1)
})

t.test('a server that replies and closes during a large body ends only that exchange', async (t) => {
  const origin = await tcpServer(t, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\n{}', () =>
        socket.resetAndDestroy(),
      )
    })
  })
  const sender = testSender(t)
  const body = Buffer.alloc(12 * 1024 * 1024, 'x')
  for (let round = 0; round < 6; round++) {
    const { reply, trouble } = await sender.send({ ...callOf(`${origin}/x`), body })
    if (reply) t.equal(reply.status, 413)
    else t.equal(trouble?.kind, 'reset')
  }
})

t.test('https to a plain HTTP service suggests a URL with http', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end('{}'))
  const exchange = await testSender(t).send(callOf(`${origin.replace('http:', 'https:')}/${key}`))
  t.equal(troubleOf(t, exchange), 'unreachable')
  t.match(exchange.trouble?.message, /\((?:EPROTO|ERR_SSL_\w+)\): .* begin the URL with http:\/\/\.$/)
})
