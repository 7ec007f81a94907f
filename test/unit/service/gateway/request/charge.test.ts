import { limits } from '@concordat/node-access-contract/contract'
import { failures } from '@concordat/node-access-contract/errors'
import { RpcError } from '@concordat/rpc'
import t from 'tap'
import type { AcceptedKey } from '../../../../../src/service/gateway/keys/index.js'
import type { Standing, Taken } from '../../../../../src/service/gateway/quota/index.js'
import { createAdmit, createRefuseSpent } from '../../../../../src/service/gateway/request/charge.js'

const daily: Standing = {
  period: 'day',
  limit: 25_000,
  remaining: 0,
  used: 25_000,
  resetAt: Date.parse('2030-01-02T00:00:00Z'),
  secondsToReset: 61,
}
const monthly: Standing = {
  period: 'month',
  limit: 1_000,
  remaining: 7,
  used: 993,
  resetAt: Date.parse('2028-03-01T00:00:00Z'),
  secondsToReset: 99,
}
const key = { id: 'key_1' } as AcceptedKey

/** The admission of a message of three calls, by what the quota says about it. */
async function admission(taken: Partial<Taken> & Pick<Taken, 'standings'>, origin?: string) {
  const admit = createAdmit({ take: () => ({ admitted: 3, refusing: undefined, ...taken }) })
  const { signal } = new AbortController()
  return await admit({ context: { key, origin }, calls: 3, refusal: undefined, signal })
}

async function errorOf(refusing: Standing, admitted = 0): Promise<RpcError> {
  const { error } = await admission({ admitted, standings: [refusing], refusing })
  if (!(error instanceof RpcError)) throw new TypeError('the message was not refused')
  return error
}

t.test('the headers state the policy and the remaining requests', async (t) => {
  t.same(await admission({ standings: [daily] }), {
    admitted: 3,
    headers: { 'RateLimit-Policy': '"daily";q=25000;w=86400', RateLimit: '"daily";r=0;t=61' },
  })
})

t.test('only the page of an allowed origin may read the answer', async (t) => {
  const { headers } = await admission({ standings: [daily] }, 'https://example.com')
  t.match(headers, { 'access-control-allow-origin': 'https://example.com', vary: 'Origin' })
})

t.test('of several limits the headers show the nearest, or the one that refused', async (t) => {
  const far = { ...daily, remaining: 24_993 }
  const near = { ...daily, limit: 10, remaining: 3 }
  const headersOf = async (taken: Pick<Taken, 'standings'> & Partial<Taken>) =>
    (await admission(taken)).headers
  t.same(await headersOf({ standings: [far, near, monthly] }), {
    'RateLimit-Policy': '"daily";q=10;w=86400',
    RateLimit: '"daily";r=3;t=61',
  })
  const month = { 'RateLimit-Policy': `"monthly";q=1000;w=${29 * 86_400}`, RateLimit: '"monthly";r=7;t=99' }
  t.same(await headersOf({ standings: [far, monthly] }), month)
  t.same(await headersOf({ standings: [far, near, monthly], refusing: monthly }), month)
  const equal = { ...daily, remaining: monthly.remaining }
  t.match(await headersOf({ standings: [equal, monthly] }), { RateLimit: '"daily";r=7;t=61' })
})

t.test('the error names the limit and the time of its reset', async (t) => {
  t.same((await errorOf(daily)).data, {
    limit: 25_000,
    used: 25_000,
    resetAt: '2030-01-02T00:00:00.000Z',
    scope: 'daily',
  })
  t.match((await errorOf(monthly)).data, { limit: 1_000, used: 993, scope: 'monthly' })
})

t.test('a refusal names the time to wait up to the longest one, and none beyond', async (t) => {
  const most = limits.retryAfterMaximumSeconds
  for (const [secondsToReset, want] of [
    [most - 1, most - 1],
    [most, most],
    [most + 1, undefined],
  ] as const) {
    const { retryAfterSeconds } = await errorOf({ ...daily, secondsToReset })
    t.equal(retryAfterSeconds, want, `${secondsToReset} s`)
  }
})

t.test('the calls of a batch beyond the limit have a failure of their own', async (t) => {
  t.match(await errorOf(daily), { failure: 'quotaSpent', httpStatus: failures.quotaSpent.httpStatus })
  const { httpStatus } = failures.quotaSpentInBatch
  const message = /^The request limit is spent: 25000 of 25000 requests, daily, until 2030-/
  for (const admitted of [1, 2])
    t.match(await errorOf(daily, admitted), { failure: 'quotaSpentInBatch', httpStatus, message })
})

t.test('a key with a spent limit is refused before the body is read', async (t) => {
  const spent: Taken = { admitted: 0, standings: [daily], refusing: daily }
  t.match(createRefuseSpent({ spent: () => spent })({ key, origin: undefined }), {
    admitted: 0,
    error: { failure: 'quotaSpent' },
    headers: { RateLimit: '"daily";r=0;t=61' },
  })
  t.equal(createRefuseSpent({ spent: () => undefined })({ key, origin: undefined }), undefined)
})
