import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { listeningOrigins } from '../../../../../src/service/gateway/app/open-dashboard.js'

/** Starts a server on an address and returns where it listens. */
async function listenOn(t: Pick<Test, 'teardown'>, host: string) {
  const server = createServer()
  t.teardown(() => server.close())
  await once(server.listen(0, host), 'listening')
  const address = server.address() as AddressInfo
  return { address, port: address.port }
}

t.test('a loopback address and its name are both origins', async (t) => {
  const { address, port } = await listenOn(t, '127.0.0.1')
  t.same(listeningOrigins(address), [`http://127.0.0.1:${port}`, `http://localhost:${port}`])
})

t.test('a wildcard address makes every local address an origin', async (t) => {
  const { address, port } = await listenOn(t, '0.0.0.0')
  const origins = listeningOrigins(address)
  for (const host of ['127.0.0.1', 'localhost']) t.ok(origins.includes(`http://${host}:${port}`), host)
  t.notOk(origins.some((origin) => origin.includes('0.0.0.0')))
})

t.test('a server that does not listen has no origins', async (t) => {
  t.same(listeningOrigins(undefined), [])
})
