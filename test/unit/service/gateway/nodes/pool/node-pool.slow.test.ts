import type { ServerResponse } from 'node:http'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../../src/service/gateway/app/config/tuning.js'
import type { Upstream } from '../../../../../../src/service/gateway/nodes/index.js'
import { callersOf } from '../../../../../support/node-callers.js'
import {
  blockHash,
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

t.test('a node of another network is never used, and the log says so', async (t) => {
  const wrong = await startNodeServer({ chainId: '0x1e', head: 1_000_000 })
  const right = await startNodeServer()
  const lines: [object, string][] = []
  const log = {
    error: (facts: object, words: string) => lines.push([facts, words]),
    warn: () => {},
    info: () => {},
  }
  const upstream = upstreamOf(t, [wrong, right], { log })
  for (let time = 0; time < 20; time++) t.strictSame(await balance(upstream, 7), { result: '0x7' })
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x64' })
  await until(() => states(upstream)[0] === 'wrong-network')
  t.strictSame(states(upstream), ['wrong-network', 'ok'])
  t.equal(wrong.requests.length, 0)
  t.equal(lines.length, 1)
  t.match(lines, [[{ chainId: '0x1e', wanted: '0x1f' }, 'a node serves another network and is not used']])
  const alone = upstreamOf(t, [wrong])
  await t.rejects(balance(alone, 7), { code: -32002, httpStatus: 503 })
  t.equal(await alone.ready(), 'no node')
})

t.test('calls are shared by weight, and weight 0 is a last resort', async (t) => {
  const nodes = [await startNodeServer(), await startNodeServer(), await startNodeServer()]
  const weights = [3, 1, 0]
  const upstream = upstreamOf(t, nodes, {
    nodes: nodes.map((node, at) => node.settings({ weight: weights[at] ?? 0 })),
  })
  await until(() => states(upstream).every((state) => state === 'ok'))
  await Promise.all(Array.from({ length: 400 }, (_, number) => balance(upstream, number)))
  const [heavy = 0, light = 0, none] = nodes.map((node) => asked(node, 'eth_getBalance'))
  t.equal(heavy + light, 400)
  t.ok(heavy > 2 * light && light > 50, `${heavy} and ${light}`)
  t.equal(none, 0)
  await nodes[0]?.close()
  await nodes[1]?.close()
  t.strictSame(await balance(upstream, 9), { result: '0x9' })
})

t.test('a lagging node is not asked until it has caught up', async (t) => {
  const ahead = await startNodeServer({ head: 100 })
  const behind = await startNodeServer({ head: 100 - tuning.nodeLagBlocks - 1 })
  const upstream = upstreamOf(t, [ahead, behind])
  await until(() => states(upstream)[1] === 'behind')
  for (let number = 0; number < 20; number++) await balance(upstream, number, '0x1')
  t.equal(asked(behind, 'eth_getBalance'), 0)
  t.equal(upstream.head(), 100n)
  behind.head = 100
  await until(() => states(upstream)[1] === 'ok')
  await Promise.all(Array.from({ length: 20 }, (_, number) => balance(upstream, number, '0x1')))
  t.ok(asked(behind, 'eth_getBalance') > 0)
})

t.test('one remaining node of two does not move the head back', async (t) => {
  const a = await startNodeServer({ head: 100 })
  const b = await startNodeServer({ head: 99 })
  const upstream = upstreamOf(t, [a, b])
  await until(() => states(upstream).every((state) => state === 'ok') && upstream.head() === 100n)
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x64' })
  await a.close()
  const before = asked(b, 'eth_getBlockByNumber')
  const waiting = ['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getBalance'].map((method) =>
    upstream.call(method, method === 'eth_getBlockByNumber' ? ['latest', false] : [address(5), 'latest']),
  )
  t.match(await balance(upstream, 4, '0x1'), { result: '0x4' }, 'older data is still answered')
  t.equal(asked(b, 'eth_getBlockByNumber'), before)
  b.head = 101
  t.match(await Promise.all(waiting), [{ result: '0x65' }, { result: { number: '0x65' } }, { result: '0x5' }])
})

t.test('calls about the head fail when the remaining node of two stays behind it', async (t) => {
  const a = await startNodeServer({ head: 101 })
  const b = await startNodeServer({ head: 101 })
  const upstream = upstreamOf(t, [a, b], { settings: { ...settings, headWaitMs: 300 } })
  await until(() => states(upstream).every((state) => state === 'ok') && upstream.head() === 101n)
  await a.close()
  await until(() => states(upstream)[0] === 'unreachable')
  b.head = 90
  const failed = { code: -32002, httpStatus: 503 }
  await Promise.all([
    t.rejects(upstream.call('eth_blockNumber', []), failed),
    t.rejects(upstream.call('eth_getBlockByNumber', ['latest', false]), failed),
  ])
  b.head = 102
  await until(() => upstream.head() === 102n)
  t.match(await upstream.call('eth_getBlockByNumber', ['latest', false]), { result: { number: '0x66' } })
})

t.test('one remaining node of two decides the head after a delay, and the log says so', async (t) => {
  for (const head of [90, 200]) {
    const a = await startNodeServer()
    const b = await startNodeServer()
    const lines: [object, string][] = []
    const warn = (facts: object, words: string) => lines.push([facts, words])
    const upstream = upstreamOf(t, [a, b], {
      settings: { ...settings, headGivenUpMs: 300 },
      log: { error: () => {}, warn, info: () => {} },
    })
    await until(() => states(upstream).every((state) => state === 'ok') && upstream.head() === 100n)
    b.head = head
    await until(() => upstream.status()[1]?.head === BigInt(head))
    t.equal(upstream.head(), 100n)
    await a.close()
    await until(() => upstream.head() === BigInt(head))
    t.strictSame(await upstream.call('eth_blockNumber', []), { result: `0x${head.toString(16)}` })
    if (head < 100) t.match(lines.at(-1), [{ from: 100, to: 90 }, 'the chain head moved back'])
  }
})

t.test('of two branches with heads of equal number, one is answered while available', async (t) => {
  const a = await startNodeServer({ branch: 'a' })
  const b = await startNodeServer({ branch: 'b' })
  const upstream = upstreamOf(t, [a, b])
  await until(() => asked(a, 'eth_getBlockByNumber') > 0 && asked(b, 'eth_getBlockByNumber') > 0)
  await upstream.call('eth_blockNumber', [])
  const hashes = async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => upstream.call('eth_getBlockByNumber', ['latest', false])),
    )
    return new Set(answers.map(({ result }) => (result as { hash: string }).hash))
  }
  await until(() => upstream.status().every(({ inFlight }) => inFlight === 0))
  const [first, ...others] = await hashes()
  t.equal(others.length, 0, 'one branch')
  const [leader, other] = first === blockHash('a', 100) ? [a, b] : [b, a]
  other.head = 101
  await until(() => upstream.head() === 101n)
  t.strictSame([...(await hashes())], [blockHash(other.branch, 101)], 'the longer one')
  await other.close()
  leader.head = 102
  leader.branch = other.branch
  t.strictSame([...(await hashes())], [blockHash(other.branch, 102)])
})

t.test('a failing node is skipped, and used again when it answers', async (t) => {
  const a = await startNodeServer()
  const b = await startNodeServer()
  const words: string[] = []
  const note = (_: object, line: string) => words.push(line)
  const upstream = upstreamOf(t, [a, b], { log: { error: note, warn: note, info: note } })
  await until(() => states(upstream).every((state) => state === 'ok'))
  a.fault = (_, response) => {
    response.destroy()
    return true
  }
  for (let number = 0; number < 40; number++) {
    t.strictSame(await balance(upstream, number), { result: `0x${number.toString(16)}` })
  }
  await until(() => states(upstream)[0] === 'unreachable')
  const before = a.requests.length
  for (let number = 0; number < 20; number++) await balance(upstream, number)
  t.equal(a.requests.length, before, 'it is not asked')
  a.fault = undefined
  await until(() => states(upstream)[0] === 'ok')
  await Promise.all(Array.from({ length: 20 }, (_, number) => balance(upstream, number)))
  t.ok(a.requests.length > before, 'it is asked again')
  // Calls may show the fault before a check does.
  const checked = words.filter((line) => line !== 'calls to a node fail; it is used after the others')
  t.match(checked, ['a node does not answer checks and is not used', 'a node is ok and is used'])
})

t.test('each attempt counts as a call that is sent to a node', async (t) => {
  const failing = await startNodeServer()
  const good = await startNodeServer()
  const nodes = [failing.settings(), good.settings({ weight: 0 })]
  const upstream = upstreamOf(t, [failing, good], { nodes, settings: unchecked })
  const callers = callersOf('usr_1')
  const ask = async () => {
    callers.sent = 0
    t.match(await upstream.call('eth_getBalance', [address(1), 'latest'], { callers }), { result: '0x1' })
    return callers.sent
  }
  t.equal(await ask(), 1)
  failing.fault = (_, response) => {
    response.destroy()
    return true
  }
  t.equal(await ask(), 2, 'the call and its repetition at another node')
})

// Nothing but the failure ends the call: disconnected callers are looked for after it.
t.test('a call whose caller has disconnected is sent to no other node', async (t) => {
  const caller = new AbortController()
  const failing = await startNodeServer({
    fault({ calls }, response) {
      if (calls[0]?.method !== 'eth_getBalance') return false
      caller.abort(new DOMException('left', 'AbortError'))
      response.destroy()
      return true
    },
  })
  const good = await startNodeServer()
  const nodes = [failing.settings(), good.settings({ weight: 0 })]
  const upstream = upstreamOf(t, [failing, good], {
    nodes,
    settings: { ...unchecked, sweepEveryMs: 600_000 },
  })
  const { signal } = caller
  await t.rejects(upstream.call('eth_getBalance', [address(1), 'latest'], { signal }), { name: 'AbortError' })
  t.equal(asked(failing, 'eth_getBalance'), 1)
  t.equal(asked(good, 'eth_getBalance'), 0)
})

t.test('a slow node leaves time for the next one', async (t) => {
  const slow = await startNodeServer({
    fault: ({ calls }) => calls.some(({ method }) => method === 'eth_call'),
  })
  const fast = await startNodeServer()
  const nodes = [slow.settings(), fast.settings({ weight: 0 })]
  const upstream = upstreamOf(t, [slow, fast], { nodes, timeoutMs: 6_000 })
  t.match(await upstream.call('eth_call', [address(6), 'latest']), { result: /^0x0+6$/ })
  const own = upstreamOf(t, [slow], { nodes: [slow.settings({ timeoutMs: 1_000 })] })
  await t.rejects(own.call('eth_call', [address(6), 'latest']), { code: -32002, httpStatus: 504 })
})

t.test('calls of constant cost soon leave a hanging node for the other one', async (t) => {
  const hanging = await startNodeServer()
  const other = await startNodeServer()
  const nodes = [hanging.settings({ weight: 100 }), other.settings()]
  const own = { ...settings, smallTryMs: 1_000, checkMs: 1_000, retryMs: 600_000 }
  const upstream = upstreamOf(t, [hanging, other], { nodes, timeoutMs: 600_000, settings: own })
  await until(() => states(upstream).every((state) => state === 'ok'))
  hanging.fault = () => true
  const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => balance(upstream, number)))
  t.strictSame(
    answers.map(({ result }) => Number(result)),
    Array.from({ length: 20 }, (_, number) => number),
  )
  await until(() => states(upstream)[0] === 'unreachable')
})

t.test('the deadline of a call applies in every batch', async (t) => {
  const node = await startNodeServer({ fault: ({ isBatch }) => isBatch })
  const upstream = upstreamOf(t, [node], { timeoutMs: 3_000, settings: unchecked })
  await upstream.call('eth_blockNumber', [])
  const caller = new AbortController()
  const leaving = Promise.all(
    Array.from({ length: 3 }, () =>
      upstream.call('eth_getBalance', [address(1), 'latest'], { signal: caller.signal }),
    ),
  )
  await until(() => node.requests.some(({ isBatch }) => isBatch))
  const late = balance(upstream, 2)
  caller.abort(new DOMException('left', 'AbortError'))
  await t.rejects(leaving, { name: 'AbortError' })
  await t.resolves(late.catch(() => undefined))
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, (_, number) => balance(upstream, number)),
  )
  for (const outcome of outcomes) t.match(outcome, { status: 'rejected', reason: { httpStatus: 504 } })
  t.match(await balance(upstream, 5), { result: '0x5' }, 'the single call is answered')
})

t.test(
  'an answer that is too large is cancelled and reported as such, in the words of a Rootstock node',
  async (t) => {
    let sent = 0
    const node = await startNodeServer({
      fault({ calls }, response) {
        if (calls[0]?.method !== 'eth_getLogs') return false
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"result":"0x')
        const more = () => {
          while (!response.destroyed && response.write('0'.repeat(65_536))) sent += 65_536
        }
        response.on('drain', more)
        more()
        return true
      },
    })
    const upstream = upstreamOf(t, [node], { settings: { ...settings, answerBytes: 1_000_000 } })
    t.match(await upstream.call('eth_getLogs', [{}]), {
      error: { code: -32012, message: 'Response size limit of 1000000 bytes exceeded' },
    })
    await until(() => node.requests.at(-1)?.message.socket.destroyed === true)
    t.ok(sent < 50_000_000)
  },
)

/** Possible failures of a request, by the drawn number. */
const faults: readonly ((request: NodeServerRequest, response: ServerResponse) => void)[] = [
  (_, response) => response.destroy(),
  (_, response) =>
    response.writeHead(200, { 'content-length': 500 }).write('[{"id":', () => response.destroy()),
  (request, response) => sendAnswers(request, response, ({ id }) => ({ id: id + 1, result: '0xbad' })),
  (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>0xbad</html>'),
  (_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0xbad'),
  (_, response) => response.writeHead(429).end('{"jsonrpc":"2.0","id":1,"result":"0xbad"}'),
  (_, response) => response.writeHead(503, { 'retry-after': '1' }).end(),
  (_, response) => response.writeHead(500).end('{"result":"0xbad"}'),
  (request, response) => sendAnswers(request, response, () => ({ result: { not: 'a quantity' } })),
  (request, response) => sendAnswers(request, response, () => ({})),
  () => {},
]

t.test('whatever fails with two nodes of three, every answer is correct and no call fails', async (t) => {
  let draw = 7
  const random = (below: number) => {
    draw = (draw * 16_807) % 2_147_483_647
    return draw % below
  }
  const fault = (request: NodeServerRequest, response: ServerResponse) => {
    const isCheck = request.calls.every(({ method }) => method === 'eth_chainId')
    if (isCheck || random(2) === 0) return false
    faults[random(faults.length)]?.(request, response)
    return true
  }
  const nodes = [await startNodeServer({ fault }), await startNodeServer({ fault }), await startNodeServer()]
  // Only the faulty nodes have a short timeout. The third one answers, however busy the machine is.
  const nodeSettings = nodes.map((node, at) => node.settings({ timeoutMs: at < 2 ? 150 : 60_000 }))
  const upstream = upstreamOf(t, nodes, {
    nodes: nodeSettings,
    timeoutMs: 60_000,
    settings: { ...settings, smallTryMs: 30_000 },
  })
  let lastHead = 0
  for (let round = 0; round < 12; round++) {
    for (const node of nodes) node.head++
    const head = upstream.call('eth_blockNumber', []).then(({ result }) => {
      t.ok(Number(result) >= lastHead && Number(result) <= (nodes[2]?.head ?? 0), 'the head advances')
      lastHead = Number(result)
    })
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, at) => {
        const number = round * 25 + at
        const method = at % 5 === 0 ? 'eth_call' : 'eth_getBalance'
        return upstream.call(method, [address(number + 4096), 'latest'])
      }),
    )
    await head
    t.strictSame(
      answers.map(({ result }) => Number(result)),
      Array.from({ length: 25 }, (_, at) => round * 25 + at + 4096),
    )
  }
})
