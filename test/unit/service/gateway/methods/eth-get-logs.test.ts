import { getEventListeners } from 'node:events'
import t from 'tap'
import { type JsonObject, type JsonValue, RawJsonStream } from '../../../../../src/runtime/rpc/index.js'
import { ethGetLogs, getLogs, type LogRoom } from '../../../../../src/service/gateway/methods/eth-get-logs.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../../../../../src/service/gateway/nodes/index.js'
import { NodeCallLimiter } from '../../../../../src/service/gateway/nodes/index.js'
import { logsOf, readAll, unlimited } from '../../../../support/logs.js'
import { until } from '../../../../support/until.js'
import { addressOf, error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

const limits = {
  logsPerAnswer: 10,
  blockSpanWithoutLogLimit: 5,
  logsTimeoutSeconds: 60,
  nodeCallsPerUserPerSecond: 200,
}
const quantity = (value: number) => `0x${value.toString(16)}`
const log = (block: number, index: number) => ({ blockNumber: quantity(block), logIndex: quantity(index) })

const ask = (call: NodeCall, filter: JsonObject, room = unlimited) => logsOf(call, filter, limits, room)

/** A chain with this number of logs in each block. The first defined item is its earliest block. */
function chain(counts: readonly (number | undefined)[], extra: Script = {}) {
  const head = counts.length - 1
  const lowest = counts.findIndex((count) => count !== undefined)
  const number = (selector: JsonValue | undefined) =>
    selector === 'latest' ? head : selector === 'earliest' ? lowest : Number(selector)
  return scriptedNode({
    eth_blockNumber: result(quantity(head)),
    eth_getBlockByNumber: ([selector]) => result({ number: quantity(number(selector)), hash: hashOf('aa') }),
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock } = filter as JsonObject
      const logs: JsonValue[] = []
      for (let block = Number(fromBlock); block <= Number(toBlock); block++) {
        for (let index = 0; index < (counts[block] ?? 0); index++) logs.push(log(block, index))
      }
      return result(logs)
    },
    ...extra,
  })
}

const ones = (length: number) => Array.from({ length }, () => 1)

/** An AbortSignal enforces the deadline of eth_getLogs. */
function onAbort(options: NodeCallOptions | undefined, reject: (reason: unknown) => void): void {
  const signal = options?.signal
  if (signal instanceof AbortSignal) signal.addEventListener('abort', () => reject(signal.reason))
}

t.test('the log limit applies only to long ranges, and exactly the limit is accepted', async (t) => {
  const cases: readonly [
    why: string,
    counts: number[],
    filter: JsonObject,
    wanted: number | [string, string],
  ][] = [
    ['10 logs in 6 blocks', [5, 0, 0, 0, 0, 5], { fromBlock: '0x0' }, 10],
    [
      '11 logs in 6 blocks: up to the last whole block',
      [5, 0, 0, 0, 0, 6],
      { fromBlock: '0x0' },
      ['0x0', '0x4'],
    ],
    ['11 logs in 5 blocks', [5, 0, 0, 0, 6], { fromBlock: '0x0' }, 11],
    ['a long range with few logs', ones(10), { fromBlock: '0x0', toBlock: '0x9' }, 10],
    ['the suggested range is longer than the span', ones(30), { fromBlock: '0x1' }, ['0x1', '0xa']],
    ['the span works though it has more logs', [9, 9, 9, 9, 9, 0, 0], { fromBlock: '0x0' }, ['0x0', '0x4']],
    [
      'the span ends at the requested end',
      [9, 9, 9, 9, 9, 9],
      { fromBlock: '0x0', toBlock: '0x5' },
      ['0x0', '0x4'],
    ],
    [
      'blocks without logs are part of the suggestion',
      [10, 0, 0, 0, 0, 0, 0, 1],
      { fromBlock: '0x0' },
      ['0x0', '0x6'],
    ],
    [
      'the end is clipped before the span is counted',
      [3, 3, 3, 3, 3],
      { fromBlock: '0x0', toBlock: '0xff' },
      15,
    ],
  ]
  for (const [why, counts, filter, wanted] of cases) {
    const { call } = chain(counts)
    if (typeof wanted === 'number') {
      t.equal((await ask(call, filter)).length, wanted, why)
      continue
    }
    const [from, to] = wanted
    await t.rejects(
      ask(call, filter),
      {
        code: -32602,
        message: `this block range should work: [${from}, ${to}]`,
        data: { from, to, limit: 10 },
      },
      why,
    )
    const suggested = await ask(call, { ...filter, fromBlock: from, toBlock: to })
    t.ok(Array.isArray(suggested), `${why}: the suggestion works`)
    const longer = { ...filter, fromBlock: from, toBlock: quantity(Number(to) + 1) }
    await t.rejects(ask(call, longer), { code: -32602 }, `${why}: no longer range works`)
  }
})

t.test('block bounds are resolved', async (t) => {
  const cases: readonly [filter: JsonObject, from: number, to: number][] = [
    [{}, 9, 9],
    [{ fromBlock: null, toBlock: null, blockHash: null }, 9, 9],
    [{ fromBlock: '0x7' }, 7, 9],
    [{ fromBlock: 'pending', toBlock: 'pending' }, 9, 9],
    [{ fromBlock: 'latest', toBlock: '0xffffffffffffffff' }, 9, 9],
    [{ fromBlock: 'earliest' }, 2, 9],
    [{ fromBlock: 'earliest', toBlock: 'earliest' }, 2, 2],
    [{ fromBlock: '0x9', toBlock: '0x9' }, 9, 9],
  ]
  for (const [filter, from, to] of cases) {
    const { call } = chain([undefined, undefined, ...ones(8)])
    const blocks = (await ask(call, filter)).map((log) => Number((log as JsonObject)['blockNumber']))
    t.equal(blocks[0], from, JSON.stringify(filter))
    t.equal(blocks.at(-1), to, JSON.stringify(filter))
  }
})

t.test('a range above the head is empty, and a range whose end precedes its start is refused', async (t) => {
  for (const filter of [
    { fromBlock: '0xa' },
    { fromBlock: '0xa', toBlock: '0xffff' },
    { fromBlock: '0xb', toBlock: 'latest' },
  ]) {
    t.strictSame(await ask(chain(ones(10)).call, filter), [], JSON.stringify(filter))
  }
  const reversed: readonly JsonObject[] = [
    { fromBlock: '0x5', toBlock: '0x4' },
    { toBlock: '0x4' },
    { fromBlock: 'latest', toBlock: 'earliest' },
    { fromBlock: '0xffff', toBlock: '0xfffe' },
    { fromBlock: '0xA', toBlock: '0x9' },
  ]
  for (const filter of reversed) {
    const problem = { code: -32602, data: [{ path: '/0/fromBlock', rule: 'logs.range-reversed' }] }
    await t.rejects(ask(chain(ones(10)).call, filter), problem, JSON.stringify(filter))
  }
})

t.test('a blockHash filter has no range limit, and null bounds count as absent', async (t) => {
  const many = Array.from({ length: 12 }, (_, index) => log(1, index))
  const { call, asked } = chain(ones(3), { eth_getLogs: result(many) })
  t.equal((await ask(call, { blockHash: hashOf('01'), address: addressOf('aa') })).length, 12)
  t.strictSame(asked, [['eth_getLogs', { address: addressOf('aa'), blockHash: hashOf('01') }]])
  t.equal((await ask(call, { blockHash: hashOf('01'), fromBlock: null })).length, 12)
})

t.test('address and topics are sent to the node, except filters that match everything', async (t) => {
  const topic = hashOf('cc')
  const cases: readonly [JsonObject, JsonObject][] = [
    [{ address: [], topics: [] }, {}],
    [{ address: null, topics: null }, {}],
    [
      { address: addressOf('aa'), topics: [null, [topic], []] },
      { address: addressOf('aa'), topics: [null, [topic], null] },
    ],
    [{ address: [addressOf('aa')] }, { address: [addressOf('aa')] }],
  ]
  for (const [given, sent] of cases) {
    const { call, asked } = chain(ones(3))
    await ask(call, given)
    const filter = asked.find(([method]) => method === 'eth_getLogs')?.[1]
    t.strictSame(filter, { ...sent, fromBlock: '0x2', toBlock: '0x2' })
  }
})

t.test('logs are sorted, whatever order the node uses', async (t) => {
  const shuffled = [log(10, 0), log(9, 11), log(9, 2), log(10, 1)]
  const { call } = chain(ones(11), { eth_getLogs: result(shuffled) })
  t.strictSame(await ask(call, { fromBlock: '0x9' }), [log(9, 2), log(9, 11), log(10, 0), log(10, 1)])
})

t.test('two logs with the same position are an invalid answer, in any order', async (t) => {
  for (const logs of [
    [log(9, 1), log(9, 1)],
    [log(9, 1), log(9, 2), log(9, 1)],
  ]) {
    const { call } = chain(ones(11), { eth_getLogs: result(logs) })
    await t.rejects(ask(call, { fromBlock: '0x9' }), { code: -32603, httpStatus: 502 })
  }
})

t.test('up to 20,000 logs are sorted, and a longer unsorted list is an invalid answer', async (t) => {
  const reversed = (count: number) => Array.from({ length: count }, (_, at) => log(10, count - 1 - at))
  const most = reversed(20_000)
  const { call } = chain(ones(11), { eth_getLogs: result(most) })
  t.strictSame(await ask(call, { fromBlock: '0xa' }), [...most].reverse())
  const more = chain(ones(11), { eth_getLogs: result(reversed(20_001)) })
  await t.rejects(ask(more.call, { fromBlock: '0xa' }), { code: -32603 })
  const ordered = chain(ones(11), { eth_getLogs: result(reversed(20_001).reverse()) })
  t.equal((await ask(ordered.call, { fromBlock: '0xa' })).length, 20_001)
})

t.test('a range whose head is replaced is read again', async (t) => {
  let reads = 0
  const replaced = (times: number) =>
    chain(ones(3), {
      eth_getBlockByNumber: ([selector]) => {
        reads++
        const hash = selector === 'latest' || reads > times ? hashOf('aa') : hashOf('bb')
        return result({ number: '0x2', hash })
      },
    })
  t.equal((await ask(replaced(2).call, {})).length, 1)
  reads = 0
  await t.rejects(ask(replaced(99).call, {}), { code: -32002, httpStatus: 503 })
  const below = replaced(99)
  t.equal(
    (await ask(below.call, { fromBlock: '0x0', toBlock: '0x1' })).length,
    2,
    'blocks below the head are not read again',
  )
})

t.test('one failing part fails the whole answer', async (t) => {
  let parts = 0
  const answer = () => (++parts === 2 ? error(-32000, 'boom') : result([]))
  await t.rejects(ask(chain(ones(20), { eth_getLogs: answer }).call, { fromBlock: '0x0' }), {
    code: -32603,
  })
  const elsewhere = chain(ones(3), { eth_getLogs: result([log(1, 0)]) })
  await t.rejects(ask(elsewhere.call, {}), { code: -32603, httpStatus: 502 }, 'logs of another block')
  const headless = scriptedNode({ eth_getBlockByNumber: result(null) })
  await t.rejects(ask(headless.call, {}), { code: -32002 })
})

/** The limits of a node: blocks in a range, and logs in an answer. */
const withLimits = (counts: readonly number[], mostBlocks: number, mostLogs: number, refusal: NodeAnswer) => {
  const { call } = chain(counts)
  return scriptedNode({
    eth_blockNumber: result(quantity(counts.length - 1)),
    eth_getBlockByNumber: result({ number: quantity(counts.length - 1), hash: hashOf('aa') }),
    eth_getLogs: async ([filter]) => {
      const { fromBlock, toBlock } = filter as JsonObject
      const inRange = counts.slice(Number(fromBlock), Number(toBlock) + 1)
      const logs = inRange.reduce((sum, count) => sum + count, 0)
      if (inRange.length > mostBlocks || logs > mostLogs) return refusal
      const found: JsonObject[] = []
      await call('eth_getLogs', [filter ?? null], {
        logs: {
          take(logs) {
            for (const { text } of logs) found.push(JSON.parse(Buffer.from(text).toString()))
            return 'more'
          },
          restart: () => true,
        },
      })
      return result(found)
    },
  })
}

const refusals: readonly NodeAnswer[] = [
  error(-32012, 'Cannot query more than 5000 blocks at once'),
  error(-32012, 'Filter returned more than 20000 logs.'),
  error(-32011, 'Execution has got timeout out.'),
  error(-32011, 'Response size limit of 10485760 bytes exceeded'),
  error(-32005, 'query returned more than 10000 results'),
  error(-32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'),
  error(-32000, 'exceed maximum block range: 5000'),
  error(-32614, 'eth_getLogs is limited to a 10,000 range'),
]

t.test('a range that a node refuses as too large is split, and no log is lost', async (t) => {
  const counts = Array.from({ length: 40 }, (_, block) => (block * 5) % 4)
  // The messages name more logs than the range has, and fewer than the limit.
  const many = { ...limits, logsPerAnswer: 100_000 }
  const all = await logsOf(chain(counts).call, { fromBlock: '0x0' }, many)
  for (const refusal of [...refusals, error(-32602, 'invalid block range params')]) {
    for (const [blocks, most] of [
      [1, 9],
      [2, 4],
      [3, 3],
      [99, 3],
    ] as const) {
      const { call } = withLimits(counts, blocks, most, refusal)
      t.strictSame(await logsOf(call, { fromBlock: '0x0' }, many), all, `${blocks} ${refusal.error?.message}`)
    }
  }
})

t.test('a node that refused larger parts is not asked for them again', async (t) => {
  const { call, asked } = withLimits(ones(40), 1, 9, refusals[0] as NodeAnswer)
  await logsOf(call, { fromBlock: '0x0' }, { ...limits, logsPerAnswer: 1_000 })
  const filters = asked.flatMap(([method, filter]) =>
    method === 'eth_getLogs' ? [filter as JsonObject] : [],
  )
  const late = filters.filter(({ fromBlock }) => Number(fromBlock) >= 20)
  t.ok(
    late.every(({ fromBlock, toBlock }) => fromBlock === toBlock),
    JSON.stringify(late),
  )
})

t.test('a block too large for every node is an error with advice', async (t) => {
  for (const refusal of refusals) {
    const problem = { code: -32602, httpStatus: 200, message: /name an address or topics/ }
    const { call } = withLimits([1, 9, 1], 9, 3, refusal)
    await t.rejects(ask(call, { fromBlock: '0x0' }), problem)
    const one = chain(ones(3), {
      eth_getLogs: refusal,
      eth_getBlockByHash: result({ number: '0x1', hash: hashOf('01') }),
    })
    await t.rejects(ask(one.call, { blockHash: hashOf('01') }), problem)
  }
})

t.test('invalid parameters of a single block are a node failure', async (t) => {
  const { call } = withLimits([1, 9, 1], 9, 3, error(-32602, 'picky'))
  await t.rejects(ask(call, { fromBlock: '0x0' }), { code: -32603, httpStatus: 502 })
})

t.test('a rate-limited node is not asked for smaller parts', async (t) => {
  for (const refusal of [
    error(-32005, 'daily request count exceeded, request rate limited'),
    error(429, 'Your app has exceeded its compute units per second capacity'),
  ]) {
    const { call, methods } = chain(ones(9), { eth_getLogs: refusal })
    await t.rejects(ask(call, { fromBlock: '0x5' }), { code: -32002, httpStatus: 503 })
    t.equal(methods().filter((method) => method === 'eth_getLogs').length, 1)
  }
})

/** A byte budget of this size. */
function roomFor(bytes: number, mayStream = true): LogRoom & { held: number } {
  const room = {
    held: 0,
    mayStream,
    hold(more: number) {
      if (more > 0 && room.held + more > bytes) return false
      room.held += more
      return true
    },
  }
  return room
}

const textOf = (counts: readonly number[]) =>
  JSON.stringify(
    counts.flatMap((count, block) => Array.from({ length: count }, (_, index) => log(block, index))),
  )

t.test('logs beyond the byte budget are streamed with the same bytes', async (t) => {
  const counts = [40, 1, 0, 70]
  for (const bytes of [0, 100, 2_000]) {
    const { result: answer, done } = await getLogs(
      chain(counts).call,
      { fromBlock: '0x0' },
      limits,
      roomFor(bytes),
    )
    if (!(answer instanceof RawJsonStream)) throw new TypeError('the answer is held')
    t.equal(await readAll(answer.source), textOf(counts), `${bytes} bytes`)
    t.equal(await answer.source.next(), undefined)
    await done
  }
  const held = await getLogs(chain(counts).call, { fromBlock: '0x0' }, limits, roomFor(textOf(counts).length))
  t.notOk(held.result instanceof RawJsonStream)
})

t.test(
  'a long range beyond the budget is counted first, and streamed if it is within the limit',
  async (t) => {
    const few = [3, 0, 0, 0, 0, 0, 0, 7]
    t.strictSame(
      JSON.stringify(await logsOf(chain(few).call, { fromBlock: '0x0' }, limits, roomFor(100))),
      textOf(few),
    )
    const many = [3, 0, 0, 0, 0, 0, 0, 8]
    await t.rejects(getLogs(chain(many).call, { fromBlock: '0x0' }, limits, roomFor(100)), {
      code: -32602,
      data: { from: '0x0', to: '0x6', limit: 10 },
    })
  },
)

t.test('an answer that must not be streamed is refused, and its budget is released', async (t) => {
  for (const counts of [
    [9, 9],
    [3, 0, 0, 0, 0, 0, 0, 7],
  ]) {
    const room = roomFor(100, false)
    await t.rejects(getLogs(chain(counts).call, { fromBlock: '0x0' }, limits, room), {
      code: -32602,
      message: /call the method alone/,
    })
    t.equal(room.held, 0)
  }
})

t.test('unsorted logs are sorted before streaming, never after', async (t) => {
  const shuffled = [log(2, 1), log(2, 0)]
  const { call } = chain(ones(3), { eth_getLogs: result(shuffled) })
  await t.rejects(getLogs(call, {}, limits, roomFor(60)), { code: -32603 })
})

t.test(
  'the reader receives an error when the head is replaced or a part fails during streaming',
  async (t) => {
    let isReplaced = false
    const replaced = chain([9], {
      eth_getBlockByNumber: () => result({ number: '0x0', hash: hashOf(isReplaced ? 'bb' : 'aa') }),
    })
    const { result: first, done } = await getLogs(replaced.call, {}, limits, roomFor(0))
    isReplaced = true
    if (!(first instanceof RawJsonStream)) throw new TypeError('the answer is held')
    await t.rejects(readAll(first.source), { code: -32002 })
    await done
    const failing = chain([9, 9], {
      eth_getLogs: ([filter]) => {
        const { fromBlock, toBlock } = filter as JsonObject
        if (fromBlock !== toBlock) return refusals[0] as NodeAnswer
        return fromBlock === '0x0' ? result([log(0, 0)]) : error(-32000, 'boom')
      },
    })
    const second = await getLogs(failing.call, { fromBlock: '0x0' }, limits, roomFor(0))
    if (!(second.result instanceof RawJsonStream)) throw new TypeError('the answer is held')
    await t.rejects(readAll(second.result.source), { code: -32603 })
    await second.done
  },
)

t.test('a caller who disconnects or stops reading ends the work', async (t) => {
  const never: Script = {
    eth_getLogs: ([filter]) =>
      (filter as JsonObject)['fromBlock'] === '0x0' ? result([log(0, 0)]) : new Promise(() => undefined),
  }
  const leaving = new AbortController()
  const { call } = chain([1, 1], never)
  const pending =
    (signal: AbortSignal): NodeCall =>
    (method, params, options) =>
      new Promise((resolve, reject) => {
        onAbort(options, reject)
        signal.throwIfAborted()
        call(method, params, options).then(resolve, reject)
      })
  const gone = getLogs(pending(leaving.signal), { fromBlock: '0x1' }, limits, unlimited, {
    signal: leaving.signal,
  })
  leaving.abort('gone')
  await gone.then(
    () => t.fail('the request is answered'),
    (reason) => t.equal(reason, 'gone'),
  )
  const { result: sent, done } = await getLogs(chain([9]).call, {}, limits, roomFor(0))
  if (!(sent instanceof RawJsonStream)) throw new TypeError('the answer is held')
  sent.source.cancel()
  sent.source.cancel()
  await done
  t.equal(await sent.source.next(), undefined)
})

t.test('calls of one request leave no listeners at its signal', async (t) => {
  const { signal } = new AbortController()
  for (let at = 0; at < 20; at++)
    await getLogs(chain(ones(30)).call, { fromBlock: '0x14' }, limits, unlimited, { signal })
  await until(() => getEventListeners(signal, 'abort').length === 0)
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('logs that are not found in time are an error', async (t) => {
  const { call } = chain(ones(3))
  const slow: NodeCall = (method, params, options) =>
    method === 'eth_getLogs'
      ? new Promise((_, reject) => {
          onAbort(options, reject)
        })
      : call(method, params, options)
  await t.rejects(logsOf(slow, {}, { ...limits, logsTimeoutSeconds: 0.01 }), {
    code: -32002,
    httpStatus: 504,
  })
})

t.test('the calls of a batch ask for the head once, and only that node call is free', async (t) => {
  let isDown = false
  const node = chain(ones(10))
  const heads = () => node.asked.filter(([method]) => method === 'eth_getBlockByNumber').length
  const counted: number[] = []
  const limiter = new NodeCallLimiter({ perSecond: 1_000, atOnce: 100, waitMs: 60_000 })
  const call = limiter.limit(async (method, params, options) => {
    if (isDown) return error(-32603, 'down')
    if (method === 'eth_getLogs') counted.push(options?.callers?.calls ?? 0)
    return node.call(method, params, options)
  })
  const answer = ethGetLogs(call, () => 1_000)
  const send = (request: object, inBatch: boolean) =>
    answer([{ fromBlock: '0x1', toBlock: '0x5' }], { userId: 'user', request, inBatch, holdLogs: () => true })
  const batch = {}
  const all = await Promise.all(Array.from({ length: 10 }, () => send(batch, true)))
  t.equal(heads(), 1)
  t.same(
    all.map((logs) => JSON.parse(String('text' in logs && logs.text)).length),
    Array(10).fill(5),
  )
  t.same(counted, Array(10).fill(2), 'the first part of each call is limited')
  await Promise.all([send({}, false), send({}, false)])
  t.equal(heads(), 3, 'each request has a head of its own')
  const failing = {}
  isDown = true
  await t.rejects(send(failing, true))
  isDown = false
  t.ok(await send(failing, true), 'a head that could not be read is asked for again')
})
