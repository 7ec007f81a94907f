import { gzipSync } from 'node:zlib'
import t from 'tap'
import { readClient } from './reads.js'
import { type Answer, caught, serve } from './rpc-server.js'

/** The answer to a batch as bytes: each call is answered with its first parameter. */
const answerTo = (batch: readonly { readonly id?: number; readonly params: unknown }[]) =>
  Buffer.from(
    JSON.stringify(batch.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: (params as string[])[0] }))),
  )

t.test(
  'the answer to an automatic batch may be compressed, and may begin with a byte order mark',
  async (t) => {
    const rows: readonly [string, Answer][] = [
      [
        'gzip',
        ({ batch }, response) =>
          void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(answerTo(batch))),
      ],
      [
        'a byte order mark',
        ({ batch }, response) => void response.end(`\u{feff}${answerTo(batch).toString()}`),
      ],
    ]
    for (const [name, answer] of rows) {
      const { url, all } = await serve(t, answer)
      const client = readClient(url)
      t.same(await Promise.all([client.balance('é'), client.balance('b')]), ['é', 'b'], name)
      t.equal(all[0]?.batch.length, 2, name)
    }
  },
)

t.test('a truncated, broken or too large answer fails every call of an automatic batch', async (t) => {
  const half: Answer = ({ batch }, response) => void response.end(answerTo(batch).subarray(0, -5))
  const cut: Answer = ({ batch }, response) =>
    void response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync(answerTo(batch)).subarray(0, 30))
  const wrongGzip: Answer = ({ batch }, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(answerTo(batch))
  const broken: Answer = ({ batch }, response) =>
    void response
      .writeHead(200, { 'content-length': 9_999 })
      .write(answerTo(batch), () => response.socket?.destroy())
  const rows: readonly [string, Answer, object][] = [
    ['truncated JSON', half, { kind: 'http', httpStatus: 200, message: /no JSON-RPC/ }],
    // Runtimes differ: some return what they could decompress.
    ['truncated gzip', cut, { kind: /^(http|network)$/ }],
    ['no gzip', wrongGzip, { kind: 'network' }],
    ['a connection that breaks within the body', broken, { kind: 'network' }],
  ]
  for (const [name, answer, want] of rows) {
    const { url, all } = await serve(t, answer)
    const client = readClient(url, { retry: false })
    const found = await Promise.all([caught(client.balance(1)), caught(client.balance(2))])
    t.match(
      found,
      [want, want].map((each) => ({ ...each, method: 'balance' })),
      name,
    )
    t.equal(all[0]?.batch.length, 2, name)
  }
})

t.test('an automatic batch may be answered with `maxAnswerBytes`, and with no byte more', async (t) => {
  const texts = ['é'.repeat(50), 'b']
  const size = answerTo(texts.map((text, at) => ({ id: at + 1, params: [text] }))).length
  for (const encoding of ['identity', 'gzip']) {
    const { url, all } = await serve(t, ({ batch }, response) => {
      const bytes = answerTo(batch)
      response.writeHead(200, { 'content-encoding': encoding })
      response.end(encoding === 'gzip' ? gzipSync(bytes) : bytes)
    })
    const calls = (maxAnswerBytes: number) => {
      const client = readClient(url, { maxAnswerBytes })
      return Promise.allSettled(texts.map((text) => client.balance(text)))
    }
    const right = texts.map((value) => ({ status: 'fulfilled', value }))
    t.same(await calls(size), right, encoding)
    const want = { kind: 'malformed', method: 'balance', message: `more than ${size - 1} bytes` }
    t.match(await calls(size - 1), [{ reason: want }, { reason: want }], `${encoding}, one byte more`)
    t.equal(all.length, 2, 'nothing is repeated')
  }
})
