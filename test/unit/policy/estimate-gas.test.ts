import t from 'tap'
import { estimateGas } from '../../../src/gateway/policy/estimate-gas.js'
import type { JsonObject, JsonValue } from '../../../src/rpc/index.js'
import { addressOf, error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

const limits = { estimateFallbackGas: 6_800_000, estimateBisectionCalls: 8 }
const poor = { from: addressOf('77'), to: addressOf('88'), gasPrice: '0x5', value: '0x1', nonce: '0x9' }
const noFunds = error(-32003, 'Insufficient funds for gas * price + value')
const block = { number: '0x64', hash: hashOf('64'), gasLimit: '0x989680' }

const estimate = (script: Script, call: JsonObject = poor, selector = 'latest') => {
  const node = scriptedNode({
    eth_getBlockByNumber: result(block),
    eth_blockNumber: result('0x64'),
    ...script,
  })
  return { ...node, answer: estimateGas(node.call, call, selector, limits) }
}

/** A node that takes no state override. */
const strict =
  (answer: (call: JsonObject) => ReturnType<typeof error>) =>
  ([call, , ...rest]: readonly JsonValue[]) =>
    rest.length > 0 ? error(-32602, 'State override is not allowed') : answer(call as JsonObject)

t.test('the first success wins', async (t) => {
  const cases: readonly [why: string, script: Script['eth_estimateGas'], wanted: string, calls: number][] = [
    ['as asked', result('0x5208'), '0x5208', 1],
    ['with balance lent', ([, , lent]) => (lent === undefined ? noFunds : result('0x1')), '0x1', 2],
    ['without price', strict((call) => (call['gasPrice'] === undefined ? result('0x2') : noFunds)), '0x2', 4],
    ['without value', strict((call) => (call['value'] === undefined ? result('0x3') : noFunds)), '0x3', 5],
  ]
  for (const [why, script = noFunds, wanted, calls] of cases) {
    const { answer, methods } = estimate({ eth_estimateGas: script })
    t.equal(await answer, wanted, why)
    t.equal(methods().filter((method) => method === 'eth_estimateGas').length, calls, why)
  }
})

t.test('a complaint about the nonce is no obstacle', async (t) => {
  const script = strict((call) =>
    call['nonce'] === undefined ? result('0x4') : error(-32000, 'nonce too low'),
  )
  t.equal(await estimate({ eth_estimateGas: script }).answer, '0x4')
})

t.test(
  "when nothing helps: the own gas, else the lower of the block's limit and the contract's",
  async (t) => {
    const outOfGas = { eth_estimateGas: error(-32000, 'out of gas') }
    t.equal(await estimate(outOfGas, { ...poor, gas: '0x7fff' }).answer, '0x7fff')
    t.equal(await estimate(outOfGas).answer, '0x67c280', "the contract's is lower")
    const small = { eth_getBlockByNumber: result({ ...block, gasLimit: '0x10000' }) }
    t.equal(await estimate({ ...outOfGas, ...small }).answer, '0x10000', "the block's is lower")
  },
)

const revert = error(3, 'execution reverted', '0x1234')

t.test('a revert is estimated by a trace', async (t) => {
  const traced = { eth_estimateGas: revert, debug_traceCall: result({ gasUsed: '0x1015a' }) }
  const { answer, asked } = estimate(traced)
  t.equal(await answer, '0x1015a')
  t.strictSame(
    asked.map(([method]) => method),
    ['eth_estimateGas', 'eth_getBlockByNumber', 'debug_traceCall'],
  )
})

t.test('a revert that shows once the sender has balance is traced with that balance', async (t) => {
  const { answer, asked } = estimate({
    eth_estimateGas: ([, , lent]) => (lent === undefined ? noFunds : revert),
    debug_traceCall: result({ gasUsed: '0x6000' }),
  })
  t.equal(await answer, '0x6000')
  const options = asked.find(([method]) => method === 'debug_traceCall')?.[3] as JsonObject
  t.strictSame(Object.keys(options['stateOverrides'] as JsonObject), [poor.from])
})

t.test('without a trace the gas up to the failing step is searched for, in at most 8 calls', async (t) => {
  for (const needed of [21_000, 21_001, 30_000, 65_882, 900_000, 6_800_000]) {
    const { answer, methods } = estimate({
      eth_estimateGas: revert,
      eth_call: ([call]) =>
        Number((call as JsonObject)['gas']) >= needed ? revert : error(-32000, 'out of gas'),
    })
    const found = Number(await answer)
    t.ok(found >= needed, `${found} is enough for ${needed}`)
    t.ok(found <= needed * 1.06, `${found} is close to ${needed}`)
    t.ok(methods().filter((method) => method === 'eth_call').length <= limits.estimateBisectionCalls)
  }
})

t.test('running out of gas in other words, or another revert, is not the failing step', async (t) => {
  const inner = error(3, 'execution reverted: inner call failed', '0x5678')
  const { answer } = estimate({
    eth_estimateGas: revert,
    debug_traceCall: result({ gasUsed: '0x0' }),
    eth_call: ([call]) => (Number((call as JsonObject)['gas']) >= 100_000 ? revert : inner),
  })
  t.ok(Number(await answer) >= 100_000)
})

t.test('a revert that eth_call does not show falls back', async (t) => {
  t.equal(await estimate({ eth_estimateGas: revert, eth_call: result('0x') }).answer, '0x67c280')
})

t.test('invalid parameters and unknown blocks are never forgiven', async (t) => {
  const invalid = { eth_estimateGas: error(-32602, 'gas: number too large'), eth_getBalance: result('0x0') }
  await t.rejects(estimate(invalid).answer, { code: -32602 })
  await t.rejects(estimate(invalid, poor, '0x5').answer, { code: -32602 })
  await t.rejects(
    estimate({ eth_estimateGas: error(-32602, 'Invalid block number 101') }, poor, '0x65').answer,
    {
      code: -32001,
    },
  )
  await t.rejects(estimate({ eth_estimateGas: error(-32000, 'header not found') }, poor, '0x65').answer, {
    code: -32001,
  })
})
