import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { listeningOrigins } from '../../../../src/gateway/app/listening-origins.js'

/** A server that listens on an address, and its port. */
async function listenOn(t: Pick<Test, 'teardown'>, host: string) {
  const server = createServer()
  t.teardown(() => server.close())
  await once(server.listen(0, host), 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

t.test('an address of this machine is as good as its name', async (t) => {
  const { server, port } = await listenOn(t, '127.0.0.1')
  t.same(listeningOrigins(server), [`http://127.0.0.1:${port}`, `http://localhost:${port}`])
})

t.test('where all addresses are listened on, each of them is an origin', async (t) => {
  const { server, port } = await listenOn(t, '0.0.0.0')
  const origins = listeningOrigins(server)
  for (const host of ['127.0.0.1', 'localhost']) t.ok(origins.includes(`http://${host}:${port}`), host)
  t.notOk(origins.some((origin) => origin.includes('0.0.0.0')))
})

t.test('a server that does not listen has none', async (t) => {
  t.same(listeningOrigins(createServer()), [])
})
