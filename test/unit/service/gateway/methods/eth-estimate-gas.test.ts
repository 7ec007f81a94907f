import t from 'tap'
import { limits as contractLimits } from '../../../../../generated/contract.js'
import { failure } from '../../../../../generated/errors.js'
import type { JsonObject, JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { estimateGas } from '../../../../../src/service/gateway/methods/eth-estimate-gas.js'
import type { NodeAnswer } from '../../../../../src/service/gateway/nodes/index.js'
import { NodeCallLimiter } from '../../../../../src/service/gateway/nodes/index.js'
import { callersOf } from '../../../../support/node-callers.js'
import { addressOf, error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

const limits = { ...contractLimits, estimateTimeoutSeconds: 60 }
const poor = { from: addressOf('77'), to: addressOf('88'), gasPrice: '0x5', value: '0x1', nonce: '0x9' }
const revert = error(3, 'execution reverted', '0x1234')
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

/** A node without state overrides. */
const strict =
  (answer: (call: JsonObject) => ReturnType<typeof error>) =>
  ([call, , ...rest]: readonly JsonValue[]) =>
    rest.length > 0 ? error(-32602, 'State override is not allowed') : answer(call as JsonObject)

t.test('the first successful estimate wins', async (t) => {
  const cases: readonly [why: string, script: Script['eth_estimateGas'], wanted: string, calls: number][] = [
    ['as asked', result('0x5208'), '0x5208', 1],
    ['with lent balance', ([, , lent]) => (lent === undefined ? noFunds : result('0x5301')), '0x5301', 2],
    [
      'without price',
      strict((call) => (call['gasPrice'] === undefined ? result('0x5302') : noFunds)),
      '0x5302',
      4,
    ],
    [
      'without value',
      strict((call) => (call['value'] === undefined ? result('0x5303') : noFunds)),
      '0x5303',
      5,
    ],
  ]
  for (const [why, script = noFunds, wanted, calls] of cases) {
    const { answer, methods } = estimate({ eth_estimateGas: script })
    t.equal(await answer, wanted, why)
    t.equal(methods().filter((method) => method === 'eth_estimateGas').length, calls, why)
  }
})

t.test('a nonce error does not prevent an estimate', async (t) => {
  const script = strict((call) =>
    call['nonce'] === undefined ? result('0x5304') : error(-32000, 'nonce too low'),
  )
  t.equal(await estimate({ eth_estimateGas: script }).answer, '0x5304')
})

t.test(
  "without a successful estimate: the call's gas, else the lower of the block's and the contract's limit",
  async (t) => {
    const outOfGas = { eth_estimateGas: error(-32000, 'out of gas') }
    t.equal(await estimate(outOfGas, { ...poor, gas: '0x7fff' }).answer, '0x7fff')
    t.equal(await estimate(outOfGas).answer, '0x67c280', "the contract's limit is lower")
    const small = { eth_getBlockByNumber: result({ ...block, gasLimit: '0x10000' }) }
    t.equal(await estimate({ ...outOfGas, ...small }).answer, '0x10000', "the block's limit is lower")
  },
)

t.test('an estimate below the intrinsic cost counts as a failed simulation', async (t) => {
  const to = addressOf('88')
  const calls: readonly [call: JsonObject, intrinsic: number][] = [
    [{ to }, 21_000],
    [{ to, data: '0x' }, 21_000],
    [{ to, data: '0x00ff10' }, 21_000 + 4 + 2 * 16],
    [{ to, input: '0x00ff10' }, 21_000 + 4 + 2 * 16],
    [{ data: '0xfe' }, 53_000 + 16],
    [{ to: null, data: '0x0000' }, 53_000 + 2 * 4],
  ]
  for (const [call, intrinsic] of calls) {
    const estimated = (gas: number) => ({ eth_estimateGas: result(`0x${gas.toString(16)}`) })
    const what = JSON.stringify(call)
    t.equal(Number(await estimate(estimated(intrinsic), call).answer), intrinsic, what)
    t.equal(await estimate(estimated(intrinsic - 1), call).answer, '0x67c280', `${what}: the fallback`)
    t.equal(await estimate(estimated(0), call).answer, '0x67c280', `${what}: the fallback`)
  }
})

t.test('gas below the intrinsic cost is left out of later attempts', async (t) => {
  const to = addressOf('88')
  /** Rootstock's nodes return 0, or an internal error for a receiver without code. */
  for (const refusal of [result('0x0'), error(-32603, 'Internal server error')]) {
    const script = {
      eth_estimateGas: strict((call) => (call['gas'] === undefined ? result('0x6fe2') : refusal)),
    }
    for (const gas of ['0x0', '0x1', '0x5207', '0x5247'])
      t.equal(await estimate(script, { to, data: '0xd09de08a', gas }).answer, '0x6fe2', gas)
    t.equal(
      await estimate(script, { to, data: '0xd09de08a', gas: '0x5248' }).answer,
      '0x5248',
      'it may be enough',
    )
  }
  const none = {
    eth_estimateGas: error(-32000, 'out of gas'),
    eth_getBlockByNumber: result({ ...block, gasLimit: '0x1' }),
  }
  t.equal(
    await estimate(none, { to, data: '0x01', gas: '0x1' }).answer,
    '0x5218',
    'at least the intrinsic cost',
  )
  const reverting = {
    eth_estimateGas: revert,
    debug_traceCall: result({ gasUsed: '0x5207' }),
    eth_call: revert,
  }
  t.ok(Number(await estimate(reverting, { to, gas: '0x1' }).answer) >= 21_000, 'the same for a revert')
})

t.test('a revert is estimated by a trace', async (t) => {
  const traced = { eth_estimateGas: revert, debug_traceCall: result({ gasUsed: '0x1015a' }) }
  const { answer, asked } = estimate(traced)
  t.equal(await answer, '0x1015a')
  t.strictSame(
    asked.map(([method]) => method),
    ['eth_estimateGas', 'eth_getBlockByNumber', 'debug_traceCall'],
  )
})

t.test('a revert that needs balance to appear is traced with that balance', async (t) => {
  const { answer, asked } = estimate({
    eth_estimateGas: ([, , lent]) => (lent === undefined ? noFunds : revert),
    debug_traceCall: result({ gasUsed: '0x6000' }),
  })
  t.equal(await answer, '0x6000')
  const options = asked.find(([method]) => method === 'debug_traceCall')?.[3] as JsonObject
  t.strictSame(Object.keys(options['stateOverrides'] as JsonObject), [poor.from])
})

t.test('without a trace, at most 8 calls search for the gas up to the failing step', async (t) => {
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

t.test(
  'the search asks from the limit of the call down to the intrinsic cost, and each gas once',
  async (t) => {
    const { answer, asked } = estimate(
      { eth_estimateGas: revert, eth_call: revert },
      { ...poor, gas: '0x520a' },
    )
    t.equal(await answer, '0x5208', 'the intrinsic cost')
    const calls = asked.filter(([method]) => method === 'eth_call').map(([, call]) => call as JsonObject)
    t.strictSame(
      calls.map(({ gas }) => gas),
      ['0x520a', '0x5208'],
    )
  },
)

t.test('another wording of out-of-gas, or another revert, does not count as the failing step', async (t) => {
  const inner = error(3, 'execution reverted: inner call failed', '0x5678')
  const { answer } = estimate({
    eth_estimateGas: revert,
    debug_traceCall: result({ gasUsed: '0x0' }),
    eth_call: ([call]) => (Number((call as JsonObject)['gas']) >= 100_000 ? revert : inner),
  })
  t.ok(Number(await answer) >= 100_000)
})

t.test('a revert that eth_call does not reproduce falls back', async (t) => {
  t.equal(await estimate({ eth_estimateGas: revert, eth_call: result('0x') }).answer, '0x67c280')
})

t.test('invalid parameters and unknown blocks are always errors', async (t) => {
  const invalid = { eth_estimateGas: error(-32602, 'gas: number too large'), eth_getBalance: result('0x0') }
  await t.rejects(estimate(invalid).answer, { code: -32603 })
  await t.rejects(estimate(invalid, poor, '0x5').answer, { code: -32603 })
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

t.test('an unusable answer to an auxiliary call does not fail the estimate', async (t) => {
  const rubbish = () => Promise.reject(failure('nodeAnsweredRubbish'))
  const lending = ([, , lent]: readonly JsonValue[]) => (lent === undefined ? noFunds : rubbish())
  const cases: readonly [why: string, script: Script, wanted: string, selector?: string][] = [
    ['the state of the block', { eth_estimateGas: noFunds, eth_getBalance: rubbish }, '0x67c280', '0x5'],
    ['the block of an error', { eth_estimateGas: noFunds, eth_getBlockByNumber: rubbish }, '0x67c280', '0x5'],
    ['balance lent', { eth_estimateGas: lending }, '0x67c280'],
    [
      'null for lent balance',
      { eth_estimateGas: ([, , lent]) => (lent ? result(null) : noFunds) },
      '0x67c280',
    ],
    ['the trace', { eth_estimateGas: revert, debug_traceCall: rubbish, eth_call: result('0x') }, '0x67c280'],
    ['the search', { eth_estimateGas: revert, eth_call: rubbish }, '0x67c280'],
    ["the block's limit", { eth_estimateGas: noFunds, eth_getBlockByNumber: rubbish }, '0x67c280'],
  ]
  for (const [why, script, wanted, selector] of cases)
    t.equal(await estimate(script, poor, selector).answer, wanted, why)
})

/** Runs an estimate with a scripted node. Some calls stay pending until they are cancelled. */
function slowly(
  script: Script,
  isSlow: (method: string, before: number) => boolean,
  call: JsonObject = poor,
  selector = 'latest',
) {
  let time = 0
  const node = scriptedNode(script)
  const slow: typeof node.call = async (method, params, options) => {
    const before = node.methods().filter((each) => each === method).length
    if (!isSlow(method, before)) return node.call(method, params, options)
    t.equal(options?.signal?.aborted, false, `${method} is sent in time`)
    time += limits.estimateTimeoutSeconds * 1_000
    t.equal(options?.signal?.aborted, true, `${method} is cancelled at the deadline`)
    throw options?.signal?.reason
  }
  return estimateGas(slow, call, selector, limits, undefined, () => time)
}

t.test('a failing simulation is answered with the best result at its deadline', async (t) => {
  const failing = { eth_estimateGas: noFunds, eth_blockNumber: result('0x64') }
  const lending = (method: string, before: number) => method !== 'eth_estimateGas' || before > 0
  t.equal(await slowly(failing, lending), '0x67c280', "the contract's limit")
  t.equal(await slowly(failing, lending, { ...poor, gas: '0x7fff' }), '0x7fff', "the call's gas")

  const reverting = {
    eth_estimateGas: revert,
    eth_getBlockByNumber: result({ ...block, gasLimit: '0x10000' }),
    eth_call: revert,
  }
  const tracing = (method: string) => method === 'debug_traceCall'
  t.equal(await slowly(reverting, tracing), '0x10000', "the block's limit")
  const searching = (method: string, before: number) => method === 'eth_call' && before > 1
  const found = Number(await slowly(reverting, searching))
  t.ok(found >= 21_000 && found < 0x10000, `${found}: the result of the search`)
})

t.test('a deadline before the simulation has failed means that no node answered in time', async (t) => {
  const late = { code: -32002, httpStatus: 504 }
  await t.rejects(
    slowly({}, () => true),
    late,
  )
  const unsure = slowly({ eth_estimateGas: noFunds }, (method) => method !== 'eth_estimateGas', poor, '0x5')
  await t.rejects(unsure, late)
})

t.test('a disconnect ends the estimate', async (t) => {
  const gone = new RangeError('gone')
  const signal = { aborted: false, reason: gone }
  const { call } = scriptedNode({ eth_estimateGas: noFunds })
  const node: typeof call = async (method, params, options) => {
    if (options?.signal?.aborted) throw options.signal.reason
    signal.aborted = true
    return call(method, params)
  }
  await t.rejects(estimateGas(node, poor, 'latest', limits, { signal }), gone)
})

t.test('a user without node calls left receives the best estimate so far', async (t) => {
  const limiter = new NodeCallLimiter({ perSecond: 200, atOnce: 1, waitMs: 1 })
  const { call, methods } = scriptedNode({ eth_estimateGas: revert })
  const callers = { ...callersOf('user'), calls: 1 }
  let release: (answer: NodeAnswer) => void = () => undefined
  const other = limiter.limit(() => new Promise((resolve) => (release = resolve)))
  const busy = other('eth_getLogs', [], { callers })
  const node = limiter.limit(call)
  const options = { callers: callersOf('user') }
  t.equal(await estimateGas(node, poor, 'latest', limits, options), '0x67c280')
  t.strictSame(methods(), ['eth_estimateGas'], 'only the first call of a request is free')
  release(result([]))
  await busy
})
