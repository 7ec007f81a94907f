import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { longEnough } from '../../support/long-enough.js'
import { chosen, isLong, longTest } from '../../support/runs.js'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { ownKey } from '../../unit/judge/run/deployment.js'
import { libraryContract } from '../../unit/judge/run/library-contract.js'

/** Runs against hostile or badly broken deployments give verdicts in bounded time and memory. */
type Behaviour = (socket: Socket, request: { readonly head: string; readonly body: string }) => void

const answer = (body: string | Uint8Array, head = '', status = '200 OK') =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${head}\r\n`,
    ),
    Buffer.from(body),
  ])
const idOf = (body: string) => /"id":("[^"]*"|-?\d+)/.exec(body)?.[1] ?? 'null'
const resultOf = (body: string, result: string) => `{"jsonrpc":"2.0","id":${idOf(body)},"result":${result}}`
const head = '{"number":"0x10","hash":"0xaa"}'

/** Writes forever, as fast as the client reads. */
function pour(socket: Socket, chunk: Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.writable && socket.write(chunk)) {
      // Writes until the buffer is full.
    }
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}

/** A repeated text of 64 KB. */
const many = (text: string) => Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))

const chunkOf = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const block = Buffer.alloc(65_536, 'x')
const chunked = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
const bomb = Buffer.alloc(100 * 1024 * 1024, ' ')

/** Answers all requests except the one for the head. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  hangs: () => {},
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes without an answer': (socket) => socket.end(),
  'closes in the middle of a head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-ty'),
  'closes in the middle of a body': (socket) => socket.end(answer('{"jsonrpc":"2.0"').subarray(0, -4)),
  'answers a page': (socket) => socket.write(answer('<!doctype html><h1>It works</h1>')),
  'answers a page of a gateway': (socket) => socket.write(answer('<h1>Bad</h1>', '', '502 Bad Gateway')),
  'streams for ever': (socket) => {
    socket.write(chunked)
    pour(socket, chunkOf(block))
  },
  'sends a gigabyte': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n`)
    pour(socket, block)
  },
  'announces a gigabyte': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n{'),
  'sends a gzip bomb': (
    (bytes) => (socket: Socket) =>
      socket.write(answer(bytes, 'content-encoding: gzip\r\n'))
  )(gzipSync(bomb)),
  'sends a bomb in three layers': (
    (bytes) => (socket: Socket) =>
      socket.write(answer(bytes, 'content-encoding: br, gzip, gzip\r\n'))
  )(gzipSync(gzipSync(brotliCompressSync(bomb, { params: { 1: 1 } })))),
  'sends what is no gzip': (socket) => socket.write(answer('{}', 'content-encoding: gzip\r\n')),
  'sends bytes that are not UTF-8': (socket) => socket.write(answer(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
  'sends UTF-16': (socket, { body }) => socket.write(answer(Buffer.from(resultOf(body, 'null'), 'utf16le'))),
  'sends headers for ever': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    pour(socket, many(`x-more: ${'y'.repeat(1000)}\r\n`))
  },
  'sends one header for ever': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-long: ')
    pour(socket, block)
  },
  'says 100 Continue for ever': (socket) => pour(socket, many('HTTP/1.1 100 Continue\r\n\r\n')),
  'sends early hints for ever': (socket) =>
    pour(socket, many('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')),
  'announces too many bytes': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}'),
  'announces too few bytes': (socket, { body }) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n${resultOf(body, '1')}`),
  'announces two lengths': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}}'),
  'announces length and chunks': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}'),
  'sends chunks that are none': (socket) => socket.write(`${chunked}zz\r\n{}\r\n`),
  'talks HTTP/0.9': (socket) => socket.end('hello'),
  'talks another protocol': (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
  'has a status of its own': (socket) => socket.write(answer('{}', '', '999 Whatever')),
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  'answers byte by byte': (socket, { body }) => {
    const bytes = answer(resultOf(body, '1'))
    let at = 0
    const timer = setInterval(() => (at < 40 ? socket.write(bytes.subarray(at, ++at)) : undefined), 20)
    socket.once('close', () => clearInterval(timer))
  },
  'sends a number of a million digits': (socket, { body }) =>
    socket.write(answer(resultOf(body, '7'.repeat(1_000_000)))),
  'sends numbers that no double holds': (socket, { body }) =>
    socket.write(answer(resultOf(body, '1e999999999'))),
  'nests 100 000 levels': (socket, { body }) =>
    socket.write(answer(resultOf(body, '['.repeat(100_000) + ']'.repeat(100_000)))),
  'nests 100 000 levels and never closes them': (socket) => socket.write(answer('{"a":'.repeat(100_000))),
  'has a million members': (socket, { body }) =>
    socket.write(
      answer(resultOf(body, `{${Array.from({ length: 300_000 }, (_, at) => `"m${at}":0`).join(',')}}`)),
    ),
  'names members of every object': (socket, { body }) =>
    socket.write(answer(resultOf(body, '{"__proto__":{"title":1},"constructor":null,"toString":1}'))),
  'makes ids of its own': (socket) => socket.write(answer('{"jsonrpc":"2.0","id":[{}],"result":null}')),
  'has an id of a million digits': (socket) =>
    socket.write(answer(`{"jsonrpc":"2.0","id":${'9'.repeat(1_000_000)},"result":null}`)),
  'answers with a list': (socket) => socket.write(answer('[[[]],null,1]')),
  'asks to wait for ever': (socket) =>
    socket.write(answer('', 'retry-after: 0\r\n', '429 Too Many Requests')),
  'asks to wait, and is unclear for how long': (socket) =>
    socket.write(answer('', 'retry-after: -1e9\r\n', '503 Unavailable')),
  'echoes the whole request': (socket, { head, body }) =>
    socket.write(answer(head + body, `x-you: ${head.split(' ')[1]}\r\nset-cookie: k=${ownKey}\r\n`)),
  'echoes the key in pieces': (socket, { body }) =>
    socket.write(
      answer(
        resultOf(
          body,
          JSON.stringify({ a: [...ownKey].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('') }),
        ),
      ),
    ),
}

/** Deployments that end the run early, because they do not answer. */
const silent =
  /^(hangs|resets|closes|streams|sends a gig|announces a gig|sends (a )?(gzip|bomb|headers|one header|early)|sends what|says|announces (too|two|length)|sends chunks|talks|answers byte)/

async function hostile(t: Test, behaviour: Behaviour, isHeadAnswered: boolean) {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data
      const end = text.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end < 4 || text.length < end + length) return
      const request = { head: text.slice(0, end), body: text.slice(end, end + length) }
      text = text.slice(end + length)
      requests.push(request.head)
      if (isHeadAnswered && request.body.includes('"newest"'))
        socket.write(answer(resultOf(request.body, head)))
      else behaviour(socket, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${ownKey}`, requests }
}

const folder = await temporaryFolder(t)
const document = join(folder, 'library.json')
await writeFile(document, JSON.stringify(libraryContract))

/** Answers that take long to read. The cases of one method cover them. */
const heavy = /million|100 000 levels/

const someCases = ['--only', 'derived/book/*'] as const

/** Deployments whose answers end by the timeout alone, so that a run needs a short one. */
const endless = /^(hangs|says 100|sends early hints|answers byte)/
/** Cases without an answer when a run gives up: five timeouts end it, while four cases run at a time. */
const mostTimeouts = 5 + 4
/** Timeout for all others: an answer is late only if something hangs, however busy this machine is. */
const patience = 600

async function conform(t: Test, url: string, only: readonly string[] = [], timeoutSeconds = patience) {
  const times = ['--timeout', `${timeoutSeconds}`]
  const args = ['--contract', document, '--assume-read', 'unmarked', ...times, '--report', 'json=-']
  const { code, out, err } = await runConcordat(['conform', url, ...args, ...only])
  t.notMatch(`${out}${err}`, ownKey, 'the key is told nowhere')
  return { code, err, report: out === '' ? undefined : (JSON.parse(out) as Report) }
}

/** A run that does not wait for long. The timeout is longer where this machine answers the request for the head too late. */
async function conformSoon(t: Test, url: string) {
  const done = await longEnough(1, async (timeoutSeconds) => {
    const outcome = await conform(t, url, [], timeoutSeconds)
    return outcome.report === undefined ? undefined : outcome
  })
  if (done === undefined) throw new TypeError('the request for the head was never answered in time')
  return done
}

/** Deployments that take seconds, and their replacements in the short form. */
const standIns = {
  'sends early hints for ever': 'says 100 Continue for ever',
  'answers byte by byte': 'closes in the middle of a body',
  'has a million members': 'sends a number of a million digits',
  'sends a bomb in three layers': 'sends a gzip bomb',
  'sends a gigabyte': 'streams for ever',
}

for (const [name, behaviour] of chosen(behaviours, standIns)) {
  t.test(`a deployment that ${name}`, async (t) => {
    const { url } = await hostile(t, behaviour, true)
    const { code, report, err } = endless.test(name)
      ? await conformSoon(t, url)
      : await conform(t, url, heavy.test(name) ? someCases : [])
    if (report === undefined) return t.fail(`no report: ${err}`)
    const { counts, cases } = report
    t.equal(
      counts['harness-error'],
      0,
      cases.find(({ verdict }) => verdict === 'harness-error')?.reason ?? '',
    )
    t.equal(counts.pass, 0, cases.find(({ verdict }) => verdict === 'pass')?.id ?? '')
    // A service that asks to wait has not stopped answering.
    t.equal(code, name.startsWith('asks to wait') ? 0 : 1, err)
    if (endless.test(name))
      t.ok(counts['no-answer'] <= mostTimeouts, `${counts['no-answer']} cases have waited`)
    if (!silent.test(name)) return t.equal(counts['gave-up'], 0)
    t.match(
      cases.find(({ verdict }) => verdict === 'gave-up')?.reason,
      /^the run was aborted: \d+ of the last \d+ requests got no complete answer; the last error: /,
    )
  })
}

t.test('where not even the first request is answered there is no run', async (t) => {
  for (const name of ['resets the connection', 'talks HTTP/0.9', ...(isLong ? ['hangs'] : [])]) {
    const { url } = await hostile(t, behaviours[name] as Behaviour, false)
    const { code, report } = await conform(t, url, [], endless.test(name) ? 1 : patience)
    t.match({ code, report }, { code: 2, report: undefined }, name)
  }
})

longTest('a first answer without an end is judged', async (t) => {
  for (const name of ['sends headers for ever', 'streams for ever']) {
    const { url } = await hostile(t, behaviours[name] as Behaviour, false)
    t.equal((await conform(t, url)).code, 1, name)
  }
})

t.test('the key follows no redirect, to the same host or another', async (t) => {
  const other = await hostile(t, (socket, { body }) => socket.write(answer(resultOf(body, 'null'))), false)
  for (const status of ['301 Moved', '302 Found', '307 Temporary Redirect', '308 Permanent Redirect']) {
    for (const to of [other.url, '/elsewhere', other.url.replace('127.0.0.1', 'localhost')]) {
      const { url } = await hostile(
        t,
        (socket) => socket.write(answer('', `location: ${to}\r\n`, status)),
        true,
      )
      const { code, report } = await conform(t, url, someCases)
      t.equal(code, 1)
      t.equal(report?.counts['harness-error'], 0)
    }
  }
  t.same(other.requests, [])
})

t.test(
  'a deployment that closes each connection, or talks HTTP/1.0, is judged by what it answers',
  async (t) => {
    const unknown = '"error":{"code":-32601,"message":"Method not found"}'
    const right = (body: string) =>
      body.includes('concordatNoSuchMethod')
        ? `{"jsonrpc":"2.0","id":${idOf(body)},${unknown}}`
        : resultOf(body, head)
    const ways: Readonly<Record<string, Behaviour>> = {
      closes: (socket, { body }) => socket.end(answer(right(body), 'connection: close\r\n')),
      'closes without saying so': (socket, { body }) => socket.end(answer(right(body))),
      'HTTP/1.0': (socket, { body }) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${right(body)}`),
      'in many pieces': (socket, { body }) => {
        socket.setNoDelay(true)
        for (const byte of answer(right(body))) socket.write(Buffer.from([byte]))
      },
      'after 100 Continue': (socket, { body }) => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n')
        socket.write(answer(right(body)))
      },
    }
    for (const [name, behaviour] of Object.entries(ways)) {
      const { url } = await hostile(t, behaviour, false)
      const { report } = await conform(t, url)
      const troubles = report?.cases.flatMap(({ evidence }) =>
        evidence.flatMap(({ trouble }) => trouble ?? []),
      )
      t.same(troubles, [], name)
      t.ok((report?.counts.pass ?? 0) > 0, name)
    }
  },
)

longTest('one that answers some requests and hangs at others ends the run all the same', async (t) => {
  let times = 0
  const { url } = await hostile(
    t,
    (socket, { body }) => (++times % 2 === 0 ? socket.write(answer(resultOf(body, 'null'))) : undefined),
    true,
  )
  const { code, report } = await conformSoon(t, url)
  t.equal(code, 1)
  t.equal(report?.counts['harness-error'], 0)
  t.ok(report !== undefined && report.counts['no-answer'] > 0)
})

t.test('all of that took bounded memory', async (t) => {
  const megabytes = process.resourceUsage().maxRSS / 1024
  t.ok(megabytes < 1500, `${Math.round(megabytes)} MB at most`)
  t.comment(`${Math.round(megabytes)} MB at most`)
})
