import { once } from 'node:events'
import t from 'tap'
import { until } from '../../support/until.js'
import { call, post, postHead, rawClient, startKeyed, startOnNode } from './server-harness.js'

for (const [transport, start] of Object.entries({
  'fast lane and Fastify': startKeyed,
  "Node's HTTP": startOnNode,
}))
  t.test(transport, async (t) => {
    const server = await start()
    /** A server with a short request timeout. */
    const hasty = await start({ limits: { requestTimeoutSeconds: 0.4 } })
    t.teardown(() => Promise.all([server.app.close(), hasty.app.close()]))
    const client = () => rawClient(server.port)
    const clientInHaste = () => rawClient(hasty.port)

    const BODY = call('add', [1, 2])
    const GOOD = /"id":1,"result":3}/

    /** Splits the received text of a connection into status, headers and body of its only answer. */
    function answer(text: string) {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const [statusLine = '', ...lines] = head.toLowerCase().split('\r\n')
      return { status: Number(statusLine.split(' ')[1]), headers: lines, body: JSON.parse(body) }
    }

    function isJsonRpcError(
      t: Pick<typeof import('tap').t, 'equal' | 'ok' | 'match'>,
      text: string,
      status: number,
      code = -32600,
    ): void {
      const { headers, body, ...got } = answer(text)
      t.equal(got.status, status, 'status')
      t.ok(headers.includes('content-type: application/json'), 'content type')
      t.ok(headers.includes('access-control-allow-origin: *'), 'CORS')
      t.match(body, { jsonrpc: '2.0', id: null, error: { code } })
    }

    t.test('a body that does not arrive in time is answered with 408', async (t) => {
      const { socket, closed } = clientInHaste()
      socket.write(postHead('/good', { 'content-length': 100 }) + BODY.slice(0, 10))
      isJsonRpcError(t, (await closed).text, 408)
    })

    t.test('a body that arrives byte by byte, but too slowly, is answered with 408', async (t) => {
      const { socket, closed } = clientInHaste()
      socket.write(postHead('/good', { 'transfer-encoding': 'chunked' }))
      const drip = setInterval(() => socket.write('1\r\n \r\n'), 20)
      const { text } = await closed
      clearInterval(drip)
      isJsonRpcError(t, text, 408)
    })

    t.test('headers that do not arrive in time are answered with 408', async (t) => {
      const { socket, closed } = clientInHaste()
      socket.write('POST /good HTTP/1.1\r\nhost: x\r\n')
      isJsonRpcError(t, (await closed).text, 408)
    })

    t.test('a handler may take longer than a body', async (t) => {
      const slow = await start({
        limits: { requestTimeoutSeconds: 1 },
        call: () => new Promise((resolve) => setTimeout(() => resolve(3), 2_000)),
      })
      t.teardown(() => slow.app.close())
      const { socket, until } = rawClient(slow.port)
      socket.write(post('/good', BODY))
      t.match(await until(GOOD), /^HTTP\/1.1 200/)
      socket.destroy()
    })

    t.test('both sides of the headers’ limit', async (t) => {
      const limit = server.limits.headerBytes
      t.equal(limit, 16_384)
      const headOf = (filler: number) => post('/good', BODY, { x: 'y'.repeat(filler) })
      // Node.js counts the path and the names and values of headers, without punctuation.
      const counted = [
        '/good',
        'host',
        'localhost',
        'content-type',
        'application/json',
        'content-length',
        '52',
        'x',
      ].join('').length
      const passes = client()
      passes.socket.write(headOf(limit - counted - 1))
      t.match(await passes.until(GOOD), /^HTTP\/1.1 200/, 'one byte less is accepted')
      passes.socket.destroy()
      const fails = client()
      fails.socket.write(headOf(limit - counted))
      isJsonRpcError(t, (await fails.closed).text, 431)
    })

    t.test('too many header bytes are answered with 431, and the connection ends cleanly', async (t) => {
      const { socket, closed } = client()
      socket.write('POST /good HTTP/1.1\r\nhost: x\r\n')
      for (let sent = 0; sent < 200; sent++) socket.write(`h${sent}: ${'v'.repeat(1_000)}\r\n`)
      const { text, error } = await closed
      isJsonRpcError(t, text, 431)
      t.equal(error, undefined)
    })

    /** This many short headers, including those of every request. */
    function headersOf(count: number): Record<string, string> {
      const others = ['host', 'content-type', 'content-length'].length
      return Object.fromEntries(Array.from({ length: count - others }, (_, n) => [n.toString(36), 'x']))
    }

    for (const [way, more] of [
      ['in the plain form', {}],
      ['in another form', { connection: 'x' }],
    ] as const)
      t.test(`both sides of the number of headers, ${way}`, async (t) => {
        const most = server.limits.headerCount
        const headOf = (count: number) => {
          const headers = { ...headersOf(count - Object.keys(more).length), ...more }
          return post('/good', BODY, headers)
        }
        const passes = client()
        passes.socket.write(headOf(most))
        t.match(await passes.until(/}$/), /^HTTP\/1.1 200/, 'the allowed number')
        passes.socket.destroy()
        const fails = client()
        fails.socket.write(headOf(most + 1))
        isJsonRpcError(t, await fails.until(/}$/), 431)
        fails.socket.destroy()
      })

    t.test('invalid HTTP is answered with 400', async (t) => {
      for (const garbage of [
        'hello\r\n\r\n',
        `${BODY}\r\n\r\n`,
        'FOO /good HTTP/1.1\r\nhost: x\r\n\r\n',
        '\u0016\u0003\u0001\u0000 TLS',
      ]) {
        const { socket, closed } = client()
        socket.write(garbage)
        isJsonRpcError(t, (await closed).text, 400)
      }
    })

    t.test('two lengths for one body are refused', async (t) => {
      const { socket, closed } = client()
      socket.write(`${postHead('/good', { 'content-length': 2, 'transfer-encoding': 'chunked' })}0\r\n\r\n`)
      isJsonRpcError(t, (await closed).text, 400)
    })

    t.test('HTTP/1.1 with two hosts is refused', async (t) => {
      const { socket, closed } = client()
      socket.write(
        `${postHead('/good', { 'content-length': BODY.length, HOST: 'other', connection: 'close' })}${BODY}`,
      )
      isJsonRpcError(t, (await closed).text, 400)
    })

    t.test('HTTP/1.1 without a host is refused, and HTTP/1.0 is served', async (t) => {
      const modern = client()
      modern.socket.write('POST /good HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      isJsonRpcError(t, (await modern.closed).text, 400)
      const old = client()
      old.socket.write(
        `POST /good HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
      )
      t.match((await old.closed).text, GOOD)
    })

    for (const [what, last, status] of [
      ['no request', 'garbage\r\n\r\n', 400],
      [
        'a request with a malformed body',
        `${postHead('/good', { 'transfer-encoding': 'chunked' })}no size`,
        400,
      ],
      ['a request with too many bytes of headers', postHead('/good', { x: 'y'.repeat(20_000) }), 431],
    ] as const)
      t.test(`complete requests are answered before ${what} that follows them`, async (t) => {
        const { socket, closed } = client()
        const complete = [call('later', [3]), call('add', [2, 2], 2), call('later', [5], 3)]
        socket.write(complete.map((body) => post('/good', body)).join('') + last)
        const { text, error } = await closed
        const answers = text.split(/(?=HTTP\/1.1 )/)
        t.equal(answers.length, complete.length + 1)
        for (const [at, result] of [3, 4, 5].entries()) {
          t.match(answers[at], /^HTTP\/1.1 200/)
          t.match(answers[at], `"result":${result}}`)
        }
        isJsonRpcError(t, answers.at(-1) ?? '', status)
        t.equal(error, undefined)
      })

    t.test('complete requests are answered before one that does not arrive in time', async (t) => {
      const { socket, closed } = clientInHaste()
      const cut = postHead('/good', { 'content-length': 100 }) + BODY.slice(0, 10)
      socket.write(post('/good', call('later', [3])) + post('/good', call('later', [4])) + cut)
      const answers = (await closed).text.split(/(?=HTTP\/1.1 )/)
      t.match(answers[0], '"result":3}')
      t.match(answers[1], '"result":4}')
      isJsonRpcError(t, answers[2] ?? '', 408)
      t.equal(answers.length, 3)
    })

    t.test('pipelined requests are answered in order', async (t) => {
      const { socket, until } = client()
      const bodies = [call('later', ['slow'], 1), BODY, call('add', [2, 2], 3)]
      socket.write(bodies.map((body) => post('/good', body)).join(''))
      const text = await until(/"id":3/)
      const ids = [...text.matchAll(/"id":(\d)/g)].map(([, id]) => id)
      t.same(ids, ['1', '1', '3'])
      t.match(text, /"slow"[\s\S]*"result":3}[\s\S]*"result":4}/)
      socket.destroy()
    })

    t.test('a chunked body without a length', async (t) => {
      const { socket, until } = client()
      socket.write(postHead('/good', { 'transfer-encoding': 'chunked' }))
      for (const character of BODY) socket.write(`1\r\n${character}\r\n`)
      socket.write('0\r\n\r\n')
      await until(GOOD)
      t.pass('is read')
      socket.destroy()
    })

    t.test('a character may be split between chunks', async (t) => {
      const { socket, until } = client()
      const bytes = Buffer.from(call('echo', ['é']))
      socket.write(postHead('/good', { 'content-length': bytes.length }))
      const middle = bytes.indexOf(0xc3) + 1
      socket.write(bytes.subarray(0, middle))
      await new Promise(setImmediate)
      socket.write(bytes.subarray(middle))
      t.match(Buffer.from(await until(/"result":"..?"}/), 'latin1').toString(), '"result":"é"')
      socket.destroy()
    })

    for (const taken of ['before Fastify', 'by Fastify'])
      t.test(
        `chunks beyond the limit are refused with 413, and the connection ends cleanly, ${taken}`,
        async (t) => {
          const small = await startKeyed({ limits: { bodyBytes: 100 } }, taken === 'before Fastify')
          t.teardown(() => small.app.close())
          const chunk = (size: number) => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`
          const exact = rawClient(small.port)
          exact.socket.write(postHead('/good', { 'transfer-encoding': 'chunked' }))
          exact.socket.write(`${BODY.length.toString(16)}\r\n${BODY}\r\n${chunk(100 - BODY.length)}0\r\n\r\n`)
          t.match(await exact.until(GOOD), /^HTTP\/1.1 200/, '100 bytes are accepted')
          exact.socket.destroy()

          const { socket, closed, until } = rawClient(small.port)
          socket.write(postHead('/good', { 'transfer-encoding': 'chunked' }) + chunk(100) + chunk(1))
          await until(/HTTP\/1.1 413[\s\S]*}}$/)
          for (let more = 0; more < 50; more++) socket.write(chunk(100_000))
          socket.write('0\r\n\r\n')
          const { text, error } = await closed
          isJsonRpcError(t, text, 413)
          t.equal(error, undefined, 'no reset while the client was still sending')
          t.match(text.toLowerCase(), 'ratelimit: "daily"')
        },
      )

    t.test('a length beyond the limit is refused before the body arrives', async (t) => {
      const { socket, closed, until } = client()
      socket.write(postHead('/good', { 'content-length': 5_242_881 }))
      const text = await until(/}}$/)
      isJsonRpcError(t, text, 413)
      t.match(text.toLowerCase(), 'connection: close')
      socket.write(Buffer.alloc(5_242_881, ' '))
      const { error } = await closed
      t.equal(error, undefined, 'the client may send everything and is not reset')
    })

    t.test('a refused caller that sends everything before it reads is not reset', async (t) => {
      const { socket, closed } = client()
      socket.pause()
      const length = server.limits.bodyBytes
      socket.write(postHead('/bad', { 'content-length': length, connection: 'close' }))
      await new Promise((sent) => socket.write(Buffer.alloc(length, ' '), sent))
      socket.resume()
      const { text, error } = await closed
      isJsonRpcError(t, text, 401, -32016)
      t.equal(error, undefined)
    })

    t.test(
      'a refused body of unknown size is dropped up to the limit, then the connection closes',
      async (t) => {
        const drainBytes = 200_000
        const small = await startKeyed({ limits: { bodyBytes: 100, drainBytes, drainSeconds: 3_600 } })
        t.teardown(() => small.app.close())
        const send = (bytes: number) => {
          const client = rawClient(small.port)
          client.socket.write(postHead('/bad', { 'transfer-encoding': 'chunked' }))
          client.socket.write(`${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`)
          return client
        }
        const within = send(drainBytes)
        await within.until(/}}$/)
        t.notOk(within.socket.readableEnded, 'the server waits for the rest')
        within.socket.write('0\r\n\r\n')
        const { text, error } = await within.closed
        isJsonRpcError(t, text, 401, -32016)
        t.equal(error, undefined)
        const beyond = await send(drainBytes + 1).closed
        isJsonRpcError(t, beyond.text, 401, -32016)
      },
    )

    t.test('a client that sends endlessly is disconnected', async (t) => {
      const { socket, closed } = clientInHaste()
      socket.write(postHead('/bad', { 'transfer-encoding': 'chunked' }))
      const drip = setInterval(() => socket.write('1\r\n \r\n'), 20)
      const { text } = await closed
      clearInterval(drip)
      isJsonRpcError(t, text, 401, -32016)
    })

    t.test('a refused key leaves the connection usable when its body is short', async (t) => {
      const { socket, until } = client()
      socket.write(post('/bad', BODY) + post('/good', BODY))
      const text = await until(GOOD)
      t.match(text, /HTTP\/1.1 401[\s\S]*HTTP\/1.1 200/)
      socket.destroy()
    })

    t.test('a refused key is answered before its body arrives', async (t) => {
      const { socket, until } = client()
      socket.write(postHead('/bad', { 'content-length': BODY.length }))
      isJsonRpcError(t, await until(/}}$/), 401, -32016)
      socket.write(BODY + post('/good', BODY))
      await until(GOOD)
      t.pass('and the connection stays open')
      socket.destroy()
    })

    t.test('Expect: 100-continue is answered, and other expectations are ignored', async (t) => {
      const { socket, until } = client()
      socket.write(postHead('/good', { 'content-length': BODY.length, expect: '100-continue' }))
      await until(/^HTTP\/1.1 100 Continue\r\n\r\n$/)
      socket.write(BODY)
      await until(GOOD)
      socket.write(post('/good', call('add', [2, 2], 2), { expect: 'miracles' }))
      await until(/"id":2,"result":4}/)
      t.pass()
      socket.destroy()
    })

    t.test('a disconnect in the middle of a body has no side effects', async (t) => {
      const reports = server.reports.length
      for (const cut of [0, 1, BODY.length - 1]) {
        const { socket, closed } = client()
        socket.write(postHead('/good', { 'content-length': BODY.length }) + BODY.slice(0, cut))
        await once(socket, 'connect')
        await new Promise(setImmediate)
        socket.resetAndDestroy()
        await closed
      }
      const { socket, until } = client()
      socket.write(post('/good', BODY))
      await until(GOOD)
      socket.destroy()
      t.equal(server.reports.length, reports, 'and is not a failure of the server')
    })

    t.test('a disconnect before the answer has no side effects', async (t) => {
      const answers: (() => void)[] = []
      const held = await start({
        call: () => new Promise((resolve) => answers.push(() => resolve(3))),
      })
      t.teardown(() => held.app.close())
      const leaving = rawClient(held.port)
      leaving.socket.write(post('/good', BODY))
      await until(() => answers.length === 1)
      leaving.socket.resetAndDestroy()
      await until(() => held.rpc.connections.size === 0)
      const staying = rawClient(held.port)
      staying.socket.write(post('/good', BODY))
      await until(() => answers.length === 2)
      for (const answer of answers) answer()
      t.match(await staying.until(GOOD), /200 OK/)
      staying.socket.destroy()
      t.equal(held.reports.length, 0)
    })
  })
