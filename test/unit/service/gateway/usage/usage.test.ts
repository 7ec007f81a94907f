import t from 'tap'
import { PerKeyState } from '../../../../../src/service/gateway/keys/per-key-state.js'
import type { Batch } from '../../../../../src/service/gateway/store/index.js'
import { classOf, createUsage, durationBounds } from '../../../../../src/service/gateway/usage/index.js'
import type { UsageRow } from '../../../../../src/service/gateway/usage/usage.js'
import { until } from '../../../../support/until.js'

const MINUTE_MS = 60_000
const nothingOld = async () => false
const noError = (error: unknown) => {
  throw error
}

/** Usage in the seventh minute, and the rows that are written for it. */
function written(usageFlushSeconds = 0.01) {
  const batches: Batch<UsageRow>[] = []
  const usage = createUsage({
    write: async (batch) => void batches.push(structuredClone(batch)),
    deleteOld: nothingOld,
    onError: noError,
    usageFlushSeconds,
    now: () => 7 * MINUTE_MS + 1,
  })
  const next = async (count: number) => {
    await until(() => batches.length >= count)
  }
  const counted = () =>
    batches.map(({ rows }) => rows.map(({ keyId, code, requests }) => [keyId, code, requests]))
  return { usage, batches, next, counted }
}

t.test('calls are summed by key, method and outcome until they are written', async (t) => {
  const { usage, batches, next } = written()
  usage.count('key_a', 'eth_call', 0, 10, 0)
  usage.count('key_a', 'eth_call', 0, 3_000, 1)
  usage.count('key_a', 'eth_call', 0, 3_001.4, 2)
  usage.count('key_a', 'eth_call', 3, 5, 7)
  usage.count('key_b', '', -32600, 1, 0)
  usage.count('key_b', '', -32600, 1, 0, undefined, true)
  t.same(batches, [], 'callers do not wait for it')
  await next(1)
  const row = (
    keyId: string,
    method: string,
    code: number,
    nodeCalls: number,
    ...microseconds: readonly number[]
  ) => {
    const durations = new Array<number>(17).fill(0)
    for (const each of microseconds) {
      const at = classOf(durationBounds, each / 1_000)
      durations[at] = (durations[at] ?? 0) + 1
    }
    return {
      keyId,
      minute: 7,
      method,
      code,
      requests: microseconds.length,
      microseconds: microseconds.reduce((sum, each) => sum + each, 0),
      slowestMicroseconds: Math.max(...microseconds),
      durations,
      nodeCalls,
      free: 0,
    }
  }
  t.strictSame(batches, [
    {
      number: 1,
      rows: [
        row('key_a', 'eth_call', 0, 3, 10, 3_000, 3_001),
        row('key_a', 'eth_call', 3, 7, 5),
        { ...row('key_b', '', -32600, 0, 1, 1), free: 1 },
      ],
    },
  ])
  await usage.close()
  t.equal(batches.length, 1)
})

t.test('a reader triggers a write of its own keys only', async (t) => {
  const { usage, counted } = written(3_600)
  for (const key of ['key_a', 'key_b', 'key_c']) usage.count(key, 'eth_call', 0, 1, 0)
  await usage.flush(['key_b', 'key_none', 'key_b'])
  t.same(counted(), [[['key_b', 0, 1]]])
  await usage.flush(['key_b'])
  t.equal(counted().length, 1)
  await usage.flush()
  t.same(counted().slice(1), [
    [
      ['key_a', 0, 1],
      ['key_c', 0, 1],
    ],
  ])
  usage.count('key_b', 'eth_call', 0, 1, 0)
  await usage.close()
  t.same(counted().slice(2), [[['key_b', 0, 1]]])
})

t.test('a reader waits for a write in progress', async (t) => {
  let answer: () => void = t.fail
  const usage = createUsage({
    write: () =>
      new Promise((resolve) => {
        answer = resolve
      }),
    deleteOld: nothingOld,
    onError: noError,
    usageFlushSeconds: 3_600,
  })
  usage.count('key_a', 'eth_call', 0, 1, 0)
  let read = 0
  const first = usage.flush().then(() => (read += 1))
  const second = usage.flush(['key_a']).then(() => (read += 1))
  await new Promise(setImmediate)
  t.equal(read, 0)
  answer()
  await Promise.all([first, second])
  await usage.close()
})

t.test('counts whose write failed are written again unchanged, and none is lost', async (t) => {
  const tried: Batch<UsageRow>[] = []
  const errors: unknown[] = []
  let broken = true
  const usage = createUsage({
    async write(batch) {
      tried.push(structuredClone(batch))
      if (broken) throw new Error('down')
    },
    deleteOld: nothingOld,
    onError: (error, lost) => errors.push([error, lost]),
    usageFlushSeconds: 0.01,
    now: () => 0,
  })
  const keyState = new PerKeyState()
  usage.count('key_a', 'eth_call', 0, 1, 0, keyState)
  await until(() => errors.length >= 1)
  t.match(errors, [[{ message: 'down' }, 0]])
  usage.count('key_a', 'eth_call', 0, 2, 0, keyState)
  await until(() => errors.length >= 2)
  usage.count('key_a', 'eth_call', 0, 3, 0, keyState)
  broken = false
  await usage.close()
  t.same(
    tried.map(({ number, rows }) => [number, rows[0]?.requests, rows[0]?.microseconds]),
    [
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [2, 2, 5],
    ],
  )
})

t.test('memory stays limited without a database, and uncounted calls are reported', async (t) => {
  const losses: number[] = []
  const batches: Batch<UsageRow>[] = []
  let broken = true
  const usage = createUsage({
    async write(batch) {
      if (broken) throw new Error('down')
      batches.push(batch)
    },
    deleteOld: nothingOld,
    onError: (_error, lost) => losses.push(lost),
    usageFlushSeconds: 3_600,
  })
  usage.count('key_first', 'eth_call', 0, 1, 0)
  await usage.flush()
  t.same(losses, [0])
  for (let n = 0; n < 100_002; n += 1) usage.count(`key_${n % 100_001}`, 'eth_call', 0, 1, 0)
  await usage.close()
  const lost = losses.reduce((sum, each) => sum + each, 0)
  t.equal(lost, 1, 'the newest key is not counted')
  broken = false
  await usage.close()
  const requests = batches.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.requests, 0)
  t.equal(requests + lost, 100_003)
})

t.test('counts being written do not change, whatever a key’s state contains', async (t) => {
  const { usage, counted, next } = written()
  const [keyState, newer] = [new PerKeyState(), new PerKeyState()]
  usage.count('key_a', 'eth_call', 0, 1, 0, keyState)
  usage.count('key_a', 'eth_call', 0, 1, 0, keyState)
  usage.count('key_a', 'eth_call', 3, 1, 0, keyState)
  // A key that is evicted and loaded again has new state.
  usage.count('key_a', 'eth_call', 0, 1, 0, newer)
  usage.count('key_b', 'eth_call', 0, 1, 0)
  await next(1)
  usage.count('key_a', 'eth_call', 0, 1, 0, keyState)
  usage.count('key_a', 'eth_call', 0, 1, 0, newer)
  await next(2)
  t.same(counted(), [
    [
      ['key_a', 0, 3],
      ['key_a', 3, 1],
      ['key_b', 0, 1],
    ],
    [['key_a', 0, 2]],
  ])
  await usage.close()
  t.equal(counted().length, 2)
})

t.test('a bound belongs to its own class, and longer durations to the last class', async (t) => {
  t.equal(classOf(durationBounds, 0), 0)
  for (const [at, bound] of durationBounds.entries()) {
    t.equal(classOf(durationBounds, bound), at)
    t.equal(classOf(durationBounds, bound + 0.001), at + 1)
  }
})
