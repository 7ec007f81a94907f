import t from 'tap'
import { createPathMatcher } from '../../../../../src/runtime/server/http/path-matcher.js'

const match = createPathMatcher(['/rpc', '/:key', '/v2/:key/part', '/v3/:key'])
const none = undefined

t.test('paths match whole, with decoded parameters', async (t) => {
  for (const [url, expected] of [
    ['/rpc', {}],
    ['/rpc?a=/b', {}],
    ['/rp%63', {}],
    ['/rpc/', { key: 'rpc' }],
    ['/one', { key: 'one' }],
    ['/one/', { key: 'one' }],
    ['/one//', none],
    ['/one/?a=b', { key: 'one' }],
    ['/%6fne', { key: 'one' }],
    ['/a%2Fb', { key: 'a/b' }],
    ['/%zz', none],
    ['/', none],
    ['', none],
    ['//', none],
    ['*', none],
    ['/v2/one/part', { key: 'one' }],
    ['/v2/one', none],
    ['/v2//part', none],
    ['/v3/one', { key: 'one' }],
    ['/v3', none],
    ['/v3/', none],
    ['http://host:80/one?a', { key: 'one' }],
    ['HTTPS://host/rpc', {}],
    ['http://host', none],
  ] as const)
    t.same(match(url), expected, url)
})
