import t from 'tap'
import {
  createClient,
  logPages,
  logs,
  quantities,
  waitForReceipt,
  watchBlocks,
  watchLogs,
} from '../../../../src/service/node-access/index.js'
import { readUntil, startOwnChain } from './own-chain.js'

const chain = await startOwnChain(t)
const client = createClient(chain.url, { decode: quantities })
await chain.mine(5)
await chain.emit(3)
const before = await chain.head()
/** Polls often, so that tests need not wait. */
const often = { intervalMilliseconds: 20 }

t.test('logs are decoded, and positions are those of the wire', async (t) => {
  const number = BigInt(before.number)
  const found: unknown[] = []
  for await (const log of logs(client, { address: chain.contract, fromBlock: 0n, toBlock: number })) {
    found.push([log.blockNumber, log.logIndex])
  }
  t.same(
    found,
    [0, 1, 2].map((index) => [number, index]),
  )
  for await (const page of logPages(client, { fromBlock: Number(number) })) {
    t.match(page, { kind: 'logs', from: before.number, to: before.number, logs: { length: 3 } })
    t.same(page.cursor, [{ number: before.number, hash: before.hash }])
  }
})

t.test('a watch of decoded blocks and logs reports a reorganisation', async (t) => {
  const start = BigInt(before.number)
  const undo = await chain.snapshot()
  const blocks = watchBlocks(client, { ...often, fromBlock: start, fullTransactions: true })
  const watched = watchLogs(client, { fromBlock: start }, often)
  const first = (await blocks.next()).value
  t.match(first, { kind: 'block', cursor: [{ number: before.number }] })
  t.equal(first.kind === 'block' && first.block.number, start)
  t.equal(first.kind === 'block' && first.block.transactions[0]?.blockNumber, start)
  t.match((await watched.next()).value, { kind: 'logs', logs: [{ blockNumber: start }, {}, {}] })
  await chain.emit(1)
  await readUntil(blocks, (page) => page.kind === 'block' && page.block.number === start + 1n)
  await readUntil(watched, (page) => page.kind === 'logs' && page.logs.length === 1)
  await undo()
  await chain.mine(1)
  await chain.emit(2)
  const replaced = { kind: 'rollback', from: `0x${(start + 1n).toString(16)}` }
  t.match((await readUntil(blocks, ({ kind }) => kind === 'rollback')).at(-1), replaced)
  t.match((await readUntil(watched, ({ kind }) => kind === 'rollback')).at(-1), replaced)
  const [, again] = await readUntil(
    blocks,
    (page) => page.kind === 'block' && page.block.number === start + 2n,
  )
  t.equal(again?.kind === 'block' && again.block.number, start + 2n)
  await blocks.return(undefined as never)
  await watched.return(undefined as never)
})

t.test('a receipt is decoded', async (t) => {
  const block = await client.eth_getBlockByNumber(BigInt(before.number), true)
  const [transaction] = block?.transactions ?? []
  const receipt = await waitForReceipt(client, transaction?.hash ?? '0x', { ...often, confirmations: 2 })
  t.match(receipt, { status: 1, blockNumber: BigInt(before.number), transactionIndex: 0 })
})
