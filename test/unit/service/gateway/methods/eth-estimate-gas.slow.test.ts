import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import type { JsonObject } from '../../../../../src/runtime/rpc/index.js'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { startEmbeddedChain } from '../../../../../src/service/gateway/dev-chain/embedded-chain.js'
import { estimateGas } from '../../../../../src/service/gateway/methods/eth-estimate-gas.js'
import type { NodeCall } from '../../../../../src/service/gateway/nodes/index.js'
import { createUpstream } from '../../../../../src/service/gateway/nodes/index.js'
import { startHardhatNode } from '../../../../support/hardhat-node.js'

/** Estimates of failing calls, on nodes with and without state overrides and debug_traceCall. */
const poor = `0x${'77'.repeat(20)}`
const account = `0x${'88'.repeat(20)}`

/**
 * Creates a contract whose code counts down from a number and reverts, so that gas is spent before the failing step.
 */
const countDown = (from: number) => `0x61${from.toString(16).padStart(4, '0')}5b600190038060035760006000fd`

/** A node with neither of them, as some nodes of the network are. */
const plain =
  (call: NodeCall): NodeCall =>
  async (method, params, options) => {
    if (method === 'debug_traceCall') return { error: { code: -32601, message: 'method not found' } }
    const isOverriding = params.length > 2 && (method === 'eth_call' || method === 'eth_estimateGas')
    return isOverriding
      ? { error: { code: -32602, message: 'too many arguments, want at most 2' } }
      : call(method, params, options)
  }

/** Records the methods of calls to a node. */
function counting(call: NodeCall) {
  const asked: string[] = []
  const counted: NodeCall = (method, params, options) => {
    asked.push(method)
    return call(method, params, options)
  }
  return { call: counted, asked }
}

const chainId = '0x1f'
const chain = await startEmbeddedChain({ chainId, log: () => undefined })
const hardhat = await startHardhatNode(31)
const upstreamOf = (url: string) =>
  createUpstream({
    tuning,
    nodes: [{ name: 'test-1', url, weight: 1, headers: {}, timeoutMs: 600_000 }],
    timeoutMs: 600_000,
    chainId,
  })
const anvil = upstreamOf(chain.url)
const other = upstreamOf(hardhat.url)
t.teardown(async () => {
  await Promise.all([anvil.close(), other.close()])
  await Promise.all([chain.stop(), hardhat.stop()])
})
await Promise.all([anvil.ready(), other.ready()])

/** Hardhat's node ignores a missing balance, and estimates one more than the used gas. */
const nodes: readonly [name: string, call: NodeCall, surplus: number][] = [
  ['anvil', anvil.call, 0],
  ['anvil without override and trace', plain(anvil.call), 0],
  ["Hardhat's node", other.call, 1],
  ["Hardhat's node without override and trace", plain(other.call), 1],
]

for (const [name, node, surplus] of nodes) {
  const estimate = async (call: JsonObject, selector = 'latest') => {
    const { call: counted, asked } = counting(node)
    const gas = Number(await estimateGas(counted, call, selector, limits))
    return { gas, calls: asked.filter((method) => method === 'eth_call').length }
  }

  t.test(`${name}: a sender without balance gets the gas of the call`, async (t) => {
    const known = { from: poor, to: poor, data: `0x${'11'.repeat(41)}` }
    t.equal((await estimate(known)).gas, 0x5498 + surplus, 'the known answer')
    t.equal((await estimate({ ...known, gasPrice: '0x3938700' })).gas, 0x5498 + surplus, 'with a price')
    const paying = { from: poor, to: account, value: '0xde0b6b3a7640000', gasPrice: '0x3938700' }
    t.equal((await estimate(paying)).gas, 21_000 + surplus, 'with a value')
  })

  t.test(`${name}: a revert gets the gas up to the failing step`, async (t) => {
    for (const count of [1, 500, 20_000]) {
      const { gas, calls } = await estimate({ from: poor, data: countDown(count) })
      // Creation, the bytes of its code, and 26 for each round.
      const used = 53_000 + 26 * count
      t.ok(gas >= used && gas < used * 1.1 + 1_000, `${count} rounds: ${gas}`)
      t.ok(calls <= limits.estimateBisectionCalls, `${calls} calls`)
    }
  })

  t.test(`${name}: other failures stay errors`, async (t) => {
    await t.rejects(estimate({ from: poor, to: account }, '0xffffff'), { code: -32001 })
    await t.rejects(estimate({ from: poor, to: account, data: '0xzz' }), { code: -32603 })
  })
}
