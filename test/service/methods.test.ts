import { readFileSync } from 'node:fs'
import t from 'tap'
import { methods } from '../../generated/methods.js'
import { loadContract, parseContract } from '../../src/toolkit/contract/index.js'
import { call, post, startService } from '../support/service.js'

/** All 26 methods through the service's URL, each answer validated against the contract's result schema. */
const service = await startService()
t.teardown(() => service.stop())

const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const noSuchHash = `0x${'ab'.repeat(32)}`

t.test('the start message says how many states the development chains keep', async (t) => {
  for (const chain of [31, 30])
    t.ok(
      await service.said(
        'out',
        new RegExp(`chain ${chain}, block 2,431 \\(development chain, keeps the state of \\d+ blocks\\)`),
      ),
    )
})

for (const network of ['test', 'main'] as const) {
  t.test(`every method of the contract answers on the ${network} network`, async (t) => {
    const { url, chainId } = service.networks[network]
    const head = await call(url, 'eth_blockNumber')
    const withLogs = await call(url, 'eth_getLogs', { fromBlock: `0x${(Number(head) - 400).toString(16)}` })
    t.ok(withLogs.length > 0, 'the last 400 blocks have logs')
    const topics = new Set(withLogs.map((log: { topics: string[] }) => log.topics.length))
    t.same([...topics].sort(), [0, 1, 2, 3, 4], 'logs with every number of topics')
    const { blockHash, blockNumber, transactionHash, transactionIndex, address: contract } = withLogs[0]
    const transfer = { from: address, to: contract, data: '0x' }

    const calls: Record<string, unknown[]> = {
      eth_accounts: [],
      eth_blockNumber: [],
      eth_call: [{ to: address }, 'latest'],
      eth_chainId: [],
      eth_estimateGas: [transfer],
      eth_gasPrice: [],
      eth_getBalance: [address],
      eth_getBlockByHash: [blockHash, true],
      eth_getBlockByNumber: [blockNumber],
      eth_getCode: [contract, 'latest'],
      eth_getLogs: [{ blockHash }],
      eth_getStorageAt: [contract, '0x0', 'latest'],
      eth_getTransactionByHash: [transactionHash],
      eth_getTransactionCount: [address],
      eth_getTransactionReceipt: [transactionHash],
      eth_getBlockTransactionCountByHash: [blockHash],
      eth_getBlockTransactionCountByNumber: [blockNumber],
      eth_getTransactionByBlockHashAndIndex: [blockHash, transactionIndex],
      eth_getTransactionByBlockNumberAndIndex: [blockNumber, transactionIndex],
      eth_getUncleCountByBlockHash: [blockHash],
      eth_getUncleCountByBlockNumber: [blockNumber],
      eth_protocolVersion: [],
      net_version: [],
      web3_clientVersion: [],
      web3_sha3: ['0x68656c6c6f20776f726c64'],
    }
    t.same([...Object.keys(calls), 'eth_sendRawTransaction'].sort(), Object.keys(methods).sort())
    const results: Record<string, unknown> = {}
    for (const [name, params] of Object.entries(calls)) {
      results[name] = await call(url, name, ...params)
      t.same(methods[name as keyof typeof methods].validateResult(results[name]), [], name)
      t.not(results[name], null, name)
    }
    t.same(results['eth_accounts'], [])
    t.equal(results['eth_chainId'], chainId)
    t.equal(results['net_version'], String(Number(chainId)))
    t.equal(
      results['web3_sha3'],
      '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
      'Keccak-256 of "hello world", not SHA3-256',
    )
    const block = results['eth_getBlockByHash'] as {
      transactions: { hash: string }[]
      transactionsRoot: string
    }
    t.equal((results['eth_getBlockByNumber'] as typeof block).transactionsRoot, block.transactionsRoot)
    t.same(results['eth_getTransactionByHash'], block.transactions[Number(transactionIndex)])
    t.equal(results['eth_getBlockTransactionCountByHash'], `0x${block.transactions.length.toString(16)}`)
    t.match(results['eth_getTransactionByBlockHashAndIndex'], { _id: `${blockHash}-${transactionIndex}` })
    t.equal((results['eth_getLogs'] as unknown[]).length > 0, true)
  })
}

t.test('missing objects are null, an empty list, or -32001 for state', async (t) => {
  const { url } = service.networks.test
  const beyond = '0xffffffff'
  for (const [name, ...params] of [
    ['eth_getBlockByHash', noSuchHash],
    ['eth_getBlockByNumber', beyond],
    ['eth_getTransactionByHash', noSuchHash],
    ['eth_getTransactionReceipt', noSuchHash],
    ['eth_getTransactionByBlockHashAndIndex', noSuchHash, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', beyond, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', 'earliest', '0x0'],
    ['eth_getBlockTransactionCountByHash', noSuchHash],
    ['eth_getBlockTransactionCountByNumber', beyond],
    ['eth_getUncleCountByBlockHash', noSuchHash],
    ['eth_getUncleCountByBlockNumber', beyond],
  ] as const) {
    t.equal(await call(url, name, ...params), null, `${name} ${params}`)
  }
  t.same(await call(url, 'eth_getLogs', { blockHash: noSuchHash }), [])
  for (const [name, ...params] of [
    ['eth_getBalance', address, beyond],
    ['eth_getBalance', address, noSuchHash],
    ['eth_getCode', address, beyond],
    ['eth_getStorageAt', address, '0x0', beyond],
    ['eth_getTransactionCount', address, beyond],
    ['eth_call', { to: address }, beyond],
    ['eth_estimateGas', { to: address }, beyond],
  ] as const) {
    const { status, json } = await post(url, { jsonrpc: '2.0', id: 1, method: name, params })
    t.equal(status, 200)
    t.equal(json.error?.code, -32001, `${name} ${JSON.stringify(params)}`)
  }
})

t.test('eth_getLogs: its rules and both sides of its limits', async (t) => {
  const { url } = service.networks.test
  const filter = (filter: object) =>
    post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })
  const { hash } = await call(url, 'eth_getBlockByNumber', 'latest', false)
  for (const range of [
    { fromBlock: '0x1' },
    { toBlock: '0x1' },
    { fromBlock: 'latest', toBlock: 'latest' },
  ]) {
    t.equal((await filter({ blockHash: hash, ...range })).json.error?.code, -32602, JSON.stringify(range))
  }
  t.equal((await filter({ blockHash: hash, fromBlock: null })).json.error, undefined, 'null counts as absent')
  t.equal((await filter({ fromBlock: '0x10', toBlock: '0xf' })).json.error?.code, -32602)
  t.same(
    await call(url, 'eth_getLogs', {}),
    await call(url, 'eth_getLogs', { blockHash: hash }),
    'default: the latest block',
  )
  t.same(await call(url, 'eth_getLogs', { fromBlock: '0xfffffff' }), [])

  const over = await filter({ fromBlock: 'earliest' })
  t.equal(over.status, 200)
  t.equal(over.json.error?.code, -32602)
  const [, from, to] =
    /this block range should work: \[(0x[0-9a-f]+), (0x[0-9a-f]+)\]/.exec(over.json.error.message) ?? []
  t.match(over.json.error.data, { from, to, limit: 10_000 })
  const suggested = await call(url, 'eth_getLogs', { fromBlock: from, toBlock: to })
  t.ok(suggested.length > 0 && suggested.length <= 10_000, 'the suggested range works')
  const longer = await filter({ fromBlock: from, toBlock: `0x${(Number(to) + 1).toString(16)}` })
  t.equal(longer.json.error?.code, -32602, 'and is the longest possible one')
})

t.test('eth_estimateGas still estimates when a step of the simulation fails', async (t) => {
  const { url } = service.networks.test
  const poor = `0x${'b6'.repeat(20)}`
  const data = `0x${'d4'.repeat(41)}`
  t.equal(
    await call(url, 'eth_estimateGas', { from: poor, to: `0x${'c5'.repeat(20)}`, value: '0x9184e72a', data }),
    '0x5498',
  )
  const invalid = await post(url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_estimateGas',
    params: [{ to: '0x12' }],
  })
  t.equal(invalid.json.error.code, -32602, 'but never for invalid parameters')
})

t.test('invalid transactions are refused', async (t) => {
  const { url } = service.networks.test
  for (const raw of ['0x', '0x00', `0x${'d4'.repeat(41)}`]) {
    const { status, json } = await post(url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_sendRawTransaction',
      params: [raw],
    })
    t.equal(status, 200, raw)
    t.equal(json.error.code, -32602, raw)
  }
})

const contract = parseContract(readFileSync(new URL('../../openrpc.json', import.meta.url), 'utf8'))

for (const { name, examples } of contract.methods) {
  const exact = examples.filter(({ extensions }) => extensions['x-replay'] === 'exact')
  if (exact.length === 0) continue
  t.test(`${name}: ${exact.length} exact`, async (t) => {
    for (const example of exact) {
      const params = example.params.map(({ value }) => value)
      const { 'x-network': only } = example.extensions
      for (const network of ['test', 'main'] as const) {
        if (only !== undefined && only !== network) continue
        const { json } = await post(service.networks[network].url, {
          jsonrpc: '2.0',
          id: 1,
          method: name,
          params,
        })
        const wanted = example.error ? { error: example.error } : { result: example.result?.value }
        t.same(json, { jsonrpc: '2.0', id: 1, ...wanted }, `${example.name} on the ${network} network`)
      }
    }
  })
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** A wrong value of a parameter, where it is wrong, and the words of the message that name what works. */
interface WrongValue {
  readonly value: unknown
  readonly path: string
  readonly words: readonly string[]
}

t.test('the message about a wrong value names what works, for every parameter of the contract', async (t) => {
  const contract = JSON.parse(readFileSync(new URL('../../openrpc.json', import.meta.url), 'utf8'))
  const parts = ({ $ref, ...schema }: Schema): readonly Schema[] => [
    schema,
    ...($ref === undefined ? [] : parts(contract.components.schemas[$ref.split('/').at(-1) ?? ''])),
    ...[...(schema.allOf ?? []), ...(schema.anyOf ?? [])].flatMap(parts),
  ]
  const wrongValues = (schema: Schema, path: string): readonly WrongValue[] => {
    const described = parts(schema)
    const words = described.flatMap((part) => [
      ...(part.enum ?? []),
      ...(part.pattern === undefined ? [] : ['0x']),
      ...(part.type === 'boolean' ? ['true or false'] : []),
    ])
    return [
      ...(words.length === 0 ? [] : ['nonsense', 7, ['nonsense']].map((value) => ({ value, path, words }))),
      ...described.flatMap(({ properties = {}, items }) => [
        ...Object.entries(properties).flatMap(([name, inner]) =>
          wrongValues(inner, `${path}/${name}`).map((wrong) => ({
            ...wrong,
            value: { [name]: wrong.value },
          })),
        ),
        ...(items === undefined
          ? []
          : wrongValues(items, `${path}/0`).map((wrong) => ({ ...wrong, value: [wrong.value] }))),
      ]),
    ]
  }
  let tried = 0
  for (const { name: method, params } of contract.methods)
    for (const [at, { schema }] of params.entries())
      for (const { value, path, words } of wrongValues(schema, `/${at}`)) {
        const given = params.map((_: unknown, place: number) => (place === at ? value : null))
        const { json } = await post(service.networks.test.url, {
          jsonrpc: '2.0',
          id: 1,
          method,
          params: given,
        })
        const messages: string[] = json.error.data
          .filter((problem: { path: string }) => problem.path === path || problem.path === `${path}/0`)
          .map((problem: { message: string }) => problem.message)
        const isNamed = messages.some((message) => words.every((word) => message.includes(word)))
        t.ok(isNamed, `${method} ${path} ${JSON.stringify(value)}: ${messages.join('; ')}`)
        tried++
      }
  t.ok(tried > 100, `${tried} wrong values`)
})

t.test('an error describes the invalid parameter and no internal details', async (t) => {
  const { json } = await post(service.networks.test.url, {
    ...{ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x12', 'newest'] },
  })
  t.equal(json.error.code, -32602)
  t.same(
    json.error.data.map(({ path }: { path: string }) => path).sort(),
    ['/0', '/1'],
    'both parameters are named',
  )
  for (const problem of json.error.data) t.same(Object.keys(problem), ['path', 'rule', 'message'])
  t.notMatch(JSON.stringify(json), /schemaPath|#\/|node_modules|\.js/)
})

t.test('rpc.discover returns the published document', async (t) => {
  const { json } = await post(service.networks.test.url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'rpc.discover',
    params: [],
  })
  const { published } = await loadContract('openrpc.json')
  t.same(json.result, published())
})
