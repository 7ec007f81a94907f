import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startGanache } from '../support/ganache-node.js'
import { ganacheCalls, seedNode } from '../support/seed-node.js'
import { runConcordat } from '../support/service.js'

const known = fileURLToPath(new URL('../../conformance/known/ganache.yaml', import.meta.url))

t.test('ganache fails where it differs from the contract, and only there', async (t) => {
  const node = await startGanache(31)
  t.teardown(() => node.stop())
  await seedNode(node.url, ganacheCalls)
  // A batch with an item that is null ends ganache, and it looks long for the estimate of a loop without end.
  // None of the nodes has a time limit for a body that does not come.
  const only = ['--only', '!batch/all-items-wrong', '--only', '!http/slow-body', '--timeout', '300']
  const { out, err, code } = await runConcordat([
    'conform',
    node.url,
    ...['--network', 'test', '--known', known],
    ...only,
  ])
  const failed = [...out.matchAll(/^ {2}✗ (\S+)$/gm)].map(([, id]) => id)
  t.same(failed, [], `every difference is listed: ${out}`)
  t.equal(code, 0, 'and nothing is listed that is none')
  t.ok(Number(/(\d+) passed.*requests/.exec(out)?.[1]) >= 100, 'the rest is as the contract says')
  t.equal(err, '')
})
