import t from 'tap'
import { startLogNode } from '../../support/log-node.js'
import { startService } from '../../support/service.js'
import { conform, conformKeys } from './conform-harness.js'

/** The embedded chain has no answer too large for memory, so a node of the test has one. */
t.test('streamed answers are tested with a node that has enough logs', async (t) => {
  const node = await startLogNode()
  // The latest block is 100,000. Each half of the last 2,000 blocks has two blocks with logs, about 20 MB in all.
  for (const block of [98_500, 98_900, 99_500, 99_900]) node.logs.set(block, 7_000)
  const service = await startService({
    env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
  })
  t.teardown(async () => {
    await service.stop()
    node.close()
  })
  const keys = await conformKeys(service, 'test')
  // One case after the other: the node and the client share this process, and a node that has to answer within seconds
  // must not wait for the client's work on another answer.
  const { report } = await conform(t, keys, ['--only', 'logs-limits/streamed*', '--concurrency', '1'])
  t.same(
    new Map(report.cases.map(({ id, verdict, reason }) => [id, reason ?? verdict])),
    new Map([
      ['logs-limits/streamed', 'pass'],
      ['logs-limits/streamed-in-a-batch', 'pass'],
    ]),
  )
})
