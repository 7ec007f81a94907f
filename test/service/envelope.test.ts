import t from 'tap'
import { loadContract } from '../../src/toolkit/contract/index.js'
import { post, startService } from '../support/service.js'

/** The envelope table of the contract (`x-envelope`) and its status table, row by row, over a real socket. */
const service = await startService({ isChainless: true })
t.teardown(() => service.stop())
const { url } = service.networks.test

/** An answer: its HTTP status, and its text from the id on. */
interface Row {
  readonly what: string
  readonly body: string | Uint8Array
  readonly status: number
  /** The whole answer, or a required part of it. */
  readonly answer: string | RegExp
}

const ok = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"0x1f"}`
const error = (id: string, code: number) =>
  new RegExp(`^{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"[^"]+`)
const request = (members: string) => `{"jsonrpc":"2.0",${members}}`
const chainId = '"method":"eth_chainId"'

const rows: readonly Row[] = [
  { what: 'params absent', body: request(`"id":1,${chainId}`), status: 200, answer: ok('1') },
  { what: 'params []', body: request(`"id":1,${chainId},"params":[]`), status: 200, answer: ok('1') },
  {
    what: 'params an object',
    body: request(`"id":1,${chainId},"params":{}`),
    status: 200,
    answer: error('1', -32602),
  },
  ...['null', '"x"', '1', 'true'].map((params) => ({
    what: `params ${params}`,
    body: request(`"id":1,${chainId},"params":${params}`),
    status: 400,
    answer: error('1', -32600),
  })),
  ...[
    '0',
    '-1',
    '7',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '"a"',
    '""',
    '"550e8400-e29b-41d4-a716-446655440000"',
    '"é"',
  ].map((id) => ({ what: `id ${id}`, body: request(`"id":${id},${chainId}`), status: 200, answer: ok(id) })),
  ...['1.5', '1.0', '1e2', '1E0', '-0.5', 'true', 'null', '[1]', '{"a":1}'].map((id) => ({
    what: `id ${id}`,
    body: request(`"id":${id},${chainId}`),
    status: 400,
    answer: error('null', -32600),
  })),
  { what: 'id absent', body: request(chainId), status: 400, answer: error('null', -32600) },
  { what: 'jsonrpc absent', body: `{"id":5,${chainId}}`, status: 400, answer: error('5', -32600) },
  {
    what: 'jsonrpc "1.0"',
    body: `{"jsonrpc":"1.0","id":5,${chainId}}`,
    status: 400,
    answer: error('5', -32600),
  },
  { what: 'jsonrpc 2.0', body: `{"jsonrpc":2.0,"id":5,${chainId}}`, status: 400, answer: error('5', -32600) },
  { what: 'method a number', body: request('"id":5,"method":1'), status: 400, answer: error('5', -32600) },
  { what: 'method absent', body: request('"id":5'), status: 400, answer: error('5', -32600) },
  {
    what: 'unknown members',
    body: request(`"id":5,${chainId},"more":{"a":[]}`),
    status: 200,
    answer: ok('5'),
  },
  { what: 'a member twice', body: request(`"id":5,"id":6,${chainId}`), status: 200, answer: ok('6') },
  {
    what: '__proto__',
    body: request(`"id":5,${chainId},"__proto__":{"params":[1]}`),
    status: 200,
    answer: ok('5'),
  },
  {
    what: 'constructor',
    body: request(`"id":5,${chainId},"constructor":{"prototype":{"x":1}}`),
    status: 200,
    answer: ok('5'),
  },
  ...['__proto__', 'constructor', 'toString', 'eth_Chainid', 'eth_chainId ', ''].map((method) => ({
    what: `method ${JSON.stringify(method)}`,
    body: request(`"id":5,"method":${JSON.stringify(method)}`),
    status: 200,
    answer: error('5', -32601),
  })),
  {
    what: 'one parameter too many',
    body: request(`"id":5,${chainId},"params":[1]`),
    status: 200,
    answer: error('5', -32602),
  },
  {
    what: 'null for a required parameter',
    body: request(`"id":5,"method":"eth_getBlockByNumber","params":[null,null]`),
    status: 200,
    answer: error('5', -32602),
  },
  ...['safe', 'finalized', 'Latest', '', 'foo'].map((tag) => ({
    what: `tag ${JSON.stringify(tag)}`,
    body: request(`"id":5,"method":"eth_getBlockByNumber","params":["${tag}"]`),
    status: 200,
    answer: error('5', -32602),
  })),
  ...['0x01', '0x', '1', '0xg'].map((number) => ({
    what: `block number ${number}`,
    body: request(`"id":5,"method":"eth_getBlockByNumber","params":["${number}"]`),
    status: 200,
    answer: error('5', -32602),
  })),
  { what: 'no JSON', body: '{', status: 400, answer: error('null', -32700) },
  { what: 'an empty body', body: '', status: 400, answer: error('null', -32700) },
  {
    what: 'a byte-order mark',
    body: `\ufeff${request(`"id":1,${chainId}`)}`,
    status: 400,
    answer: error('null', -32700),
  },
  {
    what: 'invalid UTF-8',
    body: Buffer.from([0x22, 0xff, 0x22]),
    status: 400,
    answer: error('null', -32700),
  },
  ...['1', '"x"', 'null', 'true', '[]'].map((body) => ({
    what: `the body ${body}`,
    body,
    status: 400,
    answer: error('null', -32600),
  })),
  {
    what: 'nesting of 65',
    body: request(`"id":1,${chainId},"params":${'['.repeat(64)}${']'.repeat(64)}`),
    status: 400,
    answer: error('(1|null)', -32600),
  },
  {
    what: 'nesting of 64',
    body: request(`"id":1,${chainId},"params":${'['.repeat(63)}${']'.repeat(63)}`),
    status: 200,
    answer: error('1', -32602),
  },
]

t.test('each row of the envelope table', async (t) => {
  for (const { what, body, status, answer } of rows) {
    const got = await post(url, body)
    t.equal(got.status, status, `${what}: HTTP ${status}`)
    if (typeof answer === 'string') t.equal(got.text, answer, what)
    else t.match(got.text, answer, what)
    t.match(got.headers.get('content-type'), /^application\/json/, what)
    t.equal(got.headers.get('access-control-allow-origin'), '*', what)
    t.match(got.headers.get('ratelimit'), /^"daily";r=\d+;t=\d+$/, what)
  }
})

t.test('an error describes the invalid parameter and no internal details', async (t) => {
  const { json } = await post(url, request('"id":1,"method":"eth_getBalance","params":["0x12","newest"]'))
  t.equal(json.error.code, -32602)
  t.same(
    json.error.data.map(({ path }: { path: string }) => path).sort(),
    ['/0', '/1'],
    'both parameters are named',
  )
  for (const problem of json.error.data) t.same(Object.keys(problem), ['path', 'rule', 'message'])
  t.notMatch(JSON.stringify(json), /schemaPath|#\/|node_modules|\.js/)
})

t.test('a batch is answered in order, one answer per item, with errors in their places', async (t) => {
  const { status, text } = await post(
    url,
    `[${request(`"id":"b",${chainId}`)},7,${request(`"id":12345678901234567890,"method":"net_version"`)},${request('"id":3,"method":"nope"')},${request(chainId)},[],${request(`"id":1.5,${chainId}`)}]`,
  )
  t.equal(status, 200)
  t.match(
    text,
    /^\[{"jsonrpc":"2.0","id":"b","result":"0x1f"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600/,
  )
  t.match(text, '{"jsonrpc":"2.0","id":12345678901234567890,"result":"31"}')
  const codes = JSON.parse(text).map((item: { error?: { code: number } }) => item.error?.code)
  t.same(codes, [undefined, -32600, undefined, -32601, -32600, -32600, -32600])
})

t.test('a batch of 100 is answered, and one of 101 is refused as a whole', async (t) => {
  const batch = (size: number) =>
    JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })))
  const full = await post(url, batch(100))
  t.equal(full.status, 200)
  t.same(
    full.json.map(({ id }: { id: number }) => id),
    [...Array(100).keys()],
  )
  const over = await post(url, batch(101))
  t.equal(over.status, 413)
  t.match(over.text, error('null', -32600))
})

t.test('rpc.discover returns the published document', async (t) => {
  const { json } = await post(url, { jsonrpc: '2.0', id: 1, method: 'rpc.discover', params: [] })
  const { published } = await loadContract('openrpc.json')
  t.same(json.result, published())
})
