import t from 'tap'
import { utils } from 'web3'
import { compute } from './compute.js'

t.test('arithmetic keeps the notation of the first number', async (t) => {
  const cases: { name: string; params: readonly (string | number)[]; want: string | number }[] = [
    { name: 'add', params: ['0xff', '0x1'], want: '0x100' },
    { name: 'add', params: ['0xff', 1], want: '0x100' },
    { name: 'add', params: [255, '0x1'], want: 256 },
    { name: 'subtract', params: ['0x97f', '0x64'], want: '0x91b' },
    { name: 'subtract', params: ['0x5', '0x64'], want: '0x0' },
    { name: 'subtract', params: [10_000, 9_999], want: 1 },
    { name: 'multiply', params: ['0x5208', '0x3938700'], want: '0x1255dda3800' },
    { name: 'multiply', params: [`0x1${'0'.repeat(31)}`, '0x10'], want: `0x1${'0'.repeat(32)}` },
    { name: 'quantity', params: [2000], want: '0x7d0' },
    { name: 'quantity', params: [0], want: '0x0' },
  ]
  for (const { name, params, want } of cases) t.equal(compute(name, ...params), want, `${name}(${params})`)
  t.throws(() => compute('multiply', 2 ** 52, 16), { message: /exceeds a JSON number/ })
  t.throws(() => compute('add', 1.5, 1), { message: /^the first number must be a non-negative integer/ })
  t.throws(() => compute('add', '0x', 1), { name: 'ChainFunctionError' })
  t.throws(() => compute('add', 1, 1, 1), { message: 'add takes at most 2 parameters, not 3.' })
})

t.test('an HTTP date becomes a time in seconds', async (t) => {
  t.equal(compute('secondsOf', 'Thu, 01 Jan 1970 00:01:00 GMT'), '0x3c')
  t.equal(compute('secondsOf', 'Thu, 01 Jan 1970 00:01:00 GMT', 4), '0x40')
  t.throws(() => compute('secondsOf', 'never'), { message: '"never" is not an HTTP date.' })
})

t.test('a log of a later transaction is found by its neighbour, whatever its position', async (t) => {
  const log = (blockHash: string, transactionHash: string) => ({
    blockHash,
    transactionHash,
    transactionIndex: '0x0',
  })
  const logs = [log('0xa', '0x1'), log('0xa', '0x1'), log('0xb', '0x2'), log('0xb', '0x3')]
  t.same(compute('firstOfLaterTransaction', logs), [logs[3]])
  t.same(compute('firstOfLaterTransaction', logs.slice(0, 3)), [])
  t.same(compute('firstOfLaterTransaction', []), [])
})

t.test('lists are counted, sliced and joined', async (t) => {
  const list = [
    { hash: '0xa', index: '0x0' },
    { hash: '0xb', index: '0x1' },
    { hash: '0xa', index: '0x2' },
  ]
  const cases: {
    name: string
    params: Parameters<typeof compute> extends [string, ...infer P] ? P : never
    want: unknown
  }[] = [
    { name: 'lengthOf', params: [list], want: 3 },
    { name: 'lengthOf', params: [[]], want: 0 },
    {
      name: 'numbered',
      params: [[{ index: '0x7' }, {}], 'index'],
      want: [{ index: '0x0' }, { index: '0x1' }],
    },
    { name: 'pluck', params: [list, 'hash'], want: ['0xa', '0xb', '0xa'] },
    { name: 'pluck', params: [list, 'missing'], want: [null, null, null] },
    { name: 'where', params: [list, 'hash', '0xa'], want: [list[0], list[2]] },
    { name: 'where', params: [list, 'hash', '0xc'], want: [] },
    { name: 'concat', params: [[1], [], [2, 3]], want: [1, 2, 3] },
    { name: 'concat', params: [], want: [] },
    { name: 'repeat', params: ['0xa', 3], want: ['0xa', '0xa', '0xa'] },
    { name: 'repeat', params: [null, '0x2'], want: [null, null] },
    { name: 'upperCase', params: ['0xabcdef12'], want: '0xABCDEF12' },
  ]
  for (const { name, params, want } of cases)
    t.same(compute(name, ...params), want, `${name}(${JSON.stringify(params)})`)
  t.throws(() => compute('pluck', ['x'], 'hash'), {
    message: 'each value of the list must be an object, not "x".',
  })
  t.throws(() => compute('lengthOf', 'x'.repeat(200)), { message: /^the list must be a list, not .{80}\.$/ })
})

const word = (digit: string) => `0x${digit.repeat(64)}`
const log = (blockNumber: string, logIndex: string, topics: readonly string[] = []) => ({
  logIndex,
  transactionIndex: '0x0',
  transactionHash: word('1'),
  blockHash: word('2'),
  blockNumber,
  address: `0x${'ab'.repeat(20)}`,
  data: '0x',
  topics,
})

const nothing = Object.fromEntries(Object.keys(log('0x1', '0x0')).map((name) => [name, null]))

t.test('logs are sorted by number, not by text', async (t) => {
  const ordered = [log('0x9', '0x9'), log('0x9', '0x10'), log('0x10', '0x0')]
  t.same(compute('inOrder', [ordered[2], ordered[1], ordered[0]] as never), ordered)
  t.same(compute('inOrder', ordered), ordered)
  t.throws(() => compute('inOrder', [log('0x9', '0x9'), { logIndex: '0x1' }]), {
    message: /^blockNumber must be/,
  })
})

t.test('a bare log has exactly the eight members of a log', async (t) => {
  t.same(compute('bareLog', { ...log('0x1', '0x0'), blockTimestamp: '0x5' }), log('0x1', '0x0'))
  t.same(compute('bareLog', { address: '0xa' }), { ...nothing, address: '0xa' })
})

t.test('a bloom filter with logs equals the one that web3.js reads', async (t) => {
  const empty = `0x${'00'.repeat(256)}`
  const other = `0x${'cd'.repeat(20)}`
  const bloom = String(compute('bloomWith', empty, [log('0x1', '0x0', [word('3'), word('4')])]))
  t.ok(utils.isContractAddressInBloom(bloom, log('0x1', '0x0').address))
  t.ok(utils.isTopicInBloom(bloom, word('3')))
  t.ok(utils.isTopicInBloom(bloom, word('4')))
  t.notOk(utils.isTopicInBloom(bloom, word('5')))
  t.notOk(utils.isContractAddressInBloom(bloom, other))
  t.equal(
    compute('bloomWith', bloom, [log('0x1', '0x0', [word('4')])]),
    bloom,
    'adding an included log changes nothing',
  )
  t.not(compute('bloomWith', bloom, [log('0x1', '0x0', [word('5')])]), bloom)
  t.equal(compute('bloomWith', bloom, []), bloom)
  t.throws(() => compute('bloomWith', '0x00', []), { message: /^the bloom filter must be 256 bytes/ })
})

t.test('sublists of a block end at its edges, and their sums add up to its gas', async (t) => {
  const transactions = ['0x1', '0x2', '0x3', '0x4', '0x5', '0x6', '0x7']
  const lasts = (rskPteEdges: number[] | null | undefined) =>
    compute('lastOfSublists', { transactions, ...(rskPteEdges === undefined ? {} : { rskPteEdges }) })
  for (const none of [undefined, null, []]) t.strictSame(lasts(none), Array(5).fill('0x7'))
  t.strictSame(lasts([2]), ['0x2', '0x7', '0x7', '0x7', '0x7'])
  t.strictSame(lasts([2, 3]), ['0x2', '0x3', '0x7', '0x7', '0x7'])
  t.strictSame(lasts([1, 2, 3, 4]), ['0x1', '0x2', '0x3', '0x4', '0x7'])
  t.equal((lasts([1, 2, 3, 4, 5]) as string[]).length, 6)
  t.strictSame(compute('lastOfSublists', { transactions: [] }), [])

  // The receipts of a block of a Rootstock node, with the edge 2.
  const receipts = ['0x6fe2', '0xd1db', '0x97f4e', '0x9ef30', '0xa5129', '0x13d077', '0x13d077'].map(
    (gas, at) => ({
      transactionHash: transactions[at] ?? '',
      cumulativeGasUsed: gas,
    }),
  )
  const ends = (lasts([2]) as string[]).map(
    (hash) => receipts.find((receipt) => receipt.transactionHash === hash) ?? {},
  )
  t.equal(compute('sumOnce', ends, 'transactionHash', 'cumulativeGasUsed'), '0x14a252')
  const block = { transactions, rskPteEdges: [2] }
  t.equal(compute('gasBefore', block, '0x1', '0x6fe2'), '0x6fe2')
  t.equal(compute('gasBefore', block, '0x2', '0xd1db'), '0x0')
  t.equal(compute('gasBefore', { transactions }, '0x2', '0xd1db'), '0xd1db')
})
