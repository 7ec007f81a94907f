import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { readRequestHead } from '../../../../../src/runtime/server/fast-lane/request-head.js'

const lines = ['POST /a HTTP/1.1', 'Host: x', 'content-type: application/json', 'Content-Length: 2']
const headOf = (...of: readonly string[]) => `${of.join('\r\n')}\r\n\r\n`
const withLine = (line: string) => headOf(...lines, line)

t.test('a plain head is parsed: lower-case names, trimmed values', async (t) => {
  const text = headOf('POST /v2/key HTTP/1.1', 'Host:x', 'X-Own:  a b  ', 'Content-Length: 2', 'Empty:')
  const lines = text.slice(text.indexOf('\n') + 1)
  t.same(readRequestHead(`${text}{}`), {
    url: '/v2/key',
    headers: { host: 'x', 'x-own': 'a b', 'content-length': '2', empty: '' },
    lines,
    bodyAt: text.length,
    bodyBytes: 2,
  })
  t.equal(readRequestHead(withLine('Connection: Keep-Alive'))?.bodyBytes, 2)
})

t.test('repeated headers are cached, and parsed again when they change', async (t) => {
  const before = readRequestHead(headOf(...lines))
  const again = readRequestHead(`${headOf('POST /b HTTP/1.1', ...lines.slice(1))}{}`, before)
  t.equal(again?.headers, before?.headers)
  t.equal(again?.url, '/b')
  t.equal(again?.bodyAt, before?.bodyAt)
  for (const other of [
    [...lines, 'x-own: a'],
    [...lines.slice(0, 3), 'Content-Length: 3'],
  ])
    t.same(readRequestHead(headOf(...other), before), readRequestHead(headOf(...other)))
  t.equal(readRequestHead(headOf(...lines, 'Expect: 100-continue'), before), undefined)
  t.equal(readRequestHead(`${lines.join('\r\n')}\r\n`, before), undefined, 'the head is incomplete')
})

t.test('all other heads are left to the full parser', async (t) => {
  const whole = headOf(...lines)
  for (let end = 0; end < whole.length; end++) t.equal(readRequestHead(whole.slice(0, end)), undefined)
  for (const text of [
    headOf('GET /a HTTP/1.1', 'Host: x', 'Content-Length: 2'),
    headOf('POST /a HTTP/1.0', 'Host: x', 'Content-Length: 2'),
    headOf('POST  /a HTTP/1.1', 'Host: x', 'Content-Length: 2'),
    headOf('POST /a HTTP/1.1', 'Content-Length: 2'),
    headOf('POST /a HTTP/1.1', 'Host: x'),
    headOf('POST /a HTTP/1.1', 'Host: x', 'Content-Length: 2\t'),
    headOf('POST /a HTTP/1.1', 'Host: x', 'Content-Length: +2'),
    headOf('POST /a HTTP/1.1', 'Host: x', 'Content-Length: 2, 2'),
    headOf('POST /a HTTP/1.1', 'Host: x', 'Content-Length: 0x2'),
    headOf('POST /a HTTP/1.1', 'Host: x', 'Content-Length:'),
    withLine('Content-Length: 2'),
    withLine('HOST: y'),
    withLine('Transfer-Encoding: chunked'),
    withLine('Transfer-Encoding: identity'),
    withLine('Connection: close'),
    withLine('Connection: keep-alive, upgrade'),
    withLine('Proxy-Connection: close'),
    withLine('Upgrade: h2c'),
    withLine('Expect: 100-continue'),
    withLine('Trailer: x'),
    withLine('X-A : b'),
    withLine(' folded'),
    withLine('X-A: b\r\n folded: c'),
    withLine('X-A: b\nX-B: c'),
    withLine('X-A: b\rX-B: c'),
    withLine('X-A: \u0000'),
    withLine('X-A: \u00e9'),
    withLine('no colon'),
    withLine(': no name'),
    withLine('__proto__: x'),
    whole.replaceAll('\r\n', '\n'),
    `\r\n${whole}`,
  ])
    t.equal(readRequestHead(text), undefined, JSON.stringify(text))
})

t.test('heads that are parsed as plain have the same meaning for Node.js', async (t) => {
  const server = createServer((_request, response) => response.end())
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const known = ['Host', 'Content-Length', 'Connection', 'X-Own', 'content-type', "!#$%&'*+-.^_`|~9"]
  const values = [
    '2',
    'x',
    'keep-alive',
    ' 2 ',
    '\t2',
    '',
    'a,b;c="d"',
    '02',
    'close',
    '2 2',
    '\u007f',
    'a:b',
  ]
  const ends = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n ', '']
  let seed = 7
  const pick = <T>(of: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return of[Math.floor((seed / 2_147_483_648) * of.length)] as T
  }
  let plain = 0
  for (let round = 0; round < 60_000; round++) {
    const line = () => `${pick(known)}:${pick(values)}${pick(ends)}`
    const text = `POST /${pick(['a', 'a/b', 'a?b', '%41'])} HTTP/1.1\r\nHost: x\r\nContent-Length:${pick(values)}${pick(ends)}${pick(['', line(), line() + line()])}\r\n`
    const head = readRequestHead(`${text}{}`)
    if (head === undefined) continue
    plain += 1
    // Most mutations are similar.
    if (plain > 300) break
    const socket = connect(port, '127.0.0.1')
    socket.write(`${text}${'{'.repeat(head.bodyBytes)}`)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    t.equal(request.url, head.url)
    t.same(request.headers, head.headers)
    t.equal(text.length, head.bodyAt)
    request.resume()
    await once(request, 'end')
    t.equal(request.complete, true, 'its body has the parsed length')
    socket.destroy()
  }
  t.ok(plain > 100, `${plain} were plain`)
})
