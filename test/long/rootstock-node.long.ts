/** The conformance suite against the service in front of a node with the habits of a live Rootstock node. */
import t from 'tap'
import { startRootstockNode } from '../support/rootstock-node.js'
import { runConcordat, startService } from '../support/service.js'

t.test(
  'the default run gives no false alarm on a Rootstock node, whose oddities it reports as tolerated',
  async (t) => {
    const chain = await startService({ env: { CONCORDAT_LOG_LEVEL: 'silent' } })
    const node = await startRootstockNode(chain.networks.test.url)
    const env = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_LOG_LEVEL: 'silent' }
    const service = await startService({ env })
    t.teardown(async () => {
      await service.stop()
      node.close()
      await chain.stop()
    })
    const { out, code } = await runConcordat(['conform', service.networks.test.url, '--network', 'test'])
    t.equal(code, 0, out)
    t.match(out, / tolerated/, 'calls without gas')
  },
)
