import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import t from 'tap'
import { hashOfBlock, logText, startLogNode } from '../support/log-node.js'
import { startService } from '../support/service.js'

/** Large answers to callers who accept gzip, with a test node behind the service. */
const node = await startLogNode()
const service = await startService({
  env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
})
t.teardown(async () => {
  node.close()
  await service.stop()
})

async function open(encoding: string | undefined, body: object): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', ...(encoding && { 'accept-encoding': encoding }) }
  const sent = request(service.networks.test.url, { method: 'POST', headers })
  sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

/** Asks for all logs of a block. */
const logs = (encoding: string | undefined, block: number) =>
  open(encoding, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getLogs',
    params: [{ blockHash: hashOfBlock(block) }],
  })

const textOf = (block: number, count: number) =>
  `{"jsonrpc":"2.0","id":1,"result":[${Array.from({ length: count }, (_, at) => logText(block, at)).join(',')}]}`
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** The digest of a whole answer, and its bytes on the wire. */
async function read(response: IncomingMessage): Promise<{ digest: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  if (response.headers['content-encoding'] === 'gzip') await pipeline(response, createGunzip(), hash)
  else await pipeline(response, hash)
  return { digest: hash.digest('hex'), bytes }
}

/** The largest number of logs whose answer has at most 65,536 bytes. */
const most =
  Array.from({ length: 200 }, (_, count) => count).findLast((count) => textOf(3, count).length <= 65_536) ?? 0

t.test('answers over 64 KiB are compressed for callers who accept gzip', async (t) => {
  node.logs
    .set(3, most)
    .set(4, most + 1)
    .set(5, 5_000)
    .set(6, 40_000)
  for (const [block, count, isLarge] of [
    [3, most, false],
    [4, most + 1, true],
    [5, 5_000, true],
    [6, 40_000, true],
  ] as const) {
    const text = textOf(block, count)
    for (const [encoding, isAccepted] of [
      [undefined, false],
      ['gzip;q=0, br', false],
      ['br, gzip;q=0.5', true],
    ] as const) {
      const response = await logs(encoding, block)
      const what = `${text.length} bytes, ${encoding}`
      const isCompressed = isLarge && isAccepted
      t.equal(response.statusCode, 200)
      t.equal(response.headers['content-encoding'], isCompressed ? 'gzip' : undefined, what)
      t.equal(response.headers.vary, isLarge ? 'Accept-Encoding' : undefined, what)
      t.match(response.headers, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      if (isCompressed) t.equal(response.headers['content-length'], undefined)
      else if (count < 20_000) t.equal(response.headers['content-length'], String(text.length))
      const { digest, bytes } = await read(response)
      t.equal(digest, digestOf(text), what)
      t.equal(bytes < text.length / 2, isCompressed, `${bytes} bytes on the wire`)
    }
  }
})

t.test('a user has one compressed answer at a time; further answers are uncompressed', async (t) => {
  node.logs.set(6, 40_000)
  const first = await logs('gzip', 6)
  const second = await logs('gzip', 6)
  t.match(first.headers, { 'content-encoding': 'gzip' })
  t.equal(second.headers['content-encoding'], undefined)
  t.match(second.headers, { vary: 'Accept-Encoding' })
  t.equal((await read(second)).digest, digestOf(textOf(6, 40_000)))
  t.equal((await read(first)).digest, digestOf(textOf(6, 40_000)))
  const third = await logs('gzip', 6)
  t.match(third.headers, { 'content-encoding': 'gzip' })
  third.destroy()
})

t.test('a stream that fails ends before the end of the gzip format', async (t) => {
  node.logs.set(7, 170_000)
  node.cutAfter = 100_000
  const response = await logs('gzip', 7)
  t.match(response.headers, { 'content-encoding': 'gzip' })
  await t.rejects(read(response))
  t.equal(response.complete, false)
})

t.test('an error and a refused verb are never compressed', async (t) => {
  const response = await open('gzip', { jsonrpc: '2.0', id: 1, method: 'none' })
  t.equal(response.headers['content-encoding'], undefined)
  t.ok(Number(response.headers['content-length']) > 0)
  response.resume()
  const head = await fetch(service.networks.test.url, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip' },
  })
  t.equal(head.status, 405)
  t.equal(head.headers.get('content-encoding'), null)
})
