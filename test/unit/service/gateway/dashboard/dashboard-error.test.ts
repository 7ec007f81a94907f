import t from 'tap'
import { toDashboardError } from '../../../../../src/service/gateway/dashboard/dashboard-error.js'
import { OperatorError, QueryError } from '../../../../../src/service/gateway/index.js'

const errors = [
  { what: 'no answer', code: undefined, status: 503 },
  { what: 'a lost connection', code: '08006', status: 503 },
  { what: 'too many connections', code: '53300', status: 503 },
  { what: 'a server that stops', code: '57P01', status: 503 },
  { what: 'a primary that has become a standby', code: '25006', status: 503 },
  { what: 'a duplicate', code: '23505', status: 500 },
] as const

for (const { what, code, status } of errors) {
  t.test(`the dashboard answers ${what} of the database with ${status}`, async (t) => {
    const cause = new QueryError({ message: what, code, constraint: undefined })
    t.equal(toDashboardError(new Error('Failed query', { cause })).status, status)
  })
}

t.test('the dashboard answers a key that is deleted during the request with 404', async (t) => {
  const { status, message } = toDashboardError(new OperatorError('key_unknown', 'There is no key key_1'))
  t.equal(status, 404)
  t.notMatch(message, 'key_1')
})
