import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { limits } from '../../generated/contract.js'
import { createKey } from '../support/keys.js'
import { startLogNode } from '../support/log-node.js'
import { isLong, longTest } from '../support/runs.js'
import { call, post, startService } from '../support/service.js'

/**
 * The node calls that one user causes with requests that try to cause as many as possible. The short form lowers the
 * limits, so that they are reached in seconds.
 */
const chain = 7_000_000
const perSecond = isLong ? limits.nodeCallsPerUserPerSecond : 40
const atOnce = isLong ? limits.nodeCallsAtOncePerUser : 8

const { logsRangeTooSlow: tooSlow } = JSON.parse(readFileSync('openrpc.json', 'utf8')).info['x-failures']

const node = await startLogNode()
node.head = chain + 100
node.delayMs = 50
const folder = await mkdtemp(join(tmpdir(), 'concordat-node-work-'))
const file = join(folder, 'concordat.yaml')
const nodes = { test: [node.url], main: [node.url] }
await writeFile(file, JSON.stringify({ nodes }))
const service = await startService({ command: 'serve', args: ['--config', file] })
t.teardown(async () => {
  await service.stop()
  node.close()
  await rm(folder, { recursive: true })
})
const { url } = await newKey('user')
// A reload sets the limits.
await writeFile(
  file,
  JSON.stringify({ nodes, limits: { nodeCallsPerSecond: perSecond, nodeCallsAtOnce: atOnce } }),
)
service.process.kill('SIGHUP')
t.ok(
  await service.said(
    'err',
    isLong ? '"changed":[]' : '"changed":["limits.nodeCallsAtOnce","limits.nodeCallsPerSecond"]',
  ),
)

function newKey(user: string) {
  return createKey(service, '--user', `${user}@example.net`, '--network', 'test', '--name', user)
}

const quantity = (value: number) => `0x${value.toString(16)}`
const logsOf = (from: number, to: number, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getLogs',
  params: [{ fromBlock: quantity(from), toBlock: quantity(to) }],
})

/** Sets the node's limit of blocks, and clears what it has recorded. Returns the time. */
function begin(mostBlocks: number): number {
  node.mostBlocks = mostBlocks
  node.arrivals.length = 0
  node.mostAtOnce = 0
  return performance.now()
}

/**
 * Checks the calls for many blocks: no more have arrived at any moment than the limit has allowed until then. The first
 * second of calls may follow at once.
 */
function checkRate(t: Test, since: number): void {
  const arrivals = node.arrivals.filter(
    ({ method, filter }) => method === 'eth_getLogs' && filter.fromBlock !== filter.toBlock,
  )
  const tooEarly = arrivals.findIndex(
    ({ at }, before) => before > perSecond + ((at - since) / 1_000) * perSecond,
  )
  t.equal(tooEarly, -1, `${arrivals.length} calls, at most ${perSecond} a second`)
}

t.test('a range over many blocks is read at the limit, and only its user waits', async (t) => {
  const blocks = isLong ? chain : 5_000 * perSecond * 2
  const other = await newKey('other')
  const since = begin(5_000)
  node.logs.set(1, 2).set(blocks - 1, 1)
  const order: string[] = []
  const whole = post(url, [logsOf(0, blocks - 1, 1), logsOf(0, blocks - 1, 2)]).then((answer) => {
    order.push('whole')
    return answer
  })
  // The other user's calls take milliseconds, and the range takes seconds.
  for (let at = 0; at < 3; at++) {
    const found = await call(other.url, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })
    t.equal(found.length, 2)
  }
  order.push('other user')
  const { json } = await whole
  t.strictSame(order, ['other user', 'whole'])
  for (const { result } of json) t.equal(result.length, 3)
  checkRate(t, since)
  t.ok(node.mostAtOnce <= atOnce + 1, `${node.mostAtOnce} calls at once, one of them of the other user`)
})

t.test('ranges that cannot be read in time are refused, also twenty in a batch', async (t) => {
  for (const mostBlocks of [100, 10]) {
    begin(mostBlocks)
    // A short range is never refused, and shows the service the limit of the node.
    t.ok((await post(url, logsOf(0, 299))).json.result)
    begin(mostBlocks)
    const { json } = await post(url, logsOf(0, chain - 1))
    t.match(json.error, { code: -32602, message: /this block range should work: \[0x0, 0x[0-9a-f]+\]/ })
    for (const { title, pattern } of tooSlow.messageSchema.allOf)
      t.match(json.error.message, new RegExp(pattern), title)
    t.ok(node.arrivals.length < 50, `${node.arrivals.length} calls for ${mostBlocks} blocks each`)
    const since = begin(mostBlocks)
    const batch = Array.from({ length: 20 }, (_, at) => logsOf(0, chain - 1, at))
    for (const { error } of (await post(url, batch)).json) t.equal(error.code, -32602)
    t.ok(node.arrivals.length < 100, `${node.arrivals.length} calls for a batch of twenty`)
    checkRate(t, since)
  }
})

longTest('the suggested range is read in time', async (t) => {
  const { json } = await post(url, logsOf(0, chain - 1))
  const since = begin(10)
  const suggested = Number(json.error.data.to)
  const answer = await post(url, logsOf(0, suggested))
  t.equal(answer.json.result?.length, 2, answer.text.slice(0, 200))
  checkRate(t, since)
  t.ok(node.mostAtOnce <= atOnce, `${node.mostAtOnce} calls at once`)
})
