import { limits } from '@concordat/node-access-contract/contract'
import { failures } from '@concordat/node-access-contract/errors'
import t from 'tap'
import type { Standing } from '../../../../src/gateway/quota/index.js'
import { quotaError, quotaErrorData, quotaHeaders } from '../../../../src/gateway/request/charge.js'

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

t.test('the headers state the policy and the remaining requests', async (t) => {
  t.same(quotaHeaders({ standings: [daily], refusing: undefined }), {
    'RateLimit-Policy': '"daily";q=25000;w=86400',
    RateLimit: '"daily";r=0;t=61',
  })
})

t.test('of several limits the headers show the nearest, or the one that refused', async (t) => {
  const far = { ...daily, remaining: 24_993 }
  const near = { ...daily, limit: 10, remaining: 3 }
  const refusing = undefined
  t.same(quotaHeaders({ standings: [far, near, monthly], refusing }), {
    'RateLimit-Policy': '"daily";q=10;w=86400',
    RateLimit: '"daily";r=3;t=61',
  })
  const month = { 'RateLimit-Policy': `"monthly";q=1000;w=${29 * 86_400}`, RateLimit: '"monthly";r=7;t=99' }
  t.same(quotaHeaders({ standings: [far, monthly], refusing }), month)
  t.same(quotaHeaders({ standings: [far, near, monthly], refusing: monthly }), month)
})

t.test('the error names the limit and the time of its reset', async (t) => {
  t.same(quotaErrorData(daily), {
    limit: 25_000,
    used: 25_000,
    resetAt: '2030-01-02T00:00:00.000Z',
    scope: 'daily',
  })
  t.match(quotaErrorData(monthly), { limit: 1_000, used: 993, scope: 'monthly' })
})

t.test('a refusal names the time to wait up to the longest one, and none beyond', async (t) => {
  const most = limits.retryAfterMaximumSeconds
  for (const [secondsToReset, want] of [
    [most - 1, most - 1],
    [most, most],
    [most + 1, undefined],
  ] as const) {
    const { retryAfterSeconds } = quotaError({ ...daily, secondsToReset })
    t.equal(retryAfterSeconds, want, `${secondsToReset} s`)
  }
})

t.test('the calls of a batch beyond the limit have a failure of their own', async (t) => {
  t.match(quotaError(daily), { failure: 'quotaSpent', httpStatus: failures.quotaSpent.httpStatus })
  const { httpStatus, message } = failures.quotaSpentInBatch
  t.match(quotaError(daily, true), { failure: 'quotaSpentInBatch', httpStatus, message })
})
