import t from 'tap'
import type { JsonObject } from '../../../../../../src/runtime/rpc/index.js'
import { getLogs } from '../../../../../../src/service/gateway/methods/eth-get-logs.js'
import { RangeLimit } from '../../../../../../src/service/gateway/methods/logs/range-limit.js'
import type {
  LogReceiver,
  LogText,
  NodeAnswer,
  NodeCall,
} from '../../../../../../src/service/gateway/nodes/index.js'
import { unlimited } from '../../../../../support/logs.js'
import { error, hashOf, result } from '../scripted-node.js'

const limits = {
  logsPerAnswer: 10_000,
  blockSpanWithoutLogLimit: 2_000,
  logsTimeoutSeconds: 60,
  nodeCallsPerUserPerSecond: 200,
}
const quantity = (value: number) => `0x${value.toString(16)}`

/** Size of a log in bytes. */
const logBytes = 480

interface ChainOptions {
  readonly head: number
  /** Number of logs by block; other blocks have none. */
  readonly logs?: ReadonlyMap<number, number>
  readonly mostBlocks?: number
  readonly mostLogs?: number
  /** The order of the blocks whose logs are sent. */
  readonly order?: 'ascending' | 'descending'
  /** The refusal of a range with too many logs. */
  readonly refusal?: NodeAnswer
  /** Time that each answer takes by the node's clock. */
  readonly milliseconds?: number
}

/**
 * A node with the limits of a Rootstock node. It sends its logs in pieces, as a connection does. Searches use its
 * clock, which only its answers advance: parts whose answers take long do not grow.
 */
function chainNode(options: ChainOptions) {
  const { head, logs = new Map(), mostBlocks = 5_000, mostLogs = 20_000, milliseconds = 0 } = options
  const tooManyLogs = options.refusal ?? error(-32012, `Filter returned more than ${mostLogs} logs.`)
  const asked: [from: number, to: number][] = []
  const seen = { bytes: 0, inFlight: 0, most: 0 }
  let clock = 0

  async function send(from: number, to: number, receiver: LogReceiver | undefined): Promise<NodeAnswer> {
    const blocks = [...logs.keys()].filter((block) => block >= from && block <= to).sort((a, b) => a - b)
    if (options.order === 'descending') blocks.reverse()
    const count = blocks.reduce((sum, block) => sum + (logs.get(block) ?? 0), 0)
    if (to - from + 1 > mostBlocks)
      return error(-32012, `Cannot query more than ${mostBlocks} blocks at once`)
    if (count > mostLogs) return tooManyLogs
    for (const block of blocks) {
      for (let index = 0; index < (logs.get(block) ?? 0); index += 100) {
        const texts: LogText[] = []
        for (let at = index; at < Math.min(index + 100, logs.get(block) ?? 0); at++) {
          const text = JSON.stringify({ blockNumber: quantity(block), logIndex: quantity(at) })
          texts.push({ text: Buffer.from(text.padEnd(logBytes)), block, index: at })
        }
        seen.bytes += texts.length * logBytes
        const flow = receiver?.take(texts)
        if (flow === 'enough') return result([])
        if (flow === 'rubbish') throw new TypeError('the answer is invalid')
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return result([])
  }

  const call: NodeCall = async (method, params, callOptions) => {
    seen.inFlight++
    seen.most = Math.max(seen.most, seen.inFlight)
    try {
      await new Promise((resolve) => setImmediate(resolve))
      const signal = callOptions?.signal
      if (signal?.aborted) throw signal.reason
      if (method !== 'eth_getLogs') return result({ number: quantity(head), hash: hashOf('aa') })
      const { fromBlock, toBlock } = params[0] as JsonObject
      asked.push([Number(fromBlock), Number(toBlock)])
      return await send(Number(fromBlock), Number(toBlock), callOptions?.logs)
    } finally {
      seen.inFlight--
      clock += milliseconds
    }
  }
  return { call, now: () => clock, asked, seen }
}

const ask = async (
  { call, now }: ReturnType<typeof chainNode>,
  from: number,
  to: number,
  limit?: RangeLimit,
  own = limits,
) => {
  const filter = { fromBlock: quantity(from), toBlock: quantity(to) }
  const answer = await getLogs(call, filter, own, unlimited, { now }, limit)
  return JSON.parse(Buffer.from((answer.result as { text: Uint8Array }).text).toString()) as JsonObject[]
}

/** The distribution of logs on a chain whose refusal took 20 calls and 20 MB: 32,430 logs are in six blocks. */
function crowdedChain() {
  const logs = new Map<number, number>()
  const spread = (from: number, to: number, count: number) => {
    for (let block = from; block <= to; block++) logs.set(block, Math.ceil(count / (to - from + 1)))
  }
  spread(0, 0xf9, 1_450)
  spread(0x149, 0x3e7, 1_000)
  spread(0x3e8, 0x7cf, 5_600)
  spread(0x7d0, 0xa30, 3_450)
  for (let block = 0x143; block <= 0x148; block++) logs.set(block, 5_405)
  return logs
}

t.test('a refusal is certain when the first 2,000 blocks have too many logs', async (t) => {
  const refusals = [
    [undefined, 8],
    [error(-32005, 'query returned more than 10000 results'), 8],
    // Messages without the number of logs decide nothing.
    [error(-32011, 'Execution has got timeout out.'), 16],
    [error(-32011, 'Response size limit of 10485760 bytes exceeded'), 16],
  ] as const
  for (const [refusal, most] of refusals) {
    const why = refusal?.error?.message ?? 'a limit of 20,000 logs'
    const options = { head: 0xa30, logs: crowdedChain() }
    const node = chainNode(refusal === undefined ? options : { ...options, refusal })
    await t.rejects(
      ask(node, 0, 0xa30),
      { code: -32602, data: { from: '0x0', to: '0x7cf', limit: 10_000 } },
      why,
    )
    t.ok(node.asked.length <= most, `${why}: ${node.asked.length} calls: ${JSON.stringify(node.asked)}`)
    t.ok(node.seen.bytes <= 10_000_000, `${why}: ${node.seen.bytes} bytes`)
  }
})

t.test('exactly the limit is found in a crowded range, in order', async (t) => {
  const logs = new Map(crowdedChain())
  for (let block = 0x143; block <= 0x148; block++) logs.delete(block)
  const total = [...logs.values()].reduce((sum, count) => sum + count, 0)
  const node = chainNode({ head: 0xa30, logs, mostLogs: 500 })
  const own = { ...limits, logsPerAnswer: total }
  const found = await ask(node, 0, 0xa30, undefined, own)
  t.equal(found.length, total)
  const blocks = found.map(({ blockNumber }) => Number(blockNumber))
  t.strictSame(
    blocks,
    blocks.toSorted((a, b) => a - b),
  )
  const all = JSON.stringify(found.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`))
  t.equal(new Set(JSON.parse(all)).size, total, 'no log is lost or twice')
  const exact = { ...limits, logsPerAnswer: total - 1 }
  await t.rejects(ask(node, 0, 0xa30, undefined, exact), { code: -32602, data: { to: '0xa2f' } })
})

t.test('a whole chain is read in the largest parts that the nodes accept', async (t) => {
  const logs = new Map([
    [0, 1],
    [3_000_000, 2],
    [6_999_999, 1],
  ])
  const node = chainNode({ head: 7_000_100, logs })
  const limit = new RangeLimit()
  t.equal((await ask(node, 0, 6_999_999, limit)).length, 4)
  t.ok(node.asked.length <= 1_430, `${node.asked.length} calls`)
  t.ok(node.seen.most <= 16, `${node.seen.most} at once`)
  t.equal(limit.known, 5_000)
  const again = chainNode({ head: 7_000_100, logs })
  await ask(again, 0, 6_999_999, limit)
  t.ok(
    again.asked.every(([from, to]) => to - from < 5_000),
    'the known limit is not searched again',
  )
})

t.test('a range that cannot be read in time is refused at once, and the suggested range works', async (t) => {
  for (const [mostBlocks, blocks] of [
    [100, 600_000],
    [10, 60_000],
  ] as const) {
    const node = chainNode({ head: 7_000_100, mostBlocks })
    const limit = new RangeLimit()
    const last = quantity(5 + blocks - 1)
    await t.rejects(ask(node, 5, 6_999_999, limit), {
      code: -32602,
      httpStatus: 200,
      message: `this block range should work: [0x5, ${last}]`,
      data: { from: '0x5', to: last, limit: blocks },
    })
    t.ok(node.asked.length <= 5, `${node.asked.length} calls`)
    t.strictSame(await ask(node, 5, 5 + blocks - 1, limit), [])
    t.strictSame(await ask(node, 5, 2_004, limit), [], 'a short range is never refused')
  }
})

t.test('a node that states no limit is asked for ever longer ranges until it refuses one', async (t) => {
  const node = chainNode({ head: 2_000_000, mostBlocks: Number.POSITIVE_INFINITY })
  await ask(node, 0, 1_999_999)
  // Parts of 2,000 blocks would be 1,000 calls.
  t.ok(node.asked.length < 100, `${node.asked.length} calls`)
})

t.test('parts whose answers take long do not grow', async (t) => {
  const longestPart = async (milliseconds: number) => {
    const node = chainNode({ head: 1_000_000, mostBlocks: Number.POSITIVE_INFINITY, milliseconds })
    await ask(node, 0, 999_999)
    return Math.max(...node.asked.map(([from, to]) => to - from + 1))
  }
  t.equal(await longestPart(2_001), 2_000)
  t.ok((await longestPart(0)) > 2_000)
})

t.test('a later part is read until the answer is certain, and no further', async (t) => {
  const own = { ...limits, logsPerAnswer: 350 }
  const node = chainNode({
    head: 500_000,
    logs: new Map([
      [0, 300],
      [400_000, 1_000],
    ]),
  })
  await t.rejects(ask(node, 0, 450_000, undefined, own), { code: -32602, data: { to: '0x61a7f' } })
  t.equal(node.seen.bytes, 400 * logBytes, 'the logs before it count')
  const full = new Map([[5_000, 350]])
  const exact = chainNode({ head: 9_000, logs: full })
  t.equal((await ask(exact, 0, 9_000, undefined, own)).length, 350, 'exactly the limit')
  full.set(5_001, 1)
  const above = chainNode({ head: 9_000, logs: full })
  await t.rejects(
    ask(above, 0, 9_000, undefined, own),
    { code: -32602, data: { to: '0x1388' } },
    'one log more',
  )
})

t.test('exactly the limit in the first 2,000 blocks is found', async (t) => {
  const node = chainNode({ head: 9_000, logs: new Map([[5, 10]]) })
  const own = { ...limits, logsPerAnswer: 10 }
  t.equal((await ask(node, 0, 9_000, undefined, own)).length, 10)
})

t.test('logs whose order is wrong are all read before a range is refused', async (t) => {
  const logs = new Map([
    [5_000, 11],
    [5_001, 8],
    [5_002, 3],
  ])
  const node = chainNode({ head: 9_000, logs, order: 'descending' })
  const own = { ...limits, logsPerAnswer: 10 }
  await t.rejects(ask(node, 0, 9_000, undefined, own), { code: -32602, data: { to: '0x1387' } })
})
