import type { ServerResponse } from 'node:http'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../../src/service/gateway/app/config/tuning.js'
import type { Upstream, UpstreamOptions } from '../../../../../../src/service/gateway/nodes/index.js'
import type { NodeState } from '../../../../../../src/service/gateway/nodes/node-status.js'
import { callersOf } from '../../../../../support/node-callers.js'
import {
  type NodeServer,
  type NodeServerRequest,
  sendAnswers,
  startNodeServer,
} from '../../../../../support/node-server.js'
import { until } from '../../../../../support/until.js'
import {
  address,
  asked,
  balance,
  settings,
  unchecked,
  upstreamOf,
} from '../../../../../support/upstream-of.js'

const states = (upstream: Upstream) => upstream.status().map(({ state }) => state)
const now = () => Math.floor(Date.now() / 1_000)

/** Opens an upstream, and waits until its nodes have these states. */
async function open(
  t: Parameters<typeof upstreamOf>[0],
  nodes: readonly NodeServer[],
  wanted: readonly NodeState[],
  options: Partial<UpstreamOptions> = {},
) {
  const lines: [object, string][] = []
  const note = (facts: object, words: string) => lines.push([facts, words])
  const log = { error: note, warn: note, info: note }
  const upstream = upstreamOf(t, nodes, { log, tuning, ...options })
  await until(() => states(upstream).join() === wanted.join())
  return { upstream, lines, words: () => lines.map(([, line]) => line) }
}

/** Answers all requests but the checks, or one method, in place of a node. */
const unlessCheck =
  (act: (request: NodeServerRequest, response: ServerResponse) => void, only?: string) =>
  (request: NodeServerRequest, response: ServerResponse): boolean => {
    const isCheck = request.calls.every(({ method }) => /^eth_(chainId|syncing|blockNumber)$/.test(method))
    if (isCheck || (only !== undefined && request.calls.every(({ method }) => method !== only))) return false
    act(request, response)
    return true
  }

const serverError = unlessCheck((_, response) => response.writeHead(502).end())
const internalError = unlessCheck(
  (request, response) =>
    sendAnswers(request, response, () => ({ error: { code: -32603, message: 'Internal server error' } })),
  'eth_getBalance',
)

t.test('a syncing or stale node is used while no other node is ok, and says so', async (t) => {
  const old = now() - tuning.nodeStaleSeconds - 60
  const rows = [
    ['syncing', { syncing: { currentBlock: '0x64', highestBlock: '0xa4e' } }],
    ['stale', { blockTime: old }],
  ] as const
  for (const [state, changes] of rows) {
    const node = await startNodeServer({ blockTime: now(), ...changes })
    const alone = await open(t, [node], [state])
    t.equal(await alone.upstream.ready(), state)
    t.match(await balance(alone.upstream, 7), { result: '0x7' }, `${state}: the only node is used`)
    t.match(await alone.upstream.call('eth_blockNumber', []), { result: '0x64' })
    await until(() => alone.lines.length === 2)
    t.match(alone.lines, [
      [{ state }, new RegExp(state === 'stale' ? 'old' : state)],
      [{ readiness: state }, 'no node of the network is ok; it is served with what its nodes have'],
    ])
    const beside = await startNodeServer({ blockTime: now(), syncing: false })
    const { upstream } = await open(t, [node, beside], [state, 'ok'])
    t.equal(await upstream.ready(), 'ok')
    const before = asked(node, 'eth_getBalance')
    for (let number = 0; number < 20; number++) await balance(upstream, number)
    t.equal(asked(node, 'eth_getBalance'), before, `${state}: another node is ok`)
    await beside.close()
    await until(() => states(upstream)[1] === 'unreachable')
    t.match(await balance(upstream, 7), { result: '0x7' }, `${state}: the other node is gone`)
    t.equal(await upstream.ready(), state)
    node.syncing = false
    node.blockTime = now()
    node.head++
    await until(() => states(alone.upstream)[0] === 'ok')
    t.equal(await alone.upstream.ready(), 'ok')
    await until(() => alone.lines.length === 4)
    t.match(alone.words().slice(2), ['a node is ok and is used', 'the network has a node that is ok'])
  }
})

t.test('answers to eth_syncing, and the nodes that do not know it', async (t) => {
  const progress = (blocks: number) => ({
    startingBlock: '0x0',
    currentBlock: '0x64',
    highestBlock: `0x${(100 + blocks).toString(16)}`,
  })
  const answers: readonly [what: string, changes: Parameters<typeof startNodeServer>[0], state: NodeState][] =
    [
      ['false', { syncing: false }, 'ok'],
      ['null', { syncing: null }, 'ok'],
      ['a block that it is about to receive', { syncing: progress(1) }, 'ok'],
      ['the last blocks', { syncing: progress(tuning.nodeLagBlocks) }, 'ok'],
      ['one more block', { syncing: progress(tuning.nodeLagBlocks + 1) }, 'syncing'],
      ['true', { syncing: true }, 'syncing'],
      ['an object without blocks', { syncing: { stages: [] } }, 'syncing'],
      ['no such method', {}, 'ok'],
    ]
  for (const [what, changes, state] of answers) {
    const node = await startNodeServer(changes)
    const { upstream } = await open(t, [node], [state])
    t.equal(await upstream.ready(), state, what)
  }
  const refusals: readonly ((request: NodeServerRequest, response: ServerResponse) => void)[] = [
    (_, response) => response.writeHead(403).end('{"error":"method not allowed"}'),
    (_, response) => response.writeHead(500).end(),
    (request, response) =>
      sendAnswers(request, response, () => ({ error: { code: -32000, message: 'off' } })),
    () => undefined,
  ]
  for (const act of refusals) {
    const fault = (request: NodeServerRequest, response: ServerResponse) => {
      if (request.calls[0]?.method !== 'eth_syncing') return false
      act(request, response)
      return true
    }
    const { upstream } = await open(t, [await startNodeServer({ fault })], ['ok'], {
      settings: { ...settings, progressMs: 20 },
    })
    t.equal(await upstream.ready(), 'ok')
  }
})

t.test('the age of a head block on both sides of the limit', async (t) => {
  const limit = { ...tuning, nodeStaleSeconds: 1_000 }
  const rows: readonly [age: number, staleSeconds: number, state: NodeState][] = [
    [900, 1_000, 'ok'],
    [1_100, 1_000, 'stale'],
    [1_100, 1_200, 'ok'],
    [1_000_000, 0, 'ok'],
  ]
  for (const [age, nodeStaleSeconds, state] of rows) {
    const node = await startNodeServer({ blockTime: now() - age })
    await open(t, [node], [state], { tuning: { ...limit, nodeStaleSeconds } })
  }
  const [unknown, old] = [await startNodeServer({ head: 105 }), await startNodeServer({ blockTime: 1 })]
  const { upstream } = await open(t, [unknown, old], ['stale', 'stale'])
  t.match(await balance(upstream, 7), { result: '0x7' }, 'a head of unknown age does not outvote old ones')
})

t.test('a node is failing when half of at least 20 calls got 5xx or malformed answers', async (t) => {
  const faults = [serverError, unlessCheck((_, response) => response.writeHead(200).end('<html>'))]
  for (const fault of faults) {
    const [failing, other] = [await startNodeServer(), await startNodeServer()]
    const nodes = [failing.settings(), other.settings({ weight: 0 })]
    const { upstream, lines } = await open(t, [failing, other], ['ok', 'ok'], { nodes })
    for (let number = 0; number < 10; number++) await balance(upstream, number)
    failing.fault = fault
    for (let number = 0; number < 9; number++) t.match(await balance(upstream, number), { result: /^0x/ })
    t.strictSame(states(upstream), ['ok', 'ok'], '9 of 19 calls')
    await balance(upstream, 9)
    t.strictSame(states(upstream), ['failing', 'ok'], '10 of 20 calls')
    t.match(lines, [[{ state: 'failing', cause: { status: Number } }, /calls to a node fail/]])
    const before = asked(failing, 'eth_getBalance')
    for (let number = 0; number < 10; number++) await balance(upstream, number)
    t.equal(asked(failing, 'eth_getBalance'), before, 'the other node gets the calls')
    failing.fault = undefined
    await other.close()
    await until(() => states(upstream)[1] === 'unreachable')
    t.match(await balance(upstream, 7), { result: '0x7' }, 'it is used when no other node is left')
    t.equal(await upstream.ready(), 'failing')
  }
})

t.test('a failing node is ok again after a while, and others fail in their turn', async (t) => {
  const own = { ...settings, failingWindowMs: 2_000 }
  const [failing, other] = [await startNodeServer({ fault: serverError }), await startNodeServer()]
  const { upstream } = await open(t, [failing, other], ['ok', 'ok'], { settings: own })
  // At once, so that many are in one window.
  await until(async () => {
    await Promise.all(Array.from({ length: 60 }, (_, number) => balance(upstream, number)))
    return states(upstream)[0] === 'failing'
  })
  failing.fault = undefined
  await until(() => states(upstream).join() === 'ok,ok')
})

t.test('a node that answers checks and no calls is failing', async (t) => {
  const broken = unlessCheck((_, response) => response.destroy())
  const [failing, other] = [await startNodeServer({ fault: broken }), await startNodeServer()]
  const { upstream } = await open(t, [failing, other], ['ok', 'ok'], { settings: unchecked })
  for (let number = 0; states(upstream)[0] !== 'failing'; number++)
    t.match(await balance(upstream, number), { result: /^0x/ })
  const calls = asked(failing, 'eth_getBalance')
  t.ok(calls < 10, `after ${calls} calls`)
})

t.test('the internal errors of a node count when another node answers calls of three users', async (t) => {
  const rows: readonly [users: readonly string[], state: NodeState][] = [
    [['one'], 'ok'],
    [['one', 'two'], 'ok'],
    [['one', 'two', 'three'], 'failing'],
  ]
  for (const [users, state] of rows) {
    const [failing, other] = [await startNodeServer({ fault: internalError }), await startNodeServer()]
    const nodes = [failing.settings(), other.settings({ weight: 0 })]
    const { upstream } = await open(t, [failing, other], ['ok', 'ok'], { nodes, settings: unchecked })
    for (let number = 0; number < 60; number++) {
      const callers = callersOf(users[number % users.length] ?? '')
      const answer = await upstream.call('eth_getBalance', [address(number), 'latest'], { callers })
      t.match(answer, { result: `0x${number.toString(16)}` }, 'the other node answers')
    }
    t.strictSame(states(upstream), [state, 'ok'], users.join())
    if (state === 'ok') t.equal(asked(failing, 'eth_getBalance'), 60)
  }
})

t.test('internal errors of all nodes, or of the only one, are the error of the call', async (t) => {
  for (const count of [1, 2, 3]) {
    const nodes = await Promise.all(
      Array.from({ length: count }, () => startNodeServer({ fault: internalError })),
    )
    const { upstream } = await open(
      t,
      nodes,
      nodes.map(() => 'ok' as const),
      { settings: unchecked },
    )
    for (let number = 0; number < 60; number++) {
      const callers = callersOf(`user ${number % 5}`)
      const answer = await upstream.call('eth_getBalance', [address(number), 'latest'], { callers })
      t.match(answer, { error: { code: -32603 } })
    }
    t.strictSame(
      states(upstream),
      nodes.map(() => 'ok'),
      'no node is failing',
    )
    for (const node of nodes) t.equal(asked(node, 'eth_getBalance'), 60, 'every node was asked')
  }
})

t.test('a transaction with an internal error is not sent to another node', async (t) => {
  const fault = unlessCheck((request, response) =>
    sendAnswers(request, response, () => ({ error: { code: -32603, message: 'Internal server error' } })),
  )
  const [failing, other] = [await startNodeServer({ fault }), await startNodeServer()]
  const nodes = [failing.settings(), other.settings({ weight: 0 })]
  const { upstream } = await open(t, [failing, other], ['ok', 'ok'], { nodes })
  t.match(await upstream.call('eth_sendRawTransaction', ['0x01'], { once: true }), {
    error: { code: -32603 },
  })
  t.equal(asked(other, 'eth_sendRawTransaction'), 0)
})

/** Holds the balances of a node until they are released. */
function holdBalances(node: NodeServer) {
  const held: (() => void)[] = []
  node.fault = (request, response) => {
    if (request.calls.every(({ method }) => method !== 'eth_getBalance')) return false
    held.push(() => sendAnswers(request, response, () => ({ result: '0x5' })))
    return true
  }
  return { held, release: () => held.splice(0).map((answer) => answer()) }
}

t.test('a node that cannot be used never shortens the time of another one', async (t) => {
  const own = { ...settings, smallTryMs: 100 }
  const rows: readonly [state: NodeState, changes: Parameters<typeof startNodeServer>[0]][] = [
    ['behind', { head: 10 }],
    ['syncing', { syncing: true, blockTime: now() }],
    ['stale', { blockTime: 1 }],
    ['wrong-network', { chainId: '0x1e' }],
    ['unreachable', { fault: (_, response) => response.destroy() !== undefined }],
    ['ok', { blockTime: now() }],
  ]
  const pools = await Promise.all(
    rows.map(async ([state, changes]) => {
      const slow = await startNodeServer({ blockTime: now() })
      const spare = await startNodeServer(changes)
      const nodes = [slow.settings(), spare.settings({ weight: 0 })]
      const { upstream } = await open(t, [slow, spare], ['ok', state], {
        nodes,
        settings: own,
        timeoutMs: 600_000,
      })
      return { state, spare, upstream, ...holdBalances(slow) }
    }),
  )
  const answers = pools.map(({ upstream }) => balance(upstream, 7))
  // The spare node that can be used is asked after the time that every other one must not take.
  const control = pools.find(({ state }) => state === 'ok')
  t.match(await answers.at(-1), { result: '0x7' }, 'the spare node that is ok answers')
  t.equal(control?.held.length, 1)
  for (const { state, spare, held, release } of pools.slice(0, -1)) {
    t.equal(held.length, 1, `${state}: one attempt`)
    t.equal(asked(spare, 'eth_getBalance'), 0, `${state}: not asked`)
    release()
  }
  for (const answer of answers.slice(0, -1)) t.match(await answer, { result: '0x5' })
})

t.test('a slow node is asked again when the node that was to answer instead fails', async (t) => {
  const [slow, broken] = [await startNodeServer(), await startNodeServer()]
  const nodes = [slow.settings(), broken.settings({ weight: 0 })]
  const own = { ...unchecked, smallTryMs: 50 }
  const { upstream } = await open(t, [slow, broken], ['ok', 'ok'], {
    nodes,
    settings: own,
    timeoutMs: 600_000,
  })
  const { held, release } = holdBalances(slow)
  broken.fault = (_, response) => response.destroy() !== undefined
  const answer = balance(upstream, 7)
  await until(() => held.length === 2)
  t.ok(asked(broken, 'eth_getBalance') > 0)
  release()
  t.match(await answer, { result: '0x5' })
})

t.test('a call that spoils a batch does not spoil the answers to the others', async (t) => {
  const spoils: readonly ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(500).end('exception'),
    (response) => response.writeHead(200).end('[{"jsonrpc":"2.0","id":1,"result":NaN}]'),
  ]
  for (const spoil of spoils) {
    const node = await startNodeServer()
    const { upstream } = await open(t, [node], ['ok'], { settings: unchecked })
    node.fault = ({ calls }, response) => {
      if (calls.every(({ params }) => params[0] !== address(13))) return false
      spoil(response)
      return true
    }
    const answers = await Promise.allSettled(
      Array.from({ length: 30 }, (_, number) => balance(upstream, number)),
    )
    t.ok(node.requests.some(({ isBatch }) => isBatch))
    for (const [number, answer] of answers.entries()) {
      if (number === 13) t.match(answer, { status: 'rejected', reason: { httpStatus: 502 } })
      else t.match(answer, { status: 'fulfilled', value: { result: `0x${number.toString(16)}` } })
    }
    t.strictSame(states(upstream), ['ok'])
  }
})
