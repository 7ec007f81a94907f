import { inspect } from 'node:util'
import t from 'tap'
import { type Answer, caught, clientOf, json, key, serve } from './rpc-server.js'

/** Every way in which a call may fail, with a server that tells what it was asked. */
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
  'an id with a piece of it at the end of what is told': ({ request }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: `${'x'.repeat(20)}${request.url}`, result: 1 })),
  'a redirect to nowhere': (_, response) =>
    void response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end(),
  silence: () => undefined,
}

t.test('no error of a call, and nothing beneath it, tells the key, the login or a header', async (t) => {
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

t.test('a cause that tells the URL, as that of node-fetch, is left out', async (t) => {
  const url = `http://127.0.0.1:9/${key}`
  const rows: readonly [string, unknown][] = [
    ['in its message', new TypeError(`request to ${url} failed`)],
    ['in a member', Object.assign(new TypeError('failed'), { url })],
    ['beneath', new TypeError('failed', { cause: new Error(`to ${encodeURIComponent(url)}`) })],
    ['no error at all', `to ${url}`],
  ]
  for (const [name, thrown] of rows) {
    const fetch = () => Promise.reject(thrown)
    const found = await caught(clientOf(url, { fetch }).add(1))
    t.match(found, { kind: 'network', cause: undefined }, name)
    t.notOk(inspect(found, { showHidden: true }).includes(key), name)
  }
  const cause = new TypeError('failed')
  const fetch = () => Promise.reject(cause)
  await t.rejects(clientOf(url, { fetch }).add(1), { cause }, 'one that tells nothing stays')
})

t.test('what is no secret stays as the service said it', async (t) => {
  const message = 'see http://127.0.0.1/docs/test, in en'
  const fetch = async () =>
    new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 7, message } }))
  const client = clientOf('http://127.0.0.1/', { fetch, headers: { 'x-mode': 'test' } })
  t.match(await caught(client.add(1)), { message })
})
