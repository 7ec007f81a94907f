import t from 'tap'
import {
  type BlockPage,
  createClient,
  type Fetch,
  type LogPage,
  type Rollback,
  watchBlocks,
  watchLogs,
} from '../../../../src/service/node-access/index.js'
import { until } from '../../../support/until.js'
import { caught, readUntil, startOwnChain } from './own-chain.js'

const chain = await startOwnChain(t)
const client = createClient(chain.url)
await chain.mine(40)
await chain.head()
/** Polls often, so that tests need not wait. */
const often = { intervalMilliseconds: 20 }

const next = (number: string, blocks = 1) => `0x${(Number(number) + blocks).toString(16)}` as const
const isBlock = (page: BlockPage | Rollback): page is BlockPage => page.kind === 'block'
const isLogs = (page: LogPage | Rollback): page is LogPage => page.kind === 'logs'
const isAt = (number: string) => (page: BlockPage | Rollback) => isBlock(page) && page.block.number === number
const reaches = (number: string) => (page: LogPage | Rollback) => isLogs(page) && page.to === number
const numbers = (pages: readonly (BlockPage | Rollback)[]) =>
  pages.filter(isBlock).map(({ block }) => Number(block.number))
const contains = (error: unknown, want: object) =>
  Object.entries(want).every(([key, value]) => Reflect.get(Object(error), key) === value)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

t.test('watchBlocks returns every block once and in order, also many at once', async (t) => {
  const start = await chain.head()
  const blocks = watchBlocks(client, often)
  t.match((await blocks.next()).value, { kind: 'block', block: { hash: start.hash } }, 'the head is first')
  await chain.mine(45)
  const read = await readUntil(blocks, isAt(next(start.number, 45)))
  t.same(numbers(read), range(Number(start.number) + 1, Number(start.number) + 45))
  await chain.emit(3)
  const [one] = await readUntil(blocks, () => true)
  t.equal(one && isBlock(one) && typeof one.block.transactions[0], 'string')
  await blocks.return(undefined as never)
  t.same(await blocks.next(), { value: undefined, done: true })

  const full = watchBlocks(client, { ...often, fromBlock: next(start.number, 46), fullTransactions: true })
  t.match((await full.next()).value, { block: { transactions: [{ to: chain.contract }] } })
  await full.return(undefined as never)
  const resumed = watchBlocks(client, { ...often, after: one?.cursor, fromBlock: '0x0' })
  await chain.mine(1)
  t.same(numbers(await readUntil(resumed, () => true)), [Number(start.number) + 47])
  await resumed.return(undefined as never)
})

t.test('watchBlocks reports replaced blocks before it returns the replacing ones', async (t) => {
  const start = await chain.head()
  const undo = await chain.snapshot()
  const blocks = watchBlocks(client, often)
  await blocks.next()
  await chain.mine(4)
  const kept = await readUntil(blocks, isAt(next(start.number, 4)))

  await undo()
  await chain.emit(1)
  await chain.mine(5)
  const head = await chain.head()
  const read = await readUntil(blocks, isAt(head.number))
  t.match(read[0], { kind: 'rollback', from: next(start.number), cursor: [{ hash: start.hash }] })
  t.equal(read.filter((page) => !isBlock(page)).length, 1)
  t.same(numbers(read), range(Number(start.number) + 1, Number(start.number) + 6))
  const hashes = [...kept, ...read.slice(1)].map(({ cursor: [last] }) => last?.hash)
  t.equal(new Set(hashes).size, hashes.length)
  await blocks.return(undefined as never)
})

t.test('a replaced block of the same height, and the first watched block, are reported too', async (t) => {
  const undo = await chain.snapshot()
  await chain.mine(1)
  const start = await chain.head()
  const watches = [watchBlocks(client, often), watchLogs(client, {}, often)] as const
  for (const watch of watches) await watch.next()
  await undo()
  await chain.emit(2)
  const head = await chain.head()
  t.equal(head.number, start.number)
  for (const watch of watches) {
    t.same((await watch.next()).value, { kind: 'rollback', from: start.number, cursor: [] })
    t.match((await watch.next()).value, { cursor: [{ hash: head.hash }] })
    await watch.return(undefined as never)
  }
})

t.test('watchLogs returns all logs once; its pages cover every block', async (t) => {
  const start = await chain.head()
  const pages = watchLogs(client, { address: chain.contract }, often)
  await pages.next()
  for (const count of [2, 3, 4]) {
    await chain.emit(count)
    await chain.mine(3)
  }
  const end = next(start.number, 12)
  const read = (await readUntil(pages, reaches(end))).filter(isLogs)
  const logs = read.flatMap((page) => page.logs)
  t.equal(logs.length, 9)
  t.equal(new Set(logs.map((log) => `${log.blockNumber} ${log.logIndex}`)).size, 9)
  t.equal(read[0]?.from, next(start.number))
  t.ok(read.every((page, at) => at === 0 || Number(page.from) === Number(read[at - 1]?.to) + 1))

  const undo = await chain.snapshot()
  await chain.emit(5)
  t.equal((await readUntil(pages, reaches(next(end)))).filter(isLogs)[0]?.logs.length, 5)
  await undo()
  await chain.emit(1)
  await chain.mine(1)
  const again = await readUntil(pages, reaches(next(end, 2)))
  t.match(again[0], { kind: 'rollback', from: next(end) })
  t.equal(again.filter(isLogs).flatMap((page) => page.logs).length, 1)
  await pages.return(undefined as never)
})

t.test('watches survive outages of the node and of the network, and miss nothing', async (t) => {
  let isCut = false
  const unreachable: Fetch = (url, request) => fetch(isCut ? 'http://127.0.0.1:1/' : url, request)
  const fragile = createClient(chain.url, { fetch: unreachable })
  let errors: unknown[] = []
  const options = { ...often, onError: (error: unknown) => void errors.push(error) }
  const hasFailed = (want: object) => until(() => errors.some((error) => contains(error, want)))
  for (const start of [() => watchBlocks(fragile, options), () => watchLogs(fragile, {}, options)]) {
    errors = []
    const head = await chain.head()
    const watch: AsyncIterator<BlockPage | LogPage | Rollback> = start()
    t.match((await watch.next()).value, { cursor: [{ hash: head.hash }] })
    const end = next(head.number, 3)
    const covered = readUntil(watch, ({ cursor: [last] }) => last?.number === end)
    chain.node.isDown = true
    await hasFailed({ error: 'unavailable', code: -32002 })
    await chain.mine(2)
    isCut = true
    chain.node.isDown = false
    await hasFailed({ kind: 'network' })
    await chain.mine(1)
    isCut = false
    const pages = await covered
    const ends = pages.map(({ cursor: [last] }) => Number(last?.number))
    t.equal(new Set(ends).size, ends.length, 'nothing is repeated')
    t.notOk(pages.some(({ kind }) => kind === 'rollback'))
    const first = pages.map((page) => (page.kind === 'logs' ? page.from : page.cursor[0]?.number))[0]
    t.equal(first, next(head.number), 'nothing is missed')
    await watch.return?.()
  }
})

t.test('watches end with the reason of a signal, and with permanent errors', async (t) => {
  const reason = new TypeError('enough')
  for (const start of [watchBlocks, (c: typeof client, options: object) => watchLogs(c, {}, options)]) {
    const controller = new AbortController()
    const watch = start(client, { intervalMilliseconds: 60_000, signal: controller.signal })
    await watch.next()
    const waiting = caught(watch.next())
    controller.abort(reason)
    t.equal(await waiting, reason)
    t.same(await watch.next(), { value: undefined, done: true })
    const refused = createClient(chain.url.replace(/\w{5}-T$/, 'AAAAA-T'))
    t.match(await caught(start(refused, often).next()), { error: 'unauthorized' })
    for (const intervalMilliseconds of [0, -1, Number.NaN])
      t.match(await caught(start(client, { intervalMilliseconds }).next()), { name: 'RangeError' })
    const onError = () => {
      throw reason
    }
    const failing = createClient('http://127.0.0.1:1/')
    t.equal(await caught(start(failing, { ...often, onError }).next()), reason)
  }
})
