import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { acceptsCoding, defaultLimits, type EdgeRequest } from '../../../../../src/runtime/server/index.js'
import { createCompressAnswer } from '../../../../../src/runtime/server/sharing/compress-answer.js'

t.test('gzip is used where the header weighs it at least as high as no encoding', async (t) => {
  const rows: readonly [header: string | undefined, accepted: boolean][] = [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['*', true],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['gzip;q=0.000', false],
    ['gzip;q=0.001', true],
    ['gzip; Q=0.5', true],
    ['gzip;q=1.000', true],
    ['gzip;q=2', false],
    ['gzip;q=', false],
    ['gzip;q=0.0001', false],
    ['identity', false],
    ['identity, gzip;q=0.5', false],
    ['identity;q=0.5, gzip;q=0.5', true],
    ['deflate, gzip, br', true],
    ['br', false],
  ]
  for (const [header, accepted] of rows)
    t.equal(acceptsCoding(header, 'gzip'), accepted, `gzip by ${String(header)}`)
  const brotli: typeof rows = [
    ['br', true],
    ['gzip, br', true],
    ['x-gzip, *', true],
    ['br;q=0, gzip', false],
    ['gzip', false],
  ]
  for (const [header, accepted] of brotli)
    t.equal(acceptsCoding(header, 'br'), accepted, `Brotli by ${String(header)}`)
})

/** Serves a large body with compressions; the path names the user. The answers never end. */
async function serve(t: Test, atOnce: number) {
  const compress = createCompressAnswer(atOnce, defaultLimits)
  const server = createServer((raw, response) => {
    const edge = { raw, headers: raw.headers, response } as unknown as EdgeRequest
    const { headers } = compress(
      edge,
      { status: 200, headers: { vary: 'Origin' }, body: 'a'.repeat(70_000) },
      raw.url ?? '',
    )
    response.writeHead(200, headers).flushHeaders()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return async (user: string): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo
    const sent = request({
      port,
      host: '127.0.0.1',
      path: `/${user}`,
      headers: { 'accept-encoding': 'gzip' },
    }).end()
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.on('error', () => undefined).resume()
    return response
  }
}

t.test(
  'two users have a compression at once, and the next one gets the place of a finished one',
  async (t) => {
    const get = await serve(t, 2)
    const encodings = []
    for (const user of ['one', 'one', 'two', 'three'])
      encodings.push((await get(user)).headers['content-encoding'])
    t.same(encodings, ['gzip', undefined, 'gzip', undefined])
    const again = await serve(t, 1)
    const first = await again('one')
    t.equal(first.headers.vary, 'Origin, Accept-Encoding')
    t.equal((await again('two')).headers['content-encoding'], undefined)
    first.destroy()
    let taken = await again('two')
    while (taken.headers['content-encoding'] === undefined) taken = await again('two')
    t.equal(taken.headers['content-encoding'], 'gzip')
  },
)

t.test('without compressions, answers are left to a proxy', async (t) => {
  const { headers } = await (await serve(t, 0))('one')
  t.equal(headers['content-encoding'], undefined)
  t.equal(headers.vary, 'Origin')
})
