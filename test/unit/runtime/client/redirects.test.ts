import { once } from 'node:events'
import nodeFetch from 'node-fetch'
import t from 'tap'
import { fetch as undiciFetch } from 'undici'
import { type Answer, caught, clientOf, json, key, serve } from './rpc-server.js'

const statuses = [301, 302, 303, 307, 308]

/** A second server that answers every request. */
const hijacker = (t: Parameters<typeof serve>[0]) =>
  serve(t, json({ jsonrpc: '2.0', id: 1, result: '0xbad' }))

const redirect =
  (status: number, location: string | undefined): Answer =>
  (_, response) =>
    void response.writeHead(status, location === undefined ? {} : { location }).end()

t.test('a redirect is never followed, and the error names its target origin', async (t) => {
  for (const [name, fetch] of Object.entries({ global: undefined, undici: undiciFetch, nodeFetch })) {
    const other = await hijacker(t)
    for (const status of statuses) {
      const { url, origin, all } = await serve(t, redirect(status, `${other.origin}/${key}`))
      const client = clientOf(url, { fetch, headers: { 'x-secret': 'tok3n-tok3n' } })
      const want = {
        name: 'TransportError',
        kind: 'http',
        httpStatus: status,
        message: `${origin} redirects to ${other.origin} (HTTP ${status}). The client does not follow redirects.`,
      }
      t.match(await caught(client.add(1)), { ...want, method: 'add' }, `${name}: ${status}`)
      t.match(await caught(client.batch((call) => [call.add(1)])), want, `${name}: ${status}, batch`)
      t.match(await caught(client.seen(1)), want, `${name}: ${status}, notification`)
      t.equal(all.length, 3)
    }
    t.equal(other.all.length, 0, `${name}: no request reached the other origin`)
  }
})

t.test(
  'a redirect within the origin, to a relative address or without an address is not followed',
  async (t) => {
    const { url, origin, all } = await serve(t, redirect(307, '/elsewhere'))
    t.match(await caught(clientOf(url).add(1)), { message: `${origin} redirects to ${origin} (HTTP 307)` })
    t.equal(all.length, 1)
    const lost = await serve(t, redirect(302, undefined))
    t.match(await caught(clientOf(lost.url).add(1)), {
      message: 'redirects to an unknown address (HTTP 302)',
    })
    const strange = await serve(t, redirect(302, 'http://['))
    t.match(await caught(clientOf(strange.url).add(1)), {
      message: 'redirects to an unknown address (HTTP 302)',
    })
  },
)

t.test('an answer after a redirect that a custom fetch followed is refused', async (t) => {
  const other = await hijacker(t)
  const { url } = await serve(t, redirect(307, `${other.origin}/`))
  const follows = (address: string, request: object) =>
    undiciFetch(address, { ...request, redirect: 'follow' })
  t.match(await caught(clientOf(url, { fetch: follows }).add(1)), {
    kind: 'http',
    message: `redirects to ${other.origin} (HTTP 200). The client does not follow redirects, but the given fetch did.`,
  })
})

t.test('the body of a redirect is not read, and its connection is closed', async (t) => {
  for (const [name, fetch] of Object.entries({ global: undefined, undici: undiciFetch, nodeFetch })) {
    const { url, all } = await serve(t, (_, response) => {
      response.writeHead(307, { location: '/elsewhere' }).write('x')
    })
    t.match(await caught(clientOf(url, { fetch }).add(1)), { kind: 'http', httpStatus: 307 }, name)
    const socket = all[0]?.request.socket
    if (socket && !socket.closed) await once(socket, 'close')
    t.ok(socket?.closed, name)
  }
})

t.test('a page that redirects endlessly ends after one request', async (t) => {
  const { url, all, server } = await serve(t, (came, response) => redirect(308, url)(came, response))
  t.match(await caught(clientOf(url).add(1)), { kind: 'http' })
  t.equal(all.length, 1)
  server.close()
  await once(server, 'close')
})
