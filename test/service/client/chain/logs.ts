import t from 'tap'
import {
  type ChainCursor,
  createClient,
  type Fetch,
  type LogPage,
  type LogRange,
  logPages,
  logs,
  type Rollback,
} from '../../../../src/service/node-access/index.js'
import { until } from '../../../support/until.js'
import { caught, startOwnChain } from './own-chain.js'

const chain = await startOwnChain(t)
const client = createClient(chain.url)

/** Blocks with 2,000 logs each. */
const crowded = 7
const logsEach = 2_000
/** They lie in a range that is longer than the one without a limit of logs. */
await chain.mine(6_000)
for (let block = 0; block < crowded; block++) {
  await chain.emit(logsEach)
  await chain.mine(400)
}
await chain.head()
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const everything = { fromBlock: 'earliest' } as const
const isLogs = (page: LogPage | Rollback): page is LogPage => page.kind === 'logs'
const place = (log: { blockNumber: string | null; logIndex: string | null }) =>
  Number(log.blockNumber) * 100_000 + Number(log.logIndex)

/** A client that records its calls of eth_getLogs, with the answers' error codes. */
function recorded(options: Parameters<typeof createClient>[1] = {}) {
  const ranges: { blocks: number; code: number | undefined }[] = []
  const send: Fetch = async (url, request) => {
    const answer = await (options.fetch ?? fetch)(url, request)
    const sent = JSON.parse(request.body)
    if (sent.method !== 'eth_getLogs') return answer
    const [{ fromBlock = '0x0', toBlock = fromBlock }] = sent.params
    const text = await answer.text()
    ranges.push({ blocks: Number(toBlock) - Number(fromBlock) + 1, code: JSON.parse(text).error?.code })
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }
  return { ranges, client: createClient(chain.url, { ...options, fetch: send }) }
}

t.test('logs returns every log of a range with many logs once and in order', async (t) => {
  const { client, ranges } = recorded()
  const places: number[] = []
  for await (const log of logs(client, everything)) places.push(place(log))
  t.equal(places.length, crowded * logsEach)
  t.ok(places.every((at, index) => index === 0 || at > (places[index - 1] ?? 0)))
  t.same(
    ranges.slice(0, 3).map(({ blocks }) => blocks),
    [2_000, 4_000, 2_809],
    'the step grows',
  )
  t.match(ranges[2], { code: -32602 }, 'a range has too many logs')
  t.ok(
    ranges.slice(3).every(({ code }) => code === undefined),
    'the suggested range works',
  )
})

t.test('logs follows address, topics and bounds; bounds above the head are the head', async (t) => {
  const count = async (filter: LogRange) => {
    let found = 0
    for await (const _ of logs(client, filter)) found += 1
    return found
  }
  const [first] = await client.eth_getLogs({ fromBlock: '0x1771', toBlock: '0x1772' })
  const crowdedBlock = first?.blockNumber ?? '0x0'
  const one = { fromBlock: crowdedBlock, toBlock: crowdedBlock }
  t.equal(await count(one), logsEach)
  t.equal(await count({ ...one, address: `0x${'ab'.repeat(20)}` }), 0)
  t.equal(await count({ ...one, address: chain.contract }), logsEach)
  t.equal(await count({ ...one, topics: [transfer] }), logsEach / 5)
  t.equal(await count({ fromBlock: crowdedBlock, toBlock: '0xffffff' }), crowded * logsEach)
  t.equal(await count({ fromBlock: '0xfffff0', toBlock: '0xffffff' }), 0)
  t.equal(await count({}), 0, 'only the head')
})

t.test('logPages resumes from the cursor of any page, without gaps or repetition', async (t) => {
  const pages: LogPage[] = []
  let after: ChainCursor | undefined
  for (;;) {
    const page = (await logPages(client, everything, { after, maxBlocks: 3_000 }).next()).value
    if (!page) break
    if (!isLogs(page)) return t.fail('nothing was replaced')
    pages.push(page)
    after = JSON.parse(JSON.stringify(page.cursor))
  }
  t.ok(pages.length > 2)
  t.equal(pages.flatMap((page) => page.logs).length, crowded * logsEach)
  t.equal(pages[0]?.from, '0x0')
  t.equal(pages.at(-1)?.to, await client.eth_blockNumber())
  t.ok(pages.every((page, at) => at === 0 || Number(page.from) === Number(pages[at - 1]?.to) + 1))
  t.ok(pages.every((page) => page.cursor.length <= 32 && page.cursor[0]?.number === page.to))
})

t.test('a range whose answer is too large or too late is halved', async (t) => {
  const large = recorded({ maxAnswerBytes: 1_500_000 })
  let found = 0
  for await (const _ of logs(large.client, { fromBlock: '0x1388' })) found += 1
  t.equal(found, crowded * logsEach)
  t.ok(large.ranges.some(({ blocks }) => blocks <= 1_000))

  // Answers to long ranges never arrive.
  const stuck: Fetch = (url, request) => {
    const [filter = {}] = JSON.parse(request.body).params
    const isLong = Number(filter.toBlock) - Number(filter.fromBlock) >= 500
    if (!isLong) return fetch(url, request)
    return new Promise((_, reject) =>
      request.signal.addEventListener('abort', () => reject(request.signal.reason)),
    )
  }
  const slow = recorded({ fetch: stuck, timeoutMilliseconds: 1_000 })
  const pages: (LogPage | Rollback)[] = []
  for await (const page of logPages(slow.client, { fromBlock: '0x3e8', toBlock: '0x1000' })) pages.push(page)
  t.ok(pages.filter(isLogs).every(({ from, to }) => Number(to) - Number(from) < 500))
  t.equal(pages.at(-1)?.cursor[0]?.number, '0x1000')
})

t.test('a resumed run reports replaced blocks, and continues with the replacing ones', async (t) => {
  await chain.emit(1)
  const undo = await chain.snapshot()
  await chain.emit(2)
  await chain.emit(3)
  const from = (await chain.head()).number
  const first: (LogPage | Rollback)[] = []
  const filter = { fromBlock: `0x${(Number(from) - 10).toString(16)}` } as const
  for await (const page of logPages(client, filter)) first.push(page)
  const after = first.at(-1)?.cursor
  t.equal(first.filter(isLogs).flatMap((page) => page.logs).length, 6)

  await undo()
  await chain.emit(5)
  const newHead = await chain.head()
  const again: (LogPage | Rollback)[] = []
  for await (const page of logPages(client, filter, { after })) again.push(page)
  t.match(again[0], { kind: 'rollback', from: newHead.number, cursor: Array })
  t.same(
    again
      .slice(1)
      .filter(isLogs)
      .map((page) => [page.from, page.to, page.logs.length]),
    [[newHead.number, newHead.number, 5]],
  )
  const all = async (options: object) => {
    const found = []
    for await (const log of logs(client, filter, options)) found.push(log)
    return found
  }
  t.match(await caught(all({ after })), { name: 'ReorgError', from: newHead.number, cursor: Array })
  t.equal((await all({ after: again.at(-1)?.cursor })).length, 0)
  t.equal((await all({})).length, 6)
})

t.test('without a known block, a run starts again at its first block or fails', async (t) => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const head = await chain.head()
  const after = [
    { number: head.number, hash },
    { number: '0x5' as const, hash },
  ]
  const pages: (LogPage | Rollback)[] = []
  for await (const page of logPages(client, { fromBlock: '0x1f40' }, { after })) pages.push(page)
  t.same(pages[0], { kind: 'rollback', from: '0x1f40', cursor: [] })
  t.match(pages[1], { kind: 'logs', from: '0x1f40' })
  t.match(await caught(logPages(client, {}, { after }).next()), {
    name: 'ReorgError',
    from: '0x5',
    cursor: [],
    message: /start at an earlier block/,
  })
})

t.test('errors end a run, which can be resumed; so do a signal and a wrong option', async (t) => {
  const pages = logPages(client, everything, { maxBlocks: 1_000 })
  const page = (await pages.next()).value
  chain.node.isDown = true
  t.match(await caught(pages.next()), { error: 'unavailable' })
  chain.node.isDown = false
  const resumed = await until(() =>
    logPages(client, everything, { after: page?.cursor })
      .next()
      .catch(() => undefined),
  )
  t.match(resumed.value, { kind: 'logs', from: '0x3e8' })
  const reason = new TypeError('enough')
  const controller = new AbortController()
  const stopped = logPages(client, everything, { maxBlocks: 10, signal: controller.signal })
  await stopped.next()
  controller.abort(reason)
  t.equal(await caught(stopped.next()), reason)
  for (const maxBlocks of [0, Number.NaN, -1])
    t.throws(() => logPages(client, everything, { maxBlocks }), RangeError)
  t.match(await caught(logPages(client, { address: '0x12' }).next()), { error: 'invalidParams' })
})
