import t from 'tap'
import { extensions, limits } from '../../../../../generated/contract.js'
import { methods } from '../../../../../generated/methods.js'
import type { JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { createAnswers, createForwarder } from '../../../../../src/service/gateway/methods/index.js'
import type { NodeAnswer, NodeCall } from '../../../../../src/service/gateway/nodes/index.js'
import { paramsOf, readRequestBounds } from '../../../../support/method-calls.js'
import { runs } from '../../../../support/runs.js'
import { addressOf, error, hashOf, result } from './scripted-node.js'

/** The node calls of each method, counted while a node answers in every way that causes more of them. */
const bounds = await readRequestBounds()

t.test('the table of docs/reliability.md has every method', async (t) => {
  t.strictSame([...bounds.keys()].sort(), ['rpc.discover', ...Object.keys(methods)].sort())
})

t.test('eth_getLogs makes no more node calls than its time allows', async (t) => {
  const seconds = limits.logsTimeoutSeconds + 1
  t.equal(bounds.get('eth_getLogs')?.nodeCalls, seconds * limits.nodeCallsPerUserPerSecond)
})

const block = result({
  number: '0x5',
  hash: hashOf('05'),
  gasLimit: '0x67c280',
  transactionHash: hashOf('06'),
})

/** Answers of nodes that lead to further calls. */
const answers: readonly NodeAnswer[] = [
  result(null),
  result('0x5'),
  block,
  error(3, 'execution reverted', '0x1234'),
  error(-32000, 'out of gas'),
  error(-32603, 'internal error'),
  error(-32602, 'invalid params'),
  error(-32601, 'method not found'),
  { error: { code: -32000, message: 'nonce too low' }, isRepeated: true },
]

/** A repeatable sequence of numbers below a bound (Numerical Recipes). */
function sequence(seed: number) {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const subject = { address: addressOf('77'), blockHash: hashOf('05'), transactionHash: hashOf('06') }

/** Ways to select a block. Methods that take no block object see one, too: their code must not call more for it. */
const blocks: readonly JsonValue[] = [
  'latest',
  '0x5',
  hashOf('05'),
  { blockHash: hashOf('05'), requireCanonical: true },
  { blockNumber: '0x5' },
]

/** Runs a method with answers in an order that the seed determines, and returns the number of node calls. */
async function callsOf(name: string, selected: JsonValue, seed: number): Promise<number> {
  const random = sequence(seed)
  // Some nodes answer a method in the same way each time.
  const habits = new Map<string, NodeAnswer>()
  const isSteady = random(2) === 0
  let calls = 0
  const node: NodeCall = async (method) => {
    calls++
    const answer = answers[random(answers.length)] ?? result(null)
    if (method === 'eth_blockNumber' && random(4) > 0) return result('0x64')
    if (method.startsWith('eth_getBlockBy') && random(2) > 0) return block
    if (!isSteady || calls === 1) return answer
    const habit = habits.get(method) ?? answer
    habits.set(method, habit)
    return habit
  }
  const forward = createForwarder(node)
  const answer = createAnswers({
    call: node,
    nodeCallsPerSecond: () => 200,
    cached: ({ name }, params) => forward(name, params),
    network: extensions['x-networks'].test,
  })
  const caller = { userId: 'user', request: {}, inBatch: false, holdLogs: () => true }
  // An error of the contract is an answer, too.
  await Promise.resolve()
    .then(() => answer(name, paramsOf(name, { ...subject, block: selected }), caller))
    .catch(() => undefined)
  return calls
}

t.test('no method makes more node calls than the table states', async (t) => {
  for (const name of Object.keys(methods)) {
    if (name === 'eth_getLogs') continue
    let seen = 0
    for (let seed = 0; seed < runs(2_000); seed++) {
      for (const selected of blocks) seen = Math.max(seen, await callsOf(name, selected, seed))
    }
    const stated = bounds.get(name)?.nodeCalls ?? 0
    t.ok(seen <= stated, `${name}: ${seen} of ${stated}`)
    if (stated <= 6) t.equal(seen, stated, `${name} reaches its number`)
  }
})
