import t, { type Test } from 'tap'
import type { RetryOptions } from '../../../../../src/runtime/client/index.js'
import { retryDelay } from '../../../../../src/runtime/client/pipeline/retries.js'

const contract = {
  methods: { read: { effect: 'read' }, write: {} },
  errors: { refused: 7, gone: 9 },
  transient: [9],
} as const

const now = 1_000
let random = 0.5

/** Replaces the clock and the random numbers until the test ends. */
function fixChance(t: Test): void {
  random = 0.5
  t.intercept(performance, 'now', { value: () => now })
  t.intercept(Math, 'random', { value: () => random })
}

const lost = { kind: 'network' }
const unlimited = { maxDelayMilliseconds: Infinity, attempts: 99 }

/** The delay after an error of the first attempt of a read, unless the call says otherwise. */
function delay(
  error: object,
  call: { method?: string; retry?: false | RetryOptions; attempts?: number; deadline?: number } = {},
): number | undefined {
  return retryDelay(
    { method: 'read', retry: undefined, attempts: 1, deadline: Infinity, ...call },
    error,
    contract,
  )
}

t.test('without Retry-After the wait is random, up to 200 ms that double with each attempt', async (t) => {
  fixChance(t)
  const rows: readonly [attempts: number, chance: number, retry: RetryOptions, want: number][] = [
    [1, 0.5, {}, 100],
    [2, 0.5, {}, 200],
    [3, 0.5, {}, 400],
    [3, 0, {}, 0],
    [3, 0.75, {}, 600],
    [6, 0.5, { attempts: 9 }, 3_200],
    [7, 0.5, { attempts: 9 }, 5_000],
    [2, 0.5, { maxDelayMilliseconds: 400 }, 200],
    [2, 0.5, { maxDelayMilliseconds: 100 }, 50],
  ]
  for (const [attempts, chance, retry, want] of rows) {
    random = chance
    t.equal(delay(lost, { attempts, retry }), want, JSON.stringify([attempts, chance, retry]))
  }
})

t.test('Retry-After is the shortest wait, and the longest one may be as long', async (t) => {
  fixChance(t)
  const rows: readonly [seconds: number, retry: RetryOptions, want: number | undefined][] = [
    [0, {}, 100],
    [3, {}, 3_100],
    [10, {}, 10_100],
    [11, {}, undefined],
    [2, { maxDelayMilliseconds: 2_000 }, 2_100],
    [2, { maxDelayMilliseconds: 1_999 }, undefined],
    [0, { maxDelayMilliseconds: 100 }, 50],
  ]
  for (const [retryAfterSeconds, retry, want] of rows) {
    const busy = { kind: 'http', httpStatus: 429, retryAfterSeconds }
    for (const attempts of [1, 3])
      t.equal(delay(busy, { attempts, retry }), want, JSON.stringify([retryAfterSeconds, retry, attempts]))
  }
})

t.test('a wait that no timer can have ends the call', async (t) => {
  fixChance(t)
  random = 0
  const longest = 2 ** 31 - 1
  const after = (milliseconds: number) => ({ httpStatus: 429, retryAfterSeconds: milliseconds / 1_000 })
  t.equal(delay(after(longest), { retry: unlimited }), longest)
  t.equal(delay(after(longest + 1), { retry: unlimited }), undefined)
  random = 0.5
  t.equal(delay(after(longest), { retry: unlimited }), undefined, 'with the random part')
  t.equal(delay(lost, { attempts: 98, retry: unlimited }), undefined, 'without Retry-After')
})

t.test('a wait ends before the budget of the call', async (t) => {
  fixChance(t)
  t.equal(delay(lost, { deadline: now + 100 }), undefined)
  t.equal(delay(lost, { deadline: now + 101 }), 100)
  const busy = { kind: 'http', httpStatus: 503, retryAfterSeconds: 5 }
  t.equal(delay(busy, { deadline: now + 5_100 }), undefined, 'the random part counts')
  t.equal(delay(busy, { deadline: now + 5_101 }), 5_100)
  t.equal(delay(lost, { deadline: now - 1 }), undefined)
})

t.test('errors that may pass are repeated, others are not', async (t) => {
  fixChance(t)
  const repeated = [
    lost,
    { kind: 'http', httpStatus: 502 },
    { kind: 'http', httpStatus: 503 },
    { kind: 'http', httpStatus: 504 },
    { kind: 'http', httpStatus: 429, retryAfterSeconds: 0 },
    { code: 9, httpStatus: 200 },
  ]
  const final = [
    {},
    { kind: 'timeout' },
    { kind: 'http', httpStatus: 429 },
    { kind: 'http', httpStatus: 500 },
    { kind: 'http', httpStatus: 501 },
    { kind: 'http', httpStatus: 505 },
    { kind: 'http', httpStatus: 401, retryAfterSeconds: 0 },
    { code: 7, httpStatus: 200 },
    { code: 8, httpStatus: 200 },
  ]
  for (const error of repeated) t.equal(typeof delay(error), 'number', JSON.stringify(error))
  for (const error of final) t.equal(delay(error), undefined, JSON.stringify(error))
  const plain = { methods: contract.methods, errors: contract.errors }
  const read = { method: 'read', retry: undefined, attempts: 1, deadline: Infinity }
  t.equal(retryDelay(read, { code: 9 }, plain), undefined, 'a contract without such errors')
})

t.test('four attempts of reads are made, and writes are repeated on request', async (t) => {
  fixChance(t)
  const rows: readonly [
    attempts: number,
    method: string,
    retry: false | RetryOptions | undefined,
    boolean,
  ][] = [
    [3, 'read', undefined, true],
    [4, 'read', undefined, false],
    [1, 'read', { attempts: 2 }, true],
    [2, 'read', { attempts: 2 }, false],
    [4, 'read', { attempts: 5 }, true],
    [1, 'read', { attempts: Number.NaN }, false],
    [1, 'read', { writes: false }, true],
    [1, 'read', false, false],
    [1, 'write', undefined, false],
    [1, 'write', { writes: false }, false],
    [1, 'write', { writes: true }, true],
    [1, 'unknown', undefined, false],
    [1, 'toString', undefined, false],
  ]
  for (const [attempts, method, retry, want] of rows) {
    const found = delay(lost, { attempts, method, ...(retry !== undefined && { retry }) })
    t.equal(found !== undefined, want, JSON.stringify([attempts, method, retry]))
  }
})
