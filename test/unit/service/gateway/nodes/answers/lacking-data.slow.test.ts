import t from 'tap'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import { createForwarder } from '../../../../../../src/service/gateway/methods/index.js'
import type { PoolSettings } from '../../../../../../src/service/gateway/nodes/pool/pool-settings.js'
import { type AnvilNode, startAnvilNode, startChain } from '../../../../../support/anvil-node.js'
import { callersOf } from '../../../../../support/node-callers.js'
import { until } from '../../../../../support/until.js'
import { upstreamOf } from '../../../../../support/upstream-of.js'

type Test = Pick<typeof t, 'teardown'>

const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const contract = `0x${'c0'.repeat(20)}`
/** Returns 2 for any call; reverts on a call with value. */
const code = '0x3415600957600080fd5b600260005260206000f3'

/** Starts a chain in which the account's balance equals the block number, behind a proxy. */
async function startNode(t: Test, ...args: readonly string[]) {
  const chain = await startChain(...args)
  t.teardown(() => chain.stop())
  await chain.ask('anvil_setCode', contract, code)
  for (let number = 1; number <= 40; number++) {
    await chain.ask('evm_mine')
    await chain.ask('anvil_setBalance', account, `0x${number.toString(16)}`)
  }
  const node = await startAnvilNode(chain)
  t.teardown(() => node.close())
  return node
}

/** Calls nodes as the service does. */
async function openForwarder(t: Test, nodes: readonly AnvilNode[], own: Partial<PoolSettings> = {}) {
  const upstream = upstreamOf(t, nodes, { settings: { checkEveryMs: 60_000, ...own } })
  await until(() => upstream.status().every(({ state, head }) => state === 'ok' && head === 40n))
  const forward = createForwarder(upstream.call)
  const callers = callersOf('usr_1')
  return {
    upstream,
    callers,
    forward: (method: string, ...params: JsonValue[]) => forward(method, params, { callers }),
  }
}

/** Nodes with the state of the last ten blocks, and one with all state. */
const startNodes = async (t: Test) =>
  Promise.all([['--prune-history', '10'], ['--prune-history', '10'], []].map((args) => startNode(t, ...args)))

const stateMethods = ['eth_getBalance', 'eth_call']
const counted = (nodes: readonly AnvilNode[]) =>
  nodes.map((node) => stateMethods.reduce((sum, method) => sum + node.asked(method), 0))

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

t.test('old state is read from the archive node, and the other nodes are soon skipped', async (t) => {
  const nodes = await startNodes(t)
  const { forward, callers } = await openForwarder(t, nodes)
  for (let time = 0; time < 60; time++) {
    const number = `0x${(1 + (time % 20)).toString(16)}`
    t.equal(await forward('eth_getBalance', account, number), number)
  }
  t.ok((counted(nodes)[2] ?? 0) >= 60)
  t.equal(callers.sent, sum(counted(nodes)), 'attempts and checks of the state count for the caller')
  const before = counted(nodes)
  for (let number = 1; number <= 20; number++)
    await forward('eth_getBalance', account, `0x${number.toString(16)}`)
  t.strictSame(counted(nodes).slice(0, 2), before.slice(0, 2))
})

t.test('every method finds old state, by number and by hash', async (t) => {
  const nodes = await startNodes(t)
  const { forward } = await openForwarder(t, nodes, { lackMs: 0 })
  const block = (await forward('eth_getBlockByNumber', '0x5', false)) as { readonly hash: string }
  for (const selector of ['0x5', block.hash]) {
    for (let time = 0; time < 3; time++) {
      t.equal(await forward('eth_getBalance', account, selector), '0x5')
      t.equal(await forward('eth_getCode', contract, selector), code)
      t.match(await forward('eth_getStorageAt', contract, '0x0', selector), /^0x0+$/)
      t.equal(await forward('eth_getTransactionCount', account, selector), '0x0')
      t.match(await forward('eth_call', { to: contract }, selector), /^0x0+2$/)
    }
  }
  for (let time = 0; time < 3; time++)
    t.match(await forward('eth_estimateGas', { to: contract }, '0x5'), /^0x5/)
  t.equal(await forward('eth_getBalance', account, 'earliest'), '0x21e19e0c9bab2400000')
})

t.test('an error of the call itself has the wording of a node with the state', async (t) => {
  const nodes = await startNodes(t)
  const { forward } = await openForwarder(t, nodes, { lackMs: 0 })
  for (let time = 0; time < 6; time++) {
    const poor = { from: account, to: contract, value: '0xffff' }
    await t.rejects(forward('eth_call', poor, '0x5'), { code: -32003, message: /insufficient funds/i })
    const reverting = { from: account, to: contract, value: '0x1' }
    await t.rejects(forward('eth_call', reverting, '0x5'), { code: 3 })
  }
})

t.test('state that no node has is reported as pruned', async (t) => {
  const [first, second] = await startNodes(t)
  if (first === undefined || second === undefined) throw new TypeError('three nodes')
  const { forward } = await openForwarder(t, [first, second])
  for (let time = 0; time < 3; time++) {
    const gone = { code: -32001, message: 'The state of this block is not available' }
    await t.rejects(forward('eth_getBalance', account, '0x5'), gone)
    await t.rejects(forward('eth_call', { to: contract }, '0x5'), gone)
    await t.rejects(forward('eth_getBalance', account, '0xff'), {
      code: -32001,
      message: 'The block is not known',
    })
  }
  t.ok(first.asked('eth_getBalance') > 0 && second.asked('eth_getBalance') > 0)
})

t.test('missing state is recognised with any message and code of a node', async (t) => {
  for (const error of [
    { code: -32000, message: 'missing trie node 2fa6 (path ) state 0x2fa6 is not available' },
    { code: -32001, message: 'block not found' },
    { code: -32603, message: 'internal' },
  ]) {
    const nodes = await Promise.all([startNode(t), startNode(t)])
    const { forward } = await openForwarder(t, nodes, { lackMs: 0 })
    const [lacking] = nodes
    if (lacking === undefined) throw new TypeError('two nodes')
    lacking.alter = (method, { id, ...answer }) =>
      stateMethods.includes(method) ? { id, error } : { id, ...answer }
    for (let time = 0; time < 4; time++) {
      t.equal(await forward('eth_getBalance', account, '0x5'), '0x5')
      t.match(await forward('eth_call', { to: contract }, '0x5'), /^0x0+2$/)
    }
    t.ok(lacking.asked('eth_getBalance') > 0)
  }
})

t.test('a block that one node lacks is read from another one, and one that all lack is null', async (t) => {
  const nodes = await Promise.all([startNode(t), startNode(t)])
  const { forward } = await openForwarder(t, nodes, { lackMs: 60_000 })
  const { hash } = (await forward('eth_getBlockByNumber', '0x5', false)) as { readonly hash: string }
  const [lacking] = nodes
  if (lacking === undefined) throw new TypeError('two nodes')
  const lookups: readonly (readonly [string, ...JsonValue[]])[] = [
    ['eth_getBlockByNumber', '0x5', false],
    ['eth_getBlockByHash', hash, false],
    ['eth_getBlockTransactionCountByNumber', '0x5'],
  ]
  lacking.alter = (method, { id, ...answer }) =>
    lookups.some(([lookup]) => lookup === method) ? { id, result: null } : { id, ...answer }
  for (let time = 0; time < 4; time++) {
    for (const lookup of lookups) t.not(await forward(...lookup), null, lookup[0])
  }
  const before = lacking.asked('eth_getBlockByNumber')
  t.ok(before > 0)
  for (let time = 0; time < 10; time++) await forward('eth_getBlockByNumber', '0x4', false)
  t.equal(lacking.asked('eth_getBlockByNumber'), before, 'the node is known to lack older blocks, too')
  t.equal(await forward('eth_getBlockByNumber', '0xff', false), null)
  t.equal(await forward('eth_getBlockByHash', `0x${'0'.repeat(64)}`, false), null)
})
