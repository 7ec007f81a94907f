import t from 'tap'
import {
  ContractError,
  type JsonObject,
  loadContract,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'
import { contractSettings } from '../../../../src/toolkit/mock/contract-settings.js'
import { servedPaths } from '../../../../src/toolkit/mock/served-paths.js'
import { contractOf, fixturePath, loadFixture, loadValidators, methodOf } from '../codegen/fixtures.js'
import { startMock } from './start-mock.js'

const call = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })

t.test('invalid requests get the same problems as from the generated server', async (t) => {
  const contract = await loadFixture('pet-store')
  const validators = await loadValidators(contract)
  const { send } = await startMock(t, contract)
  const rows: readonly (readonly [method: string, params: unknown])[] = [
    ['listPets', [0, 'gone']],
    ['listPets', [1, 'sold', 3]],
    ['listPets', { limit: 1 }],
    ['getPet', [1]],
    ['getPet', {}],
    ['getPet', { id: 'x', more: 1 }],
    ['addPet', [{ name: 7 }]],
  ]
  for (const [method, params] of rows) {
    const { status, json } = await send(call(method, params))
    t.equal(status, 200)
    t.equal(json.error.code, -32602)
    t.ok(json.error.data.length > 0)
    t.same(json.error.data, validators[method]?.params(params), `${method} ${JSON.stringify(params)}`)
  }
  t.match((await send(call('nothing'))).json, {
    id: 1,
    error: { code: -32601, message: 'Method not found: nothing' },
  })
  t.match((await send(call('toString'))).json, { error: { code: -32601 } })
})

t.test('JSON-RPC 2.0 applies where the contract states nothing else', async (t) => {
  const contract = await loadFixture('pet-store')
  const { send, url } = await startMock(t, contract)
  t.match(await send('{'), { status: 400, json: { id: null, error: { code: -32700 } } })
  t.match(await send([]), { status: 400, json: { error: { code: -32600 } } })
  t.match(await send({ jsonrpc: '2.0', method: 'petSeen', params: [1] }), { status: 204, text: '' })
  t.match(await send({ jsonrpc: '2.0', method: 'listPets', params: [1] }), { status: 204, text: '' })
  t.match((await send(call('petSeen', [1]))).json, { error: { code: -32600, message: /notification/ } })
  const { json } = await send([
    call('listPets', [1], 'a'),
    call('nothing', [], 'b'),
    { jsonrpc: '2.0', method: 'petSeen', params: [1] },
  ])
  t.match(json, [
    { id: 'a', result: [{ name: 'Rex' }] },
    { id: 'b', error: { code: -32601 } },
  ])
  t.equal(json.length, 2)
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'http://elsewhere.example' } })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), '*')
  t.equal((await fetch(url)).status, 405)
})

t.test('rpc.discover returns the document', async (t) => {
  const contract = await loadFixture('hostile')
  const { ask, send } = await startMock(t, contract)
  t.same((await ask('rpc.discover', [])).result, contract.document)
  t.equal(
    (await send(call('rpc.discover'))).text,
    `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(contract.document)}}`,
  )
})

t.test('a declared rpc.discover is validated by its declaration and returns the document', async (t) => {
  const declared = (result: JsonObject) =>
    contractOf({
      methods: [
        {
          name: 'rpc.discover',
          paramStructure: 'by-name',
          params: [{ name: 'part', schema: { type: 'string' } }],
          result: { name: 'document', schema: result },
        },
      ],
    })
  const contract = declared({ type: 'object', required: ['openrpc'] })
  const { ask } = await startMock(t, contract)
  t.match(await ask('rpc.discover', []), { error: { code: -32602 } })
  t.match(await ask('rpc.discover', { part: 1 }), { error: { code: -32602, data: [{ path: '/part' }] } })
  t.same((await ask('rpc.discover', { part: 'info' })).result, contract.document)
  t.same((await ask('rpc.discover')).result, contract.document)
  const other = await startMock(t, declared({ const: 'elsewhere' }))
  t.same(await other.ask('rpc.discover', {}), { result: 'elsewhere' }, 'the result fits its schema')
})

t.test('a document of several files is returned in one piece', async (t) => {
  const contract = await loadFixture('several-files')
  const { ask } = await startMock(t, contract)
  const { result } = await ask('rpc.discover', [])
  t.same(
    parseContract(JSON.stringify(result)).methods.map(({ name }) => name),
    contract.methods.map(({ name }) => name),
  )
})

t.test('envelope, limits and failures of a contract apply', async (t) => {
  const contract = contractOf({
    info: {
      title: 'T',
      version: '1.0.0',
      'x-envelope': { idRequired: true, idPattern: '[0-9]+' },
      'x-limits': {
        batchItems: { value: 2, unit: 'items' },
        nestingDepth: 8,
        bodyBytes: { value: 500 },
        headerBytes: -1,
      },
      'x-failures': {
        methodNotFound: { error: 'unknown', message: 'We do not do that', httpStatus: 404 },
        batchTooLarge: { httpStatus: 200 },
        unheardOf: { error: 'unknown' },
      },
    },
    components: { errors: { unknown: { code: -32099, message: 'Unknown' } } },
    methods: [methodOf([{ name: 'a', schema: {} }], { const: 'fine' })],
  })
  const { send } = await startMock(t, contract)
  t.match(await send({ jsonrpc: '2.0', method: 'm' }), { status: 400, json: { error: { code: -32600 } } })
  t.match(await send('{"jsonrpc":"2.0","id":-1,"method":"m"}'), { status: 400 })
  t.match(await send(call('m')), { status: 200, json: { id: 1, result: 'fine' } })
  t.match(await send(call('n')), {
    status: 404,
    json: { error: { code: -32099, message: 'We do not do that: n' } },
  })
  t.match(await send([1, 2, 3].map(() => call('m'))), { status: 200, json: { error: { code: -32600 } } })
  t.match(await send(call('m', [[[[[[[[[]]]]]]]]])), { status: 400 })
  t.match(await send(call('m', ['x'.repeat(600)])), { status: 413 })
  t.equal(contractSettings(contract).limits.headerBytes, undefined)
})

t.test('a contract without batches has none', async (t) => {
  const info = { title: 'T', version: '1.0.0', 'x-limits': { batchItems: { value: 0 } } }
  const { send } = await startMock(t, contractOf({ info, methods: [methodOf([])] }))
  t.match(await send([call('m')]), { status: 413, json: { error: { code: -32600 } } })
})

t.test('errors have the status and the Retry-After that the contract states for them', async (t) => {
  const rows = [
    ['unknown', { error: 'busy' }, 429, '7'],
    ['unknown', { error: 'busy', httpStatus: 404, retryAfterSeconds: 1 }, 404, '1'],
    ['m', {}, 429, '7'],
  ] as const
  for (const [method, methodNotFound, status, retryAfter] of rows) {
    const busy = { code: 8, message: 'Busy', 'x-http-status': 429, 'x-retry-after-seconds': 7 }
    const value = { code: 8, message: 'Busy' }
    const example = { name: 'e', params: [], error: { name: 'e', value } }
    const contract = contractOf({
      info: { title: 'T', version: '1.0.0', 'x-failures': { methodNotFound } },
      components: { errors: { busy } },
      methods: [methodOf([], {}, { errors: [{ $ref: '#/components/errors/busy' }], examples: [example] })],
    })
    const { url } = await startMock(t, contract)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call(method, [])),
    })
    t.equal(answer.status, status)
    t.equal(answer.headers.get('retry-after'), retryAfter)
    t.match(await answer.json(), { error: { code: 8 } })
  }
})

t.test('the contract of this service has the settings of the service', async (t) => {
  const contract = await loadContract('openrpc.json')
  const { limits, failures, envelope } = contractSettings(contract)
  t.match(limits, { bodyBytes: 5_242_880, batchItems: 1_000, nestingDepth: 64 })
  t.match(failures, {
    parseError: { code: -32700, message: 'The body is not JSON in UTF-8', httpStatus: 400 },
    missingKey: { code: -32016, httpStatus: 401 },
  })
  t.equal(envelope.idRequired, true)
})

t.test('an invalid id pattern is reported with its place', async (t) => {
  const info = { title: 'T', version: '1.0.0', 'x-envelope': { idPattern: '(' } }
  t.throws(() => contractSettings(contractOf({ info })), ContractError)
})

t.test('a contract is served at the root and at the paths of its servers', async (t) => {
  const rows: readonly (readonly [urls: readonly string[], paths: readonly string[]])[] = [
    [[], ['/']],
    [['http://localhost:8080', 'http://localhost:8080/'], ['/']],
    [
      ['https://api.example.com/v1/rpc?x=1#y', 'https://api.example.com/v1/'],
      ['/', '/v1/rpc', '/v1/'],
    ],
    [
      ['https://${host}.example.com/${version}/rpc', '//host/x'],
      ['/', '/:part0/rpc', '/x'],
    ],
    [
      ['/v1/rpc', 'v2/rpc', '${a}/rpc'],
      ['/', '/v1/rpc'],
    ],
    [
      ['https://a.example/${a}', 'https://b.example/${b}'],
      ['/', '/:part0'],
    ],
    [
      ['https://a.example/a:b', 'https://a.example/*', 'https://a.example/a//b', 'https://a.example/(x)'],
      ['/'],
    ],
  ]
  for (const [urls, paths] of rows) {
    const variables = Object.fromEntries(
      ['host', 'version', 'a', 'b'].map((name) => [name, { default: 'x' }]),
    )
    const { servers: _, ...contract } = contractOf({})
    const servers = urls.map((url) => ({
      url,
      variables,
      pointer: '',
      name: undefined,
      summary: undefined,
      description: undefined,
    }))
    t.same(servedPaths({ ...contract, servers }), paths, urls.join(' '))
  }
  const { send } = await startMock(t, await loadContract(fixturePath('pet-store')))
  t.equal((await send(call('listPets', [1]), 'a/b/c/d')).status, 404)
})

t.test('a long text on which RegExp would not end is refused', async (t) => {
  const schema = { type: 'string', pattern: '^(a+)+$' }
  const { send } = await startMock(t, contractOf({ methods: [methodOf([{ name: 'a', schema }])] }))
  t.match(await send(call('m', [`${'a'.repeat(100_000)}!`])), { json: { error: { code: -32602 } } })
  t.match(await send(call('m', ['aaa'])), { json: { id: 1, error: undefined } })
})
