import t from 'tap'
import {
  createClient,
  type Fetch,
  logPages,
  logs,
  quantities,
  waitForReceipt,
  watchBlocks,
  watchLogs,
} from '../../../../src/service/node-access/index.js'
import { caught } from '../../runtime/client/rpc-server.js'

let requests = 0
const fetch: Fetch = async () => {
  requests += 1
  throw new TypeError('nothing is sent')
}
const url = 'https://rpc.example/key'
const client = createClient(url, { decode: quantities, fetch, retry: false })
const wire = createClient(url, { fetch, retry: false })

const refused: readonly [selector: unknown, shown: string][] = [
  [-1, '-1'],
  [1.5, '1.5'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [2 ** 53, '9007199254740992'],
  [-1n, '-1'],
  [2n ** 64n, '18446744073709551616'],
  ['0x20000000000000', '"0x20000000000000"'],
  ['safe', '"safe"'],
]
const rest = 'Use a tag, or a whole number from 0 to 9007199254740991.'

for (const [selector, shown] of refused) {
  t.test(`the block ${shown} is refused before anything is sent`, async (t) => {
    const fromBlock = selector as number
    const toBlock = selector as '0x1'
    const first = async (pages: () => AsyncGenerator<unknown>) => caught((async () => pages().next())())
    for (const [place, pages] of [
      ['logs: "fromBlock"', () => logs(client, { fromBlock })],
      ['logs: "toBlock"', () => logs(wire, { fromBlock: '0x0', toBlock })],
      ['logPages: "toBlock"', () => logPages(wire, { toBlock })],
      ['watchLogs: "fromBlock"', () => watchLogs(client, { fromBlock })],
      ['watchBlocks: "fromBlock"', () => watchBlocks(client, { fromBlock })],
    ] as const) {
      t.match(await first(pages), { name: 'RangeError', message: `${place} is ${shown}. ${rest}` }, place)
    }
    t.equal(requests, 0)
  })
}

t.test('counts that are no whole numbers are refused before anything is sent', async (t) => {
  for (const count of [-1, 0.5, 1.5, Number.NaN]) {
    const counted = { maxBlocks: count, confirmations: count }
    t.match(await caught(logs(client, {}, counted).next()), {
      name: 'RangeError',
      message: `logs: "maxBlocks" is ${count}. Use a whole number from 1, or Infinity.`,
    })
    t.match(await caught(waitForReceipt(client, '0x1', { ...counted, timeoutMilliseconds: 100 })), {
      name: 'RangeError',
      message: `waitForReceipt: "confirmations" is ${count}. Use a whole number from 0.`,
    })
  }
  t.equal(requests, 0)
})

t.test('tags, and numbers up to 53 bits, are sent', async (t) => {
  for (const fromBlock of ['latest', 'earliest', 0, 5n, 2 ** 53 - 1, null] as const) {
    requests = 0
    t.match(await caught(logs(client, { fromBlock }).next()), { kind: 'network' })
    t.equal(requests, 1)
  }
})

t.test('a wait for a receipt may be longer than the longest timer', async (t) => {
  const stopped = new AbortController()
  setTimeout(() => stopped.abort(new Error('stopped')), 50)
  const options = { timeoutMilliseconds: 2 ** 31, signal: stopped.signal }
  t.match(await caught(waitForReceipt(client, '0x1', options)), { message: 'stopped' })
})
