import t from 'tap'
import type { Network } from '../../../../../src/service/gateway/profiles/index.js'
import { createFindNetwork } from '../../../../../src/service/gateway/request/index.js'

const network = { answer: () => 'answered' }

/** Whether the test network is found at a host of a process with these networks and public URLs. */
function isFoundAt(host: string, served: readonly Network[], publicUrls: Record<string, string>): boolean {
  const networks = Object.fromEntries(served.map((name) => [name, network]))
  const find = createFindNetwork(networks, publicUrls)
  try {
    return find({ id: 'key_1', network: 'test' }, host) === network
  } catch (error) {
    t.match(error, { failure: 'wrongNetwork', message: 'This service does not serve the test network' })
    return false
  }
}

const both = ['test', 'main'] as const

t.test('where each network has a host of its own, a key is refused at the other one', async (t) => {
  const split = { test: 'https://test.example.net/base', main: 'https://Main.example.net:8443' }
  for (const host of ['test.example.net', 'TEST.example.net:443', '127.0.0.1:8080', 'other.example.net'])
    t.ok(isFoundAt(host, both, split), host)
  for (const host of ['test.example.net.', 'test.example.net.:443', 'main.example.net..'])
    t.ok(isFoundAt(host, both, split), host)
  for (const host of [
    'main.example.net',
    'MAIN.example.net:8443',
    'main.example.net:1',
    'main.example.net.',
    'Main.example.net.:8443',
  ])
    t.notOk(isFoundAt(host, both, split), host)
  t.notOk(isFoundAt('main.example.net', ['test'], split), 'another process serves the main network')
  const dotted = { test: 'https://test.example.net.', main: 'https://main.example.net.:8443' }
  for (const host of ['main.example.net', 'main.example.net.:8443'])
    t.notOk(isFoundAt(host, both, dotted), host)
  const together = { test: 'https://example.net/test', main: 'https://example.net/main' }
  t.ok(isFoundAt('example.net', both, together), 'one host for both')
  t.ok(isFoundAt('main.example.net', both, { main: split.main }), 'only one network has a public URL')
})

t.test('a network that the process does not serve is refused at every host', async (t) => {
  for (const publicUrls of [{}, { test: 'https://test.example.net' }])
    for (const host of ['test.example.net', '127.0.0.1:8080'])
      t.notOk(isFoundAt(host, ['main'], publicUrls), host)
})
