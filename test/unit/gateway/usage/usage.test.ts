import t from 'tap'
import { KeyNotes } from '../../../../src/gateway/keys/key-notes.js'
import { durationClass } from '../../../../src/gateway/store/duration-classes.js'
import { createUsage } from '../../../../src/gateway/usage/usage.js'
import type { UsageBatch } from '../../../../src/gateway/usage/usage-table.js'

const MINUTE_MS = 60_000
const nothingOld = async () => false
const noError = (error: unknown) => {
  throw error
}

/** Usage in the seventh minute, and what is written of it. */
function written() {
  const batches: UsageBatch[] = []
  const usage = createUsage({
    write: async (batch) => void batches.push(batch),
    deleteOld: nothingOld,
    onError: noError,
    now: () => 7 * MINUTE_MS + 1,
  })
  return { usage, batches }
}

t.test('what was counted is written behind, by key, method and outcome', async (t) => {
  const { usage, batches } = written()
  usage.count('key_a', 'eth_call', 0, 10)
  usage.count('key_a', 'eth_call', 0, 3_000)
  usage.count('key_a', 'eth_call', 0, 3_001.4)
  usage.count('key_a', 'eth_call', 3, 5)
  usage.count('key_b', '', -32600, 1)
  t.same(batches, [], 'nobody waited for it')
  while (batches.length === 0) await new Promise(setImmediate)
  const row = (keyId: string, method: string, code: number, ...microseconds: readonly number[]) => ({
    keyId,
    method,
    code,
    minute: 7,
    durationClass: durationClass((microseconds[0] ?? 0) / 1_000),
    requests: microseconds.length,
    microseconds: microseconds.reduce((sum, each) => sum + each, 0),
    slowestMicroseconds: Math.max(...microseconds),
  })
  const expected = [
    row('key_a', 'eth_call', 0, 10),
    row('key_a', 'eth_call', 0, 3_000, 3_001),
    row('key_a', 'eth_call', 3, 5),
    row('key_b', '', -32600, 1),
  ]
  const rows = batches[0]?.rows.map(({ source: _source, ...said }) => said)
  t.same(rows, expected)
  t.equal(batches[0]?.number, 1)
  await usage.close()
  t.equal(batches.length, 1)
})

t.test('a stop writes what was counted since', async (t) => {
  const batches: UsageBatch[] = []
  const usage = createUsage({
    write: async (batch) => void batches.push(batch),
    deleteOld: nothingOld,
    onError: noError,
  })
  for (let n = 0; n < 45_000; n += 1) usage.count(`key_${n}`, 'eth_call', 0, 1)
  await usage.close()
  t.same(
    batches.map(({ number, rows }) => [number, rows.length]),
    [
      [1, 20_000],
      [2, 20_000],
      [3, 5_000],
    ],
  )
})

t.test('a batch that could not be written is written again as it was, and nothing is lost', async (t) => {
  const tried: UsageBatch[] = []
  const errors: unknown[] = []
  let broken = true
  const usage = createUsage({
    async write(batch) {
      tried.push(structuredClone(batch) as UsageBatch)
      if (broken) throw new Error('down')
    },
    deleteOld: nothingOld,
    onError: (error, lost) => errors.push([error, lost]),
    now: () => 0,
  })
  usage.count('key_a', 'eth_call', 0, 1)
  while (errors.length === 0) await new Promise(setImmediate)
  t.match(errors, [[{ message: 'down' }, 0]])
  usage.count('key_a', 'eth_call', 0, 2)
  while (errors.length === 1) await new Promise(setImmediate)
  broken = false
  usage.count('key_a', 'eth_call', 0, 3)
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

t.test(
  'while the database is away memory is bounded: minutes are put together, then rows are given up',
  async (t) => {
    const losses: number[] = []
    const batches: UsageBatch[] = []
    let broken = true
    let minute = 0
    const usage = createUsage({
      async write(batch) {
        if (broken) throw new Error('down')
        batches.push(batch)
      },
      deleteOld: nothingOld,
      onError: (_error, lost) => losses.push(lost),
      now: () => minute * MINUTE_MS,
    })
    const countAll = async (keys: number) => {
      const before = losses.length
      minute += 1
      for (let n = 0; n < keys; n += 1) usage.count(`key_${n}`, 'eth_call', 0, 1)
      while (losses.length === before) await new Promise(setImmediate)
    }
    await countAll(30_000)
    await countAll(30_000)
    t.same(losses, [0, 0], 'two minutes of 30,000 keys are one of 30,000')
    await countAll(60_000)
    t.ok((losses.at(-1) ?? 0) > 0, 'more keys than are kept')
    broken = false
    await usage.close()
    const written = batches.flatMap(({ rows }) => rows).reduce((sum, { requests }) => sum + requests, 0)
    t.equal(written + losses.reduce((sum, lost) => sum + lost, 0), 120_000, 'what is lost is told')
  },
)

t.test('what was counted by notes of a key is written like all else, and each count once', async (t) => {
  const { usage, batches } = written()
  const [notes, newer] = [new KeyNotes(), new KeyNotes()]
  const counted = () =>
    batches.flatMap(({ rows }) => rows).map(({ keyId, code, requests }) => [keyId, code, requests])
  usage.count('key_a', 'eth_call', 0, 1, notes)
  usage.count('key_a', 'eth_call', 0, 1, notes)
  usage.count('key_a', 'eth_call', 3, 1, notes)
  usage.count('key_b', 'eth_call', 0, 1)
  while (batches.length === 0) await new Promise(setImmediate)
  t.same(counted(), [
    ['key_a', 0, 2],
    ['key_a', 3, 1],
    ['key_b', 0, 1],
  ])
  usage.count('key_a', 'eth_call', 0, 1, notes)
  // A key that was forgotten and found again within the second has other notes.
  usage.count('key_a', 'eth_call', 0, 1, newer)
  while (batches.length === 1) await new Promise(setImmediate)
  t.same(counted().slice(3), [
    ['key_a', 0, 1],
    ['key_a', 0, 1],
  ])
  t.same(counted().slice(0, 3)[0], ['key_a', 0, 2], 'what was handed over does not change')
  await usage.close()
  t.equal(batches.length, 2)
})

t.test('a key that is called in many ways is counted in each of them, second after second', async (t) => {
  const { usage, batches } = written()
  const notes = new KeyNotes()
  const methods = [
    'eth_call',
    'eth_getCode',
    'eth_getBalance',
    'eth_blockNumber',
    'eth_chainId',
    'net_version',
  ]
  for (let second = 0; second < methods.length; second += 1) {
    // Others in each second, and some again: what is not in use goes, and what is stays.
    const called = methods.slice(second).concat(methods.slice(0, 2))
    for (const method of called) usage.count('key_a', method, 0, 1, notes)
    while (batches.length === second) await new Promise(setImmediate)
    const expected = new Map<string, number>()
    for (const method of called) expected.set(method, (expected.get(method) ?? 0) + 1)
    t.same(new Map(batches[second]?.rows.map(({ method, requests }) => [method, requests])), expected)
  }
  await usage.close()
})
