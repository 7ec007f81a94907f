import t from 'tap'
import { quotaErrorData, quotaHeaders } from '../../../src/gateway/quota/quota-answer.js'

const taken = {
  admitted: 0,
  limit: 25_000,
  remaining: 0,
  used: 25_000,
  resetAt: new Date('2030-01-02T00:00:00Z'),
  secondsToReset: 61,
  scope: 'daily',
} as const

t.test('the headers state the policy and what is left of it', async (t) => {
  t.same(quotaHeaders(taken, 86_400), {
    'RateLimit-Policy': '"daily";q=25000;w=86400',
    RateLimit: '"daily";r=0;t=61',
  })
})

t.test('the error says when it starts again', async (t) => {
  t.same(quotaErrorData(taken), {
    limit: 25_000,
    used: 25_000,
    resetAt: '2030-01-02T00:00:00.000Z',
    scope: 'daily',
  })
})
