import t from 'tap'
import { failure } from '../../../../../generated/errors.js'
import { type JsonValue, RawJson } from '../../../../../src/runtime/rpc/index.js'
import {
  type Lifetime,
  lifetimeOf,
  lifetimeOfResult,
} from '../../../../../src/service/gateway/cache/answer-cache.js'
import { type Asker, createAnswerCache } from '../../../../../src/service/gateway/cache/index.js'
import { profileOf } from '../../../../../src/service/gateway/profiles/index.js'
import { cachedNetwork, textOf } from './cached-network.js'

const hash = (digit: string) => `0x${digit.repeat(64)}`

t.test('an immutable answer is requested once, and a null answer is requested again', async (t) => {
  const { cache, asked, state, outcomes } = cachedNetwork()
  const first = cache('eth_getBlockByHash', [hash('a'), false])
  asked[0]?.answer({ number: '0x1' })
  t.equal(await textOf(first), '{"number":"0x1"}')
  state.head = 20_000n
  state.time = 1e9
  const again = cache('eth_getBlockByHash', [hash('a'), false])
  t.ok(again instanceof RawJson, 'cache hit')
  t.equal(await textOf(again), '{"number":"0x1"}')
  const missing = cache('eth_getBlockByHash', [hash('b'), false])
  asked[1]?.answer(null)
  t.equal(await textOf(missing), 'null')
  cache('eth_getBlockByHash', [hash('b'), false])
  t.equal(asked.length, 3)
  t.same(outcomes, ['miss', 'hit', 'miss', 'miss'])
})

t.test(
  'an answer about the latest block is a hit until the next block, for at most one second',
  async (t) => {
    const { cache, asked, state } = cachedNetwork()
    const ask = async (result: string) => {
      const before = asked.length
      const answer = cache('eth_gasPrice', [])
      asked[before]?.answer(result)
      return textOf(answer)
    }
    state.time = 5_000
    t.equal(await ask('0x1'), '"0x1"')
    state.time = 5_999
    t.equal(await ask('0x2'), '"0x1"')
    state.time = 6_000
    t.equal(await ask('0x3'), '"0x3"')
    state.head = 10_001n
    t.equal(await ask('0x4'), '"0x4"')
    const sent = cache('eth_sendRawTransaction', ['0x00'])
    t.equal(await ask('0x5'), '"0x5"', 'a write has begun')
    asked.find(({ method }) => method === 'eth_sendRawTransaction')?.answer(hash('c'))
    await sent
    t.equal(await ask('0x6'), '"0x6"', 'a write has ended')
    const failed = cache('eth_sendRawTransaction', ['0x01'])
    t.equal(await ask('0x7'), '"0x7"', 'another write has begun')
    asked.findLast(({ method }) => method === 'eth_sendRawTransaction')?.fail(new RangeError('no node'))
    await t.rejects(Promise.resolve(failed), { message: 'no node' })
    t.equal(await ask('0x8'), '"0x8"', 'a write has failed')
  },
)

t.test('an answer to a call before a new block is not cached after it', async (t) => {
  const { cache, asked, state } = cachedNetwork()
  const slow = cache('eth_blockNumber', [])
  state.head = 10_001n
  cache('eth_blockNumber', [])
  asked[0]?.answer('0x2710')
  t.equal(await textOf(slow), '"0x2710"', 'its own caller receives it')
  cache('eth_blockNumber', [])
  t.equal(asked.length, 2, 'the third call joined the second')
  asked[1]?.answer('0x2711')
  await new Promise(setImmediate)
  t.equal(await textOf(cache('eth_blockNumber', [])), '"0x2711"')
})

t.test(
  'a head that falls, by one block or to a new chain, invalidates answers keyed by number',
  async (t) => {
    for (const head of [9_999n, 5n]) {
      const { cache, asked, state } = cachedNetwork()
      const first = cache('eth_getBlockByNumber', ['0x1', false])
      asked[0]?.answer({ number: '0x1' })
      await first
      t.ok(cache('eth_getBlockByNumber', ['0x1', false]) instanceof RawJson)
      state.head = head
      t.notOk(cache('eth_getBlockByNumber', ['0x1', false]) instanceof RawJson, `head ${head}`)
    }
  },
)

t.test('after a head that falls by one block or is lost, no answer from before is cached', async (t) => {
  for (const head of [9_999n, undefined]) {
    const { cache, asked, state } = cachedNetwork()
    const ask = (digit: string) => cache('eth_getBlockByHash', [hash(digit), false])
    const kept = ask('a')
    asked[0]?.answer({ number: '0x1' })
    await kept
    const pending = ask('b')
    state.head = 10_001n
    t.ok(ask('a') instanceof RawJson, 'a new block')
    state.head = head
    t.notOk(ask('a') instanceof RawJson, `head ${head}`)
    asked[1]?.answer({ number: '0x2' })
    t.equal(await textOf(pending), '{"number":"0x2"}', 'its own caller receives it')
    t.notOk(ask('b') instanceof RawJson, 'an answer from before is not cached after it')
    t.equal(asked.length, 4)
    asked[2]?.answer({ number: '0x3' })
    await new Promise(setImmediate)
    t.equal(await textOf(ask('a')), '{"number":"0x3"}', 'an answer from after is')
    t.equal(asked.length, 4)
  }
})

t.test('equal calls of several callers are sent once, and one disconnect does not cancel them', async (t) => {
  const { cache, asked } = cachedNetwork()
  const [one, other] = [{ isDisconnected: false }, { isDisconnected: false }]
  const first = cache('eth_getBalance', ['0x', 'latest'], one)
  const second = cache('eth_getBalance', ['0x', 'latest'], other)
  t.equal(asked.length, 1)
  one.isDisconnected = true
  t.equal(asked[0]?.signal?.aborted, false)
  asked[0]?.answer('0x7')
  t.equal(await textOf(first), '"0x7"')
  t.equal(await textOf(second), '"0x7"')
})

t.test('calls to nodes count for the caller who started them, and not for those who joined', async (t) => {
  const counts: [string, number][] = []
  const asker = (name: string): Asker => {
    const own: [string, number] = [name, 0]
    counts.push(own)
    return { userId: name, countNodeCall: () => void own[1]++ }
  }
  const answers = createAnswerCache({
    async forward(_method, _params, { callers } = {}) {
      callers?.countNodeCall()
      await new Promise(setImmediate)
      callers?.countNodeCall()
      return '0x1'
    },
    head: () => 10_000n,
    limits: { finalityDepth: 4_000, latestAnswerSeconds: 1, nodeTimeoutSeconds: 30 },
    now: () => 0,
  })
  const ask = (name: string, method = 'eth_gasPrice') => answers(profileOf(method), [], asker(name))
  await Promise.all([ask('first'), ask('joined')])
  await ask('hit')
  await ask('writer', 'eth_sendRawTransaction')
  t.same(Object.fromEntries(counts), { first: 2, joined: 0, hit: 0, writer: 2 })
})

t.test('a call without remaining callers is cancelled, and a later one is sent again', async (t) => {
  const { cache, asked, outcomes } = cachedNetwork()
  const one = { isDisconnected: false }
  const first = cache('eth_getCode', ['0x', 'latest'], one)
  t.equal(asked[0]?.signal?.aborted, false)
  one.isDisconnected = true
  t.equal(asked[0]?.signal?.aborted, true)
  const second = cache('eth_getCode', ['0x', 'latest'])
  t.equal(asked.length, 2)
  asked[0]?.fail(asked[0]?.signal?.reason as Error)
  await t.rejects(Promise.resolve(first), { code: -32002 })
  const third = cache('eth_getCode', ['0x', 'latest'])
  asked[1]?.answer('0x01')
  t.equal(await textOf(second), '"0x01"')
  t.equal(await textOf(third), '"0x01"')
  t.same(outcomes, ['miss', 'miss', 'joined'])
})

t.test('an unshared call is cancelled when its caller disconnects', async (t) => {
  const { cache, asked } = cachedNetwork()
  const caller = { isDisconnected: false }
  cache('web3_sha3', ['0x'], caller)
  t.equal(asked[0]?.signal?.aborted, false)
  caller.isDisconnected = true
  t.equal(asked[0]?.signal?.aborted, true)
})

t.test('writes and transaction counts are never cached, and writes are never shared', async (t) => {
  const { cache, asked } = cachedNetwork()
  const sends = [cache('eth_sendRawTransaction', ['0x00']), cache('eth_sendRawTransaction', ['0x00'])]
  t.equal(asked.length, 2)
  for (const { answer } of asked) answer(hash('d'))
  await Promise.all(sends)
  const count = cache('eth_getTransactionCount', ['0x', 'latest'])
  asked[2]?.answer('0x1')
  await count
  cache('eth_getTransactionCount', ['0x', 'latest'])
  t.equal(asked.length, 4)
})

t.test('every waiting caller receives an error, and the next call is sent again', async (t) => {
  const { cache, asked } = cachedNetwork()
  const both = [cache('eth_call', [{}, 'latest']), cache('eth_call', [{}, 'latest'])]
  asked[0]?.fail(new RangeError('no node'))
  for (const each of both) await t.rejects(Promise.resolve(each), { message: 'no node' })
  cache('eth_call', [{}, 'latest'])
  t.equal(asked.length, 2)
})

t.test('callers who joined a call that a node failed share another one, within their own time', async (t) => {
  const { cache, asked, state, outcomes } = cachedNetwork()
  const ask = (asker: Asker) => Promise.resolve(cache('eth_call', [{}, 'latest'], asker)).then(textOf)
  const first = ask({ userId: 'first' })
  state.time = 5_000
  const left = { userId: 'left', isDisconnected: false }
  const joined = [ask({ userId: 'a' }), ask({ userId: 'b' }), ask(left)]
  left.isDisconnected = true
  asked[0]?.fail(failure('nodeTooSlow'))
  await t.rejects(first, { message: 'The node did not answer in time' })
  await t.rejects(joined[2] ?? first, { message: 'The node did not answer in time' })
  t.equal(asked.length, 2, 'one call for both')
  t.equal(asked[1]?.since, 5_000, 'their time began when they came')
  t.strictSame(asked[1]?.callers?.userIds, ['a', 'b'])
  asked[1]?.answer('0x1')
  t.strictSame(await Promise.all(joined.slice(0, 2)), ['"0x1"', '"0x1"'])
  t.same(outcomes, ['miss', 'joined', 'joined', 'joined', 'miss', 'joined'])
})

t.test('callers who share a repeated call share its failure, too', async (t) => {
  const { cache, asked, outcomes } = cachedNetwork()
  const all = [1, 2, 3].map(() =>
    Promise.resolve(cache('eth_call', [{}, 'latest'])).catch((reason: unknown) => reason),
  )
  const failures = [failure('nodeTooSlow'), failure('noNode')]
  for (const [at, error] of failures.entries()) {
    asked[at]?.fail(error)
    await new Promise(setImmediate)
  }
  t.strictSame(await Promise.all(all), [failures[0], failures[1], failures[1]])
  t.equal(asked.length, 2)
  t.same(outcomes, ['miss', 'joined', 'joined', 'miss', 'joined'])
})

t.test('the time of a caller who joined a call begins when he comes', async (t) => {
  for (const [failedAt, calls] of [
    [33_999, 2],
    [34_000, 1],
  ] as const) {
    const { cache, asked, state } = cachedNetwork()
    const first = Promise.resolve(cache('eth_call', [{}, 'latest'])).catch(() => 'failed')
    state.time = 5_000
    const joined = Promise.resolve(cache('eth_call', [{}, 'latest'])).then(textOf, () => 'failed')
    state.time = failedAt
    asked[0]?.fail(failure('nodeTooSlow'))
    t.equal(await first, 'failed')
    await new Promise(setImmediate)
    t.equal(asked.length, calls, `failed at ${failedAt} ms`)
    asked[1]?.answer('0x1')
    t.equal(await joined, calls === 2 ? '"0x1"' : 'failed')
  }
})

t.test('a call that is queued for other users is not joined', async (t) => {
  const { cache, asked } = cachedNetwork()
  const ask = (userId?: string) => void cache('eth_call', [{}, 'latest'], { userId })
  ask('ada')
  const [{ callers } = { callers: undefined }] = asked
  if (callers === undefined) throw new TypeError('no call')
  callers.queued = 1
  ask('ada')
  ask()
  t.equal(asked.length, 1, 'joined by the same user, and by the service itself')
  ask('bob')
  t.equal(asked.length, 2)
})

t.test('a call is repeated once, for failures of nodes, and while there is time', async (t) => {
  const rows: readonly [why: string, error: Error, waitedMs: number, calls: number][] = [
    ['no node', failure('noNode'), 0, 2],
    ['an unusable answer', failure('nodeAnsweredRubbish'), 0, 2],
    ['one second left', failure('nodeTooSlow'), 29_000, 1],
    ['more than one second left', failure('nodeTooSlow'), 28_999, 2],
    ['a failure of the service', failure('handlerFailed'), 0, 2],
    ['a revert', failure('executionReverted'), 0, 1],
    ['an internal error of every node', failure('nodeFailedCall'), 0, 1],
  ]
  for (const [why, error, waitedMs, calls] of rows) {
    const { cache, asked, state } = cachedNetwork()
    const both = [cache('eth_call', [{}, 'latest']), cache('eth_call', [{}, 'latest'])].map((answer) =>
      Promise.resolve(answer).catch((reason: unknown) => reason),
    )
    state.time = waitedMs
    asked[0]?.fail(error)
    t.equal(await both[0], error, why)
    asked[1]?.fail(error)
    t.equal(await both[1], error, why)
    t.equal(asked.length, calls, why)
  }
})

t.test(
  'the cache size is limited in bytes, and the least recently used answer is evicted first',
  async (t) => {
    const settings = { keptBytes: 4_000, answerBytes: 1_500 }
    const { cache, asked } = cachedNetwork({ settings })
    const keep = async (digit: string, length: number) => {
      const before = asked.length
      const answer = cache('eth_getBlockByHash', [hash(digit), false])
      asked[before]?.answer('x'.repeat(length))
      await answer
    }
    for (const digit of ['1', '2', '3']) await keep(digit, 800)
    t.ok(cache('eth_getBlockByHash', [hash('1'), false]) instanceof RawJson)
    await keep('4', 800)
    t.ok(cache('eth_getBlockByHash', [hash('1'), false]) instanceof RawJson)
    t.notOk(cache('eth_getBlockByHash', [hash('2'), false]) instanceof RawJson)
    await keep('6', 1_498)
    t.ok(
      cache('eth_getBlockByHash', [hash('6'), false]) instanceof RawJson,
      'the largest answer, with its quotes',
    )
    await keep('5', 1_499)
    t.notOk(cache('eth_getBlockByHash', [hash('5'), false]) instanceof RawJson, 'too large for the cache')
  },
)

t.test('the bytes of an entry include its parameters', async (t) => {
  const { cache, asked } = cachedNetwork({ settings: { keptBytes: 4_000 } })
  const ask = (digit: string) =>
    cache('eth_call', [{ to: address, data: `0x${digit.repeat(1_500)}` }, blockHash])
  for (const digit of ['1', '2', '3']) {
    const answer = ask(digit)
    asked.at(-1)?.answer('0x')
    await answer
  }
  t.ok(ask('3') instanceof RawJson)
  t.ok(ask('2') instanceof RawJson)
  t.notOk(ask('1') instanceof RawJson)
})

const blockHash = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`
const head = 5_000n
const depth = 4_000

const rows: readonly (readonly [string, readonly JsonValue[], string])[] = [
  ['eth_blockNumber', [], 'head'],
  ['eth_gasPrice', [], 'head'],
  ['eth_protocolVersion', [], 'head'],
  ['web3_clientVersion', [], 'head'],
  ['eth_getBalance', [address, 'latest'], 'head'],
  ['eth_getBalance', [address], 'head'],
  ['eth_getBalance', [address, 'pending'], 'never'],
  ['eth_getBalance', [address, blockHash], 'kept'],
  ['eth_getBalance', [address, 'earliest'], 'kept'],
  ['eth_getStorageAt', [address, '0x0', '0x1'], 'kept'],
  ['eth_call', [{ to: address }, 'latest'], 'head'],
  ['eth_call', [{ to: address }, blockHash], 'kept'],
  ['eth_estimateGas', [{ to: address }, 'pending'], 'never'],
  ['eth_getTransactionCount', [address, blockHash], 'never'],
  ['eth_sendRawTransaction', ['0x00'], 'never'],
  ['eth_getLogs', [{ blockHash }], 'never'],
  ['eth_getBlockByHash', [blockHash, true], 'kept'],
  ['eth_getBlockTransactionCountByHash', [blockHash], 'kept'],
  ['eth_getTransactionByBlockHashAndIndex', [blockHash, '0x0'], 'kept'],
  ['eth_getTransactionByHash', [blockHash], 'kept'],
  ['eth_getTransactionReceipt', [blockHash], 'kept'],
  ['eth_getBlockByNumber', ['pending', false], 'never'],
  // At exactly 4,000 blocks an answer is not yet final.
  ['eth_getBlockByNumber', ['0x3e7', false], 'kept'],
  ['eth_getBlockByNumber', ['0x3e8', false], 'head'],
  ['eth_getBlockByNumber', ['0x1388', false], 'head'],
  ['eth_getBlockByNumber', ['0xffffff', false], 'head'],
  ['toString', [], 'never'],
]

t.test('the lifetime of an answer depends on its call', async (t) => {
  for (const [method, params, wanted] of rows)
    t.equal(lifetimeOf(profileOf(method), params, head, depth), wanted, `${method} ${JSON.stringify(params)}`)
  t.equal(
    lifetimeOf(profileOf('eth_getBlockByNumber'), ['0x0', false], undefined, depth),
    'head',
    'without a known head',
  )
})

t.test('a method whose answers are valid until the next block is never cached longer', async (t) => {
  const profile = { ...profileOf('eth_getBlockByHash'), cache: 'head' } as const
  t.equal(lifetimeOf(profile, [blockHash, true], head, depth), 'head')
})

t.test('null answers are not cached, and transactions are cached once their block is final', async (t) => {
  const of = (method: string, result: JsonValue, longest: Lifetime = 'kept') =>
    lifetimeOfResult(profileOf(method), longest, result, head, depth)
  t.equal(of('eth_getBlockByHash', null), 'never')
  t.equal(of('eth_getBlockByHash', {}), 'kept')
  t.equal(of('eth_getBlockByHash', []), 'head', 'an empty list')
  t.equal(of('eth_getBlockByHash', [{}]), 'kept', 'a list')
  for (const result of [[], {}, { blockNumber: '0x3e7' }])
    t.equal(of('eth_getTransactionByHash', result, 'never'), 'never', JSON.stringify(result))
  t.equal(of('eth_getTransactionByHash', { blockNumber: '0x3e7' }, 'head'), 'head')
  for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt']) {
    t.equal(of(method, { blockNumber: null }), 'never')
    t.equal(of(method, { blockNumber: '0x3e7' }), 'kept')
    t.equal(of(method, { blockNumber: '0x3e8' }), 'head')
  }
})
