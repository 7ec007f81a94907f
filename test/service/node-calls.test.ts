import t from 'tap'
import { startLogNode } from '../support/log-node.js'
import { awayFromMidnight } from '../support/midnight.js'
import { call, post, startService } from '../support/service.js'
import { createVisitor, newAddress, password } from '../support/visitor.js'

/** Calls to nodes are counted for the request that caused them: in metrics, and on the pages of its user. */
const node = await startLogNode()
const service = await startService({
  env: {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: node.url,
    CONCORDAT_METRICS_PORT: '0',
  },
})
t.teardown(async () => {
  await service.stop()
  node.close()
})

/** The number and the sum of a histogram of one method in the test network. */
async function histogram(method: string): Promise<readonly [count: number, sum: number]> {
  const text = await (await fetch(service.metrics ?? '')).text()
  const of = (end: string) => {
    const name = `concordat_request_node_calls_${end}{network="test",method="${method}"} `
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.slice(name.length),
    )
  }
  return [of('count'), of('sum')]
}

const ada = createVisitor(service.origin)
await ada.post('/signup', { email: newAddress(), password })
const { location = '' } = await ada.post('/keys', { name: 'indexer', network: 'test' })
const url = /data-secret-text="([^"]*)"/.exec((await ada.get(location ?? '')).html)?.[1] ?? ''
const path = location?.split('?')[0] ?? ''

/** The cells of the row that starts with a text. */
const rowOf = (html: string, first: string) =>
  [...html.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row = '']) =>
      [...row.matchAll(/<(t[hd])\b[^>]*>(.*?)<\/\1>/gs)].map(([, , cell = '']) =>
        cell.replace(/<[^>]*>/g, ''),
      ),
    )
    .find(([cell = '']) => cell.split(' ')[0] === first)

await awayFromMidnight()
t.test('a range that the node answers in small parts shows its node calls', async (t) => {
  node.mostBlocks = 400
  node.logs.set(1_000, 2)
  const filter = { fromBlock: '0x1', toBlock: '0x7d0' }
  t.equal((await call(url, 'eth_getLogs', filter)).length, 2)
  await call(url, 'eth_chainId')
  const asked = node.filters.length
  t.ok(asked > 5, `${asked} parts`)
  const [count, nodeCalls] = await histogram('eth_getLogs')
  t.equal(count, 1)
  t.ok(nodeCalls > asked && nodeCalls <= asked + 3, `${nodeCalls} calls: the parts and the head`)
  t.same(await histogram('eth_chainId'), [1, 0])

  const metrics = (await ada.get(`${path}/metrics`)).html
  t.match(rowOf(metrics, 'eth_getLogs'), [
    'eth_getLogs',
    '1',
    '50 %',
    '100 %',
    '1',
    `${nodeCalls}`,
    /^[\d.]+$/,
  ])
  t.match(rowOf(metrics, 'eth_chainId'), ['eth_chainId', '1', '50 %', '100 %', '1', '0', '0'])
  t.match(metrics, 'A node call is a request that the service sends to a node')
  const csv = (await ada.get(`${path}/metrics/methods.csv`)).html
  t.match(csv, /^method,.*,node_calls,charged\r$/m)
  t.match(csv, new RegExp(`^eth_getLogs,1,.*,${nodeCalls},1\\r$`, 'm'))

  const usage = (await ada.get('/usage')).html
  t.match(usage, /2 of [\d,]+ requests/, 'the quota counts requests')
  t.match(usage, `<dt>Node calls</dt><dd>${nodeCalls}</dd>`)
  t.match(rowOf(usage, 'indexer'), [/^indexer .{3}…/, '2', '2', '0', `${nodeCalls}`])
  const today = new Date().toISOString().slice(0, 10)
  t.same(rowOf(usage, today)?.at(-1), `${nodeCalls}`)
  t.match((await ada.get('/usage/days.csv')).html, new RegExp(`^${today},2,0,${nodeCalls},2,2,0\\r?$`, 'm'))
})

t.test('calls of a batch are counted one by one, and a joined call costs nothing', async (t) => {
  const request = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params })
  const logs = request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])
  const balance = request('eth_getBalance', [`0x${'b0'.repeat(20)}`, 'latest'])
  const [before] = [await histogram('eth_getLogs')]
  await post(url, [balance, balance, logs, request('eth_chainId'), balance])
  const [count, nodeCalls] = await histogram('eth_getLogs')
  t.equal(count - before[0], 1)
  t.ok(nodeCalls > before[1])
  const [balances, ofBalances] = await histogram('eth_getBalance')
  t.equal(balances, 3)
  t.ok(ofBalances >= 1 && ofBalances < 3, `${ofBalances} for three`)
  t.same(await histogram('eth_chainId'), [2, 0], 'a local answer')
})
