import { inspect } from 'node:util'
import t from 'tap'
import { type Answer, caught, clientOf, json, key, serve } from './rpc-server.js'

/** Every way in which a call may fail, with a server that echoes its request. */
const answers: Readonly<Record<string, Answer>> = {
  'a reset': (_, response) => void response.socket?.resetAndDestroy(),
  'a page that echoes': ({ request }, response) =>
    void response
      .writeHead(404, { 'content-type': `text/html; path=${request.url}` })
      .end(`no ${request.url}`),
  'an error that echoes': ({ request }, response) =>
    json({
      jsonrpc: '2.0',
      id: null,
      error: { code: 7, message: `${request.url} of ${request.headers.authorization}` },
    })({ sent: { method: '', params: [] }, batch: [], request }, response),
  'an id that echoes': ({ request }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: request.url, result: 1 })),
  'an id with a part of it at the end of the shown text': ({ request }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: `${'x'.repeat(20)}${request.url}`, result: 1 })),
  'a redirect to nowhere': (_, response) =>
    void response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end(),
  silence: () => undefined,
}

t.test('no error of a call, nor any of its causes, contains the key, the login or a header', async (t) => {
  for (const [name, answer] of Object.entries(answers)) {
    const { url } = await serve(t, answer)
    const secrets = [key.slice(0, 8), 'pa55w0rd', 'tok3n-tok3n', 'qu3ry']
    const client = clientOf(`${url.replace('//', '//me:pa55w0rd@')}?apikey=qu3ry`, {
      headers: { authorization: 'Bearer tok3n-tok3n' },
      timeoutMilliseconds: 300,
    })
    const errors = [await caught(client.add(1)), await caught(client.batch((call) => [call.add(1)]))]
    const told =
      inspect([errors, client], { depth: 10, showHidden: true }) + errors.map((e) => (e as Error).stack)
    t.match(told, /Error/, name)
    for (const secret of secrets) t.notOk(told.includes(secret), `${name}: ${secret}`)
  }
})

t.test('a foreign error keeps its redacted name, message and code, and nothing else', async (t) => {
  const url = `http://127.0.0.1:9/${key}`
  const foreign = (members: object) => Object.assign(new TypeError('failed'), members)
  const rows: readonly [string, unknown][] = [
    ['in its message', new TypeError(`request to ${url} failed`)],
    ['in a member', foreign({ url })],
    ['in its request', foreign({ request: { url } })],
    ['in its options', foreign({ options: { url, headers: { authorization: key } } })],
    ['in its configuration', foreign({ config: { url: new URL(url) } })],
    ['in a symbol', foreign({ [Symbol('url')]: url })],
    ['in its code', foreign({ code: `E_${key}` })],
    ['in its name', foreign({ name: `Error of ${url}` })],
    ['beneath', new TypeError('failed', { cause: new Error(`to ${encodeURIComponent(url)}`) })],
    ['in a member of its cause', new TypeError('failed', { cause: foreign({ request: { url } }) })],
    ['among several', new AggregateError([new Error(url)], 'failed')],
    ['a plain object', { message: `to ${url}`, request: { url } }],
    ['a plain object with getters', { toString: () => url }],
    ['a value that is not an error', `to ${url}`],
    ['lower-cased', new TypeError(`to ${url.toLowerCase()}`)],
    ['cut off', new TypeError(`to ${url.slice(0, -10)}…`)],
  ]
  for (const [name, thrown] of rows) {
    const fetch = () => Promise.reject(thrown)
    const found = await caught(clientOf(url, { fetch }).add(1))
    t.match(found, { kind: 'network', message: /^add: no answer from/ }, name)
    const printed =
      `${inspect(found, { showHidden: true, depth: 20 })}${(found as Error).stack}`.toLowerCase()
    for (let at = 0; at + 8 <= key.length; at += 1) {
      const piece = key.slice(at, at + 8).toLowerCase()
      if (printed.includes(piece)) t.fail(`${name}: ${piece} is in ${printed}`)
    }
  }
  const cause = foreign({ code: 'ECONNREFUSED', request: {}, cause: new RangeError('beneath') })
  const found = await caught(clientOf(url, { fetch: () => Promise.reject(cause) }).add(1))
  const kept = (found as Error).cause as Error
  t.match(kept, { name: 'TypeError', message: 'failed', code: 'ECONNREFUSED' })
  t.match(kept.cause, { name: 'RangeError', message: 'beneath' })
  t.same(Reflect.ownKeys(kept).sort(), ['cause', 'code', 'message', 'name', 'stack'])
})

t.test(
  'secrets that a server echoes in an error are redacted, in every notation and at every depth',
  async (t) => {
    const query = 'qu3ryS3cret'
    const segment = 'sh0rtKey9'
    const echoes = (texts: readonly string[]): Answer =>
      json({
        jsonrpc: '2.0',
        id: 1,
        error: { code: 7, message: texts.join(' '), data: { list: [{ [texts[0] ?? '']: texts }], count: 3 } },
      })
    const rows: readonly [string, string, readonly string[]][] = [
      ['the key', `/${key}`, [key]],
      ['lower-cased', `/${key}`, [key.toLowerCase()]],
      ['the first half', `/${key}`, [key.slice(0, 16)]],
      ['the second half', `/${key}`, [key.slice(-16)]],
      ['a short key', `/v2/${segment}`, [segment, segment.toUpperCase()]],
      ['a key of six characters', '/v2/k3y-9x', ['k3y-9x.', '(K3Y-9X)']],
      ['a short password', '/', ['p4ss', '"P4SS"']],
      ['a query without a value', `/rpc?${query}`, [query]],
      ['a query with a value', `/rpc?apikey=${query}&x`, [query]],
      [
        'a key with characters that URLs encode',
        '/p%C3%A4ssw%C3%B6rd%2F1',
        ['pässwörd/1', 'p%C3%A4ssw%C3%B6rd%2F1'],
      ],
    ]
    for (const [name, target, texts] of rows) {
      const { origin } = await serve(t, echoes(texts))
      const { origin: other } = await serve(t, echoes(texts))
      for (const base of [origin, other]) {
        const found = await caught(clientOf(`${base.replace('//', '//me:p4ss@')}${target}`).add(1))
        t.match(found, { code: 7, data: { count: 3 } }, name)
        const printed = inspect(found, { showHidden: true, depth: 20 })
        for (const text of texts) t.notOk(printed.includes(text), `${name}: ${text} in ${printed}`)
      }
    }
  },
)

t.test('other texts stay unchanged', async (t) => {
  const message = 'see http://127.0.0.1/docs/test, in en'
  const fetch = async () =>
    new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 7, message } }))
  const client = clientOf('http://127.0.0.1/', { fetch, headers: { 'x-mode': 'test' } })
  t.match(await caught(client.add(1)), { message })
})

t.test('data without secrets stays unchanged, hexadecimal data included', async (t) => {
  const data = { scope: 'daily', revert: `0x${'08c379a0dead'.repeat(20)}`, n: [1, null, true, 'v2'] }
  const { origin } = await serve(t, json({ jsonrpc: '2.0', id: 1, error: { code: 7, message: 'no', data } }))
  const found = (await caught(clientOf(`${origin}/v2/08c379`).add(1))) as { readonly data: unknown }
  t.same(found.data, data)
})
