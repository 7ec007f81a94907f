import t from 'tap'
import { headerOf, withBody, withHeader } from '../../../../src/judge/index.js'

const headers = ['Content-Type', 'application/json', 'X-A', '1', 'x-a', '2', 'Content-Length', '2']

t.test('a header is found in any case, the first of several', async (t) => {
  t.equal(headerOf(headers, 'content-type'), 'application/json')
  t.equal(headerOf(headers, 'X-a'), '1')
  t.equal(headerOf(headers, 'application/json'), undefined, 'a value is not a name')
})

t.test('a header is replaced in place, appended or removed', async (t) => {
  t.same(withHeader(headers, 'x-A', '3'), [
    'Content-Type',
    'application/json',
    'X-A',
    '3',
    'Content-Length',
    '2',
  ])
  t.same(withHeader(headers, 'vary', 'Origin'), [...headers, 'vary', 'Origin'])
  t.same(withHeader(headers, 'x-a', undefined), ['Content-Type', 'application/json', 'Content-Length', '2'])
  t.equal(withHeader(headers, 'vary', undefined), headers, 'without a removal the list is the same')
})

t.test('a new body gets its own length, unless it is chunked', async (t) => {
  const reply = { status: 200, headers, body: Buffer.from('{}') }
  const changed = withBody(reply, '"é"')
  t.same(Buffer.from(changed.body).toString(), '"é"')
  t.equal(headerOf(changed.headers, 'content-length'), '4', 'in bytes')
  const chunked = { ...reply, headers: ['transfer-encoding', 'chunked'] }
  t.same(withBody(chunked, '[]').headers, chunked.headers)
  t.same(withBody({ ...reply, headers: [] }, '[]').headers, ['content-length', '2'])
})
