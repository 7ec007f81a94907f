import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../../src/service/gateway/app/config/tuning.js'
import type { Upstream } from '../../../../../../src/service/gateway/nodes/index.js'
import type { PoolSettings } from '../../../../../../src/service/gateway/nodes/pool/pool-settings.js'
import { type AnvilNode, shiftHead, startAnvilNode, startChain } from '../../../../../support/anvil-node.js'
import { until } from '../../../../../support/until.js'
import { settings, upstreamOf } from '../../../../../support/upstream-of.js'

/** The settings of the service itself. */
const serviceSettings = {}

type Test = Pick<typeof t, 'teardown'>

/** A chain of 231 blocks that can go back to block 30, behind proxies. */
async function chainWith(t: Test, proxies: number) {
  const chain = await startChain()
  t.teardown(() => chain.stop())
  await chain.ask('anvil_mine', '0x1e')
  const snapshot = await chain.ask('evm_snapshot')
  await chain.ask('anvil_mine', '0xc8')
  const nodes = await Promise.all(Array.from({ length: proxies }, () => startAnvilNode(chain)))
  return { chain, nodes, snapshot }
}

/** The upstream of known nodes, with frequent checks unless other settings are given. */
async function openUpstream(t: Test, nodes: readonly AnvilNode[], own: Partial<PoolSettings> = settings) {
  const lines: string[] = []
  const note = (_: object, words: string) => {
    if (/chain head|agreed head/.test(words)) lines.push(words)
  }
  const log = { error: note, warn: note, info: note }
  const upstream = upstreamOf(t, nodes, { settings: own, log })
  await until(
    () => upstream.status().every(({ head }) => head !== undefined) && upstream.head() !== undefined,
  )
  return { upstream, lines }
}

/** Reads of the latest block. */
const readLatest = (upstream: Upstream) =>
  Promise.all([
    upstream.call('eth_blockNumber', []),
    upstream.call('eth_getBlockByNumber', ['latest', false]),
    upstream.call('eth_getBalance', [`0x${'0'.repeat(40)}`, 'latest']),
  ])

const at = (number: string) => [{ result: number }, { result: { number } }, { result: '0x0' }]

for (const proxies of [1, 2, 3]) {
  t.test(`a chain that ${proxies} nodes reset by 200 blocks is followed`, async (t) => {
    const { chain, nodes, snapshot } = await chainWith(t, proxies)
    const { upstream } = await openUpstream(t, nodes, serviceSettings)
    t.match(await readLatest(upstream), at('0xe6'))
    await chain.ask('evm_revert', snapshot)
    t.match(await readLatest(upstream), at('0x1e'))
    t.equal(upstream.head(), 30n)
    await chain.ask('evm_mine')
    t.match(await readLatest(upstream), at('0x1f'))
  })

  t.test(`three blocks that ${proxies} nodes remove are abandoned`, async (t) => {
    const { chain, nodes } = await chainWith(t, proxies)
    const { upstream, lines } = await openUpstream(t, nodes, serviceSettings)
    t.match(await readLatest(upstream), at('0xe6'))
    await chain.ask('anvil_rollback', 3)
    t.match(await readLatest(upstream), at('0xe3'))
    await until(() => lines.length > 0)
    t.strictSame(lines, ['the chain head moved back'])
  })
}

t.test('one of three nodes that is 900 blocks ahead is neither followed nor asked', async (t) => {
  const { chain, nodes } = await chainWith(t, 3)
  const [wrong] = nodes
  if (wrong === undefined) throw new TypeError('three nodes')
  shiftHead(wrong, 900)
  const { upstream, lines } = await openUpstream(t, nodes)
  for (let time = 0; time < 30; time++) {
    t.match(await readLatest(upstream), at('0xe6'))
  }
  t.equal(wrong.asked('eth_getBalance'), 0)
  await until(() => lines.length > 0)
  t.strictSame(lines, ['a node is ahead of the agreed head and is not used'])
  t.strictSame(
    upstream.status().map(({ state }) => state),
    ['ahead', 'ok', 'ok'],
  )
  wrong.alter = undefined
  t.match(await readLatest(upstream), at('0xe6'))
  await chain.ask('evm_mine')
  t.match(await readLatest(upstream), at('0xe7'))
  await until(() => upstream.status()[0]?.state === 'ok')
  t.equal(upstream.head(), 231n)
})

t.test('one of three nodes that claims a higher head in an answer is not followed', async (t) => {
  const { nodes } = await chainWith(t, 3)
  const { upstream } = await openUpstream(t, nodes)
  const [wrong] = nodes
  if (wrong === undefined) throw new TypeError('three nodes')
  shiftHead(wrong, 900)
  for (let time = 0; time < 30; time++) {
    t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0xe6' })
  }
  t.ok(wrong.asked('eth_blockNumber') > 0)
})

t.test('a block of one of three nodes becomes the head once a second node has it', async (t) => {
  const { nodes } = await chainWith(t, 3)
  const { upstream } = await openUpstream(t, nodes)
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new TypeError('three nodes')
  shiftHead(first, 1)
  await until(() => upstream.status()[0]?.head === 231n)
  t.equal(upstream.head(), 230n)
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0xe6' })
  shiftHead(second, 1)
  await until(() => upstream.head() === 231n)
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0xe7' })
})

t.test('a pending block on top of a new block reveals the new block', async (t) => {
  const { chain, nodes } = await chainWith(t, 1)
  const { upstream } = await openUpstream(t, nodes, { checkEveryMs: 60_000 })
  t.match(await readLatest(upstream), at('0xe6'))
  await chain.ask('evm_mine')
  await upstream.call('eth_getBlockByNumber', ['pending', false])
  t.equal(upstream.head(), 231n)
})

t.test('a node that falls behind does not move the head back, with two or three nodes', async (t) => {
  for (const proxies of [2, 3]) {
    const { nodes } = await chainWith(t, proxies)
    const { upstream } = await openUpstream(t, nodes)
    const [behind] = nodes
    if (behind === undefined) throw new TypeError('nodes')
    shiftHead(behind, -tuning.nodeLagBlocks)
    await until(() => upstream.status()[0]?.head === 224n)
    t.match(await readLatest(upstream), at('0xe6'))
    shiftHead(behind, -tuning.nodeLagBlocks - 1)
    await until(() => upstream.status()[0]?.state === 'behind')
    t.match(await readLatest(upstream), at('0xe6'))
    t.equal(upstream.head(), 230n)
  }
})

t.test('of two nodes that disagree, the head follows the one that agreed last', async (t) => {
  const { chain, nodes } = await chainWith(t, 2)
  const { upstream, lines } = await openUpstream(t, nodes)
  const [wrong] = nodes
  if (wrong === undefined) throw new TypeError('two nodes')
  shiftHead(wrong, tuning.nodeLagBlocks)
  await until(() => upstream.head() === 236n)
  wrong.alter = undefined
  await until(() => upstream.head() === 230n)
  shiftHead(wrong, tuning.nodeLagBlocks + 1)
  await until(() => upstream.status()[0]?.state === 'ahead')
  t.match(await readLatest(upstream), at('0xe6'))
  await chain.ask('anvil_mine', '0xa')
  t.match(await readLatest(upstream), at('0xf0'))
  t.equal(upstream.head(), 240n)
  await until(() => lines.includes('a node is ahead of the agreed head and is not used'))
})

t.test(
  'a node at the whole lag has agreed: of two, the one that leaps afterwards is not followed',
  async (t) => {
    const { nodes } = await chainWith(t, 2)
    const { upstream } = await openUpstream(t, nodes)
    const [behind, wrong] = nodes
    if (behind === undefined || wrong === undefined) throw new TypeError('two nodes')
    shiftHead(behind, -tuning.nodeLagBlocks)
    await until(() => upstream.status()[0]?.head === 224n)
    t.equal(upstream.head(), 230n)
    shiftHead(wrong, 900)
    await until(() => upstream.status()[1]?.head === 1_130n)
    t.equal(upstream.head(), 224n)
  },
)
