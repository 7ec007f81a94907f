import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Exchange } from '../../../src/gateway/upstream/exchange.js'
import { HttpNode } from '../../../src/gateway/upstream/http-node.js'

/** An exchange that keeps what it was told. */
class ToldExchange extends Exchange {
  readonly traceparent: string | undefined
  readonly told: Promise<string>
  hasLanded = 0
  #tell: (text: string) => void = () => undefined

  constructor(
    readonly body: string,
    readonly isSmall: boolean,
    { mostBytes = 1_000_000, traceparent }: { mostBytes?: number; traceparent?: string } = {},
  ) {
    super(mostBytes)
    this.traceparent = traceparent
    this.told = new Promise((resolve) => {
      this.#tell = resolve
    })
  }

  leave(): boolean {
    return this.cancel()
  }

  protected override landed(): void {
    this.hasLanded++
  }

  protected received(status: number, text: string): void {
    this.#tell(`${status} ${text}`)
  }

  protected receivedTooMuch(): void {
    this.#tell('too much')
  }

  protected receivedWithoutRoom(): void {
    this.#tell('no room')
  }

  protected broke(): void {
    this.#tell('broke')
  }
}

/** A request as a node's connection sees it. */
interface Seen {
  readonly socket: Socket
  readonly head: string
  readonly body: string
}

/** What a client that knows all of HTTP sends in each request, and ours does not. */
const isUndici = ({ head }: Seen) => head.includes('connection: keep-alive')

const closed = async (socket: Socket | undefined) => {
  while (socket?.closed !== true) await delay(1)
}

const plain = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
const echo = ({ socket, body }: Seen) => void socket.write(plain(body))

/** Starts a server that knows no HTTP but what `answer` says, and a node for it. */
async function start(t: Test, answer: (seen: Seen) => void, path = '/rpc?net=1') {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const at = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/.exec(text)?.[1])
      const body = text.slice(at + 4)
      if (at < 0 || Buffer.byteLength(body) < length) return
      const request = { socket, head: text.slice(0, at), body }
      text = ''
      seen.push(request)
      answer(request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const node = new HttpNode(
    { url: `http://us%65r:w%C3%B6rd@127.0.0.1:${port}${path}`, headers: { 'X-Key': 'k' } },
    { connections: 4, smallConnections: 8, connectMs: 1_000 },
  )
  t.teardown(async () => {
    await node.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const ask = (body: string, isSmall = true, options?: ConstructorParameters<typeof ToldExchange>[2]) => {
    const exchange = new ToldExchange(body, isSmall, options)
    node.post(exchange)
    return exchange
  }
  /** Until a plain connection is there: the first request asks for it. */
  const warm = async () => {
    const server = answer
    answer = echo
    for (let time = 0; time < 100 && (seen.length === 0 || seen.every(isUndici)); time++) {
      await ask('"warm"').told
      await delay(5)
    }
    seen.length = 0
    answer = server
  }
  return { node, seen, sockets, ask, warm }
}

t.test('small calls over a plain connection, one behind the other', async (t) => {
  const { seen, ask, warm, sockets } = await start(t, echo)
  await warm()
  const before = sockets.size
  for (let call = 0; call < 20; call++) t.equal(await ask(`{"id":${call}}`).told, `200 {"id":${call}}`)
  t.notOk(seen.some(isUndici))
  t.equal(new Set(seen.map(({ socket }) => socket)).size, 1)
  t.equal(sockets.size, before)
  const [{ head } = { head: '' }] = seen
  t.match(head, /^POST \/rpc\?net=1 HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
  t.match(head, `\r\nauthorization: Basic ${Buffer.from('user:wörd').toString('base64')}\r\n`)
  t.match(head, '\r\nx-key: k\r\n')
  await ask('1', true, { traceparent: '00-1-2-01' }).told
  t.match(seen.at(-1)?.head, '\r\ntraceparent: 00-1-2-01\r\n')
  t.equal(await ask('"ä€😀"').told, '200 "ä€😀"', 'lengths are bytes')
  t.equal(await ask('2', false).told, '200 2')
  t.ok(isUndici(seen.at(-1) as Seen), 'what may not be asked twice goes another way')
})

t.test('many at once: those that find no connection free go another way', async (t) => {
  const { ask, warm, seen } = await start(t, echo)
  await warm()
  const exchanges = Array.from({ length: 100 }, (_, call) => ask(`${call}`))
  t.strictSame(
    await Promise.all(exchanges.map(({ told }) => told)),
    exchanges.map(({ body }) => `200 ${body}`),
  )
  t.ok(exchanges.every(({ hasLanded }) => hasLanded === 1))
  t.ok(seen.some(isUndici) && !seen.every(isUndici))
})

t.test('an answer in pieces, wherever it is cut', async (t) => {
  let cuts: number[] = []
  const { ask, warm, seen } = await start(t, async ({ socket, body }) => {
    const bytes = Buffer.from(plain(body, 'x-more: y\r\n'))
    let from = 0
    for (const to of [...cuts, bytes.length]) {
      socket.write(bytes.subarray(from, to))
      from = to
      await delay(2)
    }
  })
  await warm()
  const length = Buffer.byteLength(plain('"ä"', 'x-more: y\r\n'))
  for (let cut = 1; cut < length; cut++) {
    cuts = [cut]
    t.equal(await ask('"ä"').told, '200 "ä"', `cut at ${cut}`)
  }
  cuts = Array.from({ length: length - 1 }, (_, at) => at + 1)
  t.equal(await ask('"ä"').told, '200 "ä"', 'byte by byte')
  t.notOk(seen.some(isUndici))
})

t.test('an answer in another form is asked for again, and so is all that follows', async (t) => {
  const { ask, warm, seen } = await start(t, ({ socket, body }) => {
    const chunks = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`)
  })
  await warm()
  const exchange = ask('"first"')
  t.equal(await exchange.told, '200 "first"')
  t.strictSame(seen.map(isUndici), [false, true])
  t.equal(await ask('"second"').told, '200 "second"')
  t.strictSame(seen.map(isUndici), [false, true, true])
  t.equal(exchange.hasLanded, 1)
})

t.test('a head that never ends is none', async (t) => {
  const { ask, warm, seen } = await start(t, (request) => {
    if (isUndici(request)) echo(request)
    else request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`)
  })
  await warm()
  t.equal(await ask('1').told, '200 1')
  t.strictSame(seen.map(isUndici), [false, true])
})

t.test('a connection that ends before the answer: asked again', async (t) => {
  const { ask, warm, seen } = await start(t, (request) => {
    if (isUndici(request)) echo(request)
    else request.socket.destroy()
  })
  await warm()
  t.equal(await ask('1').told, '200 1')
  t.strictSame(seen.map(isUndici), [false, true])
})

t.test('a connection that ends within the answer: the answer is none', async (t) => {
  for (const length of [5, 60, 40]) {
    const { ask, warm, seen } = await start(t, ({ socket, body }) => {
      socket.end(plain(body.padEnd(60)).slice(0, -length))
    })
    await warm()
    t.equal(await ask('"a"').told, 'broke', `${length} bytes missing`)
    t.strictSame(seen.map(isUndici), [false])
  }
})

t.test('what comes behind an answer belongs to nothing', async (t) => {
  let more = ''
  const { ask, warm, seen } = await start(t, ({ socket, body }) => {
    socket.write(plain(body) + more)
  })
  await warm()
  more = plain('"of another"')
  t.equal(await ask('1').told, '200 1')
  more = ''
  t.equal(await ask('2').told, '200 2')
  const [first, second] = seen
  t.not(first?.socket, second?.socket)
})

t.test('an answer that was not asked for closes the connection', async (t) => {
  const { ask, warm, seen } = await start(t, echo)
  await warm()
  await ask('1').told
  const [{ socket } = { socket: undefined }] = seen
  socket?.write(plain('"unasked"'))
  await closed(socket)
  t.equal(await ask('2').told, '200 2')
})

t.test('a node that says that it closes the connection', async (t) => {
  const { ask, warm, seen } = await start(t, ({ socket, body }) => {
    socket.write(plain(body, 'connection: close\r\n'))
  })
  await warm()
  t.equal(await ask('1').told, '200 1')
  t.equal(await ask('2').told, '200 2')
  const [first, second] = seen
  t.not(first?.socket, second?.socket)
})

t.test('given up, or too large: the connection is cut', async (t) => {
  let send: string | undefined
  const { ask, warm, seen } = await start(t, ({ socket, body }) => {
    socket.write(send ?? plain(body).slice(0, -1))
  })
  await warm()
  const exchange = ask('1')
  while (seen.length === 0) await delay(1)
  t.equal(exchange.leave(), true)
  await closed(seen[0]?.socket)
  t.equal(exchange.hasLanded, 1)
  await warm()
  send = plain('x'.repeat(200_000))
  t.equal(await ask('2', true, { mostBytes: 100_000 }).told, 'too much')
  await closed(seen[0]?.socket)
  await warm()
  t.equal(await ask('3').told, `200 ${'x'.repeat(200_000)}`, 'a large one that may be')
})

t.test('nobody listens there any more', async (t) => {
  const { node, ask, warm } = await start(t, echo)
  await warm()
  await node.close()
  t.equal(await ask('1').told, 'broke')
})
