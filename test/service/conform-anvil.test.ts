import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startEmbeddedChain } from '../../src/gateway/chain/embedded-chain.js'
import { runConcordat } from '../support/service.js'

const known = fileURLToPath(new URL('../../conformance/known/anvil.yaml', import.meta.url))

t.test('a development node is no service: it fails where it differs, and only there', async (t) => {
  const chain = await startEmbeddedChain({ chainId: '0x1f' })
  t.teardown(() => chain.stop())
  // One case waits for an answer that never comes, for as long as an answer may take.
  const args = ['conform', chain.url, '--network', 'test', '--timeout', '10']

  const red = await runConcordat([...args, '--only', 'null-lookups/*', '--only', 'logs-limits/*'])
  t.equal(red.code, 1, 'a difference that nobody knows of fails the run')
  t.match(red.out, '✗ null-lookups/uncle-count-by-hash')
  t.match(red.out, '✗ logs-limits/over-limit-error')
  t.match(red.out, 'error -32001 "Resource not found"', 'it is told what came')

  const all = await runConcordat([...args, '--known', known])
  const failed = [...all.out.matchAll(/^ {2}✗ (\S+)$/gm)].map(([, id]) => id)
  t.same(failed, [], 'every difference is listed')
  t.equal(all.code, 0, 'and nothing is listed that is none')
  t.match(all.out, /\d+ known to fail/)
  t.equal(all.err, '')
})
