import t from 'tap'
import type { NodeCall } from '../../../src/gateway/node-call.js'
import type { JsonObject, JsonValue } from '../../../src/rpc/index.js'
import { logsOf, unlimited } from '../../support/logs.js'
import { addressOf, error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

const limits = { logsPerAnswer: 10, blockSpanWithoutLogLimit: 5, logsTimeoutSeconds: 60 }
const quantity = (value: number) => `0x${value.toString(16)}`
const log = (block: number, index: number) => ({ blockNumber: quantity(block), logIndex: quantity(index) })

const ask = (call: NodeCall, filter: JsonObject, room = unlimited) => logsOf(call, filter, limits, room)

/** A chain with so many logs in each block; its earliest block is the first in the list that is not undefined. */
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

t.test('the limit counts logs in long ranges only, and exactly the limit passes', async (t) => {
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
    ['a long range, few logs', ones(10), { fromBlock: '0x0', toBlock: '0x9' }, 10],
    ['the range that works is longer than the span', ones(30), { fromBlock: '0x1' }, ['0x1', '0xa']],
    ['the span works though it has more logs', [9, 9, 9, 9, 9, 0, 0], { fromBlock: '0x0' }, ['0x0', '0x4']],
    [
      'the span ends at the end asked for',
      [9, 9, 9, 9, 9, 9],
      { fromBlock: '0x0', toBlock: '0x5' },
      ['0x0', '0x4'],
    ],
    ['blocks without logs belong to it', [10, 0, 0, 0, 0, 0, 0, 1], { fromBlock: '0x0' }, ['0x0', '0x6']],
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
    await t.rejects(ask(call, longer), { code: -32602 }, `${why}: nothing longer does`)
  }
})

t.test('bounds', async (t) => {
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

t.test('a range above the head is empty, a range that ends before it starts is refused', async (t) => {
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

t.test('a blockHash filter has no limit, and null bounds are none', async (t) => {
  const many = Array.from({ length: 12 }, (_, index) => log(1, index))
  const { call, asked } = chain(ones(3), { eth_getLogs: result(many) })
  t.equal((await ask(call, { blockHash: hashOf('01'), address: addressOf('aa') })).length, 12)
  t.strictSame(asked, [['eth_getLogs', { address: addressOf('aa'), blockHash: hashOf('01') }]])
  t.equal((await ask(call, { blockHash: hashOf('01'), fromBlock: null })).length, 12)
})

t.test('address and topics go to the node; what matches everything does not', async (t) => {
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

t.test('logs come in order, whatever order the node has', async (t) => {
  const shuffled = [log(10, 0), log(9, 11), log(9, 2), log(10, 1)]
  const { call } = chain(ones(11), { eth_getLogs: result(shuffled) })
  t.strictSame(await ask(call, { fromBlock: '0x9' }), [log(9, 2), log(9, 11), log(10, 0), log(10, 1)])
})

t.test('a head that is replaced under the range is read again', async (t) => {
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
    'below the head nothing is',
  )
})

t.test('an answer fails whole', async (t) => {
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
