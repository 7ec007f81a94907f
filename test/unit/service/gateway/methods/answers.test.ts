import t from 'tap'
import { extensions } from '../../../../../generated/contract.js'
import { methods } from '../../../../../generated/methods.js'
import type { JsonObject, JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { createAnswers, createForwarder } from '../../../../../src/service/gateway/methods/index.js'
import type { NodeAnswer } from '../../../../../src/service/gateway/nodes/index.js'
import { addressOf, error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

function forwarder(script: Script) {
  const node = scriptedNode(script)
  return { forward: createForwarder(node.call), ...node }
}

const head: JsonObject = {
  number: '0x64',
  hash: hashOf('64'),
  transactions: [hashOf('01')],
  uncles: [hashOf('02')],
}

/** A node with the blocks 0 to 100. */
const hundredBlocks: Script = {
  eth_blockNumber: result('0x64'),
  eth_getBlockByNumber: ([selector]) =>
    selector === 'latest' || selector === 'pending' || Number(selector) <= 100 ? result(head) : result(null),
  eth_getBlockByHash: ([hash]) => result(hash === head['hash'] ? head : null),
}

/** The answers of a network with a scripted node. */
function answers(script: Script) {
  const { forward, call, asked } = forwarder(script)
  const answer = createAnswers({
    nodeCallsPerSecond: () => 200,
    call,
    cached: ({ name }, params) => forward(name, params),
    network: extensions['x-networks'].test,
  })
  const ask = (method: string, ...params: JsonValue[]) =>
    answer(method, params, { userId: 'user', request: {}, inBatch: false, holdLogs: () => true })
  return { ask, asked }
}

t.test('some methods need no node', async (t) => {
  const { ask, asked } = answers({})
  t.equal(ask('eth_chainId'), '0x1f')
  t.equal(ask('net_version'), '31')
  t.strictSame(ask('eth_accounts'), [])
  t.equal(
    ask('web3_sha3', '0x68656c6c6f20776f726c64'),
    '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  )
  t.equal(ask('web3_sha3', '0x'), '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
  t.strictSame(asked, [])
})

t.test('a transaction for another network reaches no node, and no cache', async (t) => {
  const { ask, asked } = answers({})
  // Nine members; v is that of chain 137.
  const raw = `0xcb8080808080808201350101`
  await t.rejects(async () => ask('eth_sendRawTransaction', raw), { code: -32003 })
  t.strictSame(asked, [])
})

t.test('every method of the contract has a handler, and unknown names have none', async (t) => {
  const { ask, asked } = answers({})
  for (const [name, { extensions }] of Object.entries(methods)) {
    const before = asked.length
    const raw = `0xc9${'80'.repeat(6)}1b0101`
    await Promise.resolve(ask(name, name === 'eth_getLogs' ? {} : raw)).catch(() => undefined)
    const isOwn = typeof extensions['x-answer'] === 'object' || name === 'web3_sha3'
    t.equal(asked.length === before, isOwn, `${name}: the node is called`)
  }
  for (const name of ['eth_mining', 'constructor', '__proto__', 'toString']) {
    t.throws(() => ask(name), { code: -32601 }, name)
    await t.rejects(forwarder({}).forward(name, []), { code: -32601 }, name)
  }
})

const unknownHash = hashOf('99')
const nodeErrors: readonly NodeAnswer[] = [
  error(-32600, 'Block 0xffffff not found'),
  error(-32001, 'Resource not found'),
  error(-32602, 'BlockOutOfRangeError: block height is 100'),
  error(-32000, 'unknown block'),
]

t.test('a lookup of a missing object is null, whatever error the node returns', async (t) => {
  const lookups: readonly [string, ...JsonValue[]][] = [
    ['eth_getBlockTransactionCountByHash', unknownHash],
    ['eth_getBlockTransactionCountByNumber', '0x65'],
    ['eth_getUncleCountByBlockHash', unknownHash],
    ['eth_getUncleCountByBlockNumber', '0x65'],
    ['eth_getTransactionByBlockHashAndIndex', unknownHash, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x65', '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x64', '0x1'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x64', '0xffffffffffffffff'],
  ]
  for (const [method, ...params] of lookups) {
    for (const answer of [...nodeErrors, result(null)]) {
      const { forward } = forwarder({ ...hundredBlocks, [method]: answer })
      t.equal(await forward(method, params), null, `${method} ${params} ${answer.error?.message}`)
    }
  }
  for (const answer of nodeErrors) {
    const script: Script = {
      eth_blockNumber: result('0x64'),
      eth_getBlockByNumber: ([number]) => (number === '0x64' ? result(head) : answer),
    }
    t.equal(await forwarder(script).forward('eth_getBlockByNumber', ['0xffffffffffffffff', false]), null)
  }
})

t.test('a count that the node does not answer is computed from the block', async (t) => {
  for (const answer of [error(-32001, 'Resource not found'), result(null)]) {
    const script = {
      ...hundredBlocks,
      eth_getUncleCountByBlockNumber: answer,
      eth_getBlockTransactionCountByHash: answer,
    }
    const { forward } = forwarder(script)
    t.equal(await forward('eth_getUncleCountByBlockNumber', ['pending']), '0x1')
    t.equal(await forward('eth_getBlockTransactionCountByHash', [head['hash'] ?? null]), '0x1')
  }
})

t.test('state at an unknown block is -32001, recognised by the block', async (t) => {
  const subject = addressOf('aa')
  const calls: readonly [string, ...JsonValue[]][] = [
    ['eth_getBalance', subject],
    ['eth_getCode', subject],
    ['eth_getStorageAt', subject, '0x0'],
    ['eth_getTransactionCount', subject],
    ['eth_call', { to: subject }],
    ['eth_estimateGas', { to: subject }],
  ]
  for (const [method, ...params] of calls) {
    for (const answer of [...nodeErrors, result(null)]) {
      const { forward } = forwarder({ ...hundredBlocks, [method]: answer })
      await t.rejects(forward(method, [...params, '0x65']), { code: -32001 }, `${method} by number`)
      if (method === 'eth_estimateGas') continue
      await t.rejects(forward(method, [...params, unknownHash]), { code: -32001 }, `${method} by hash`)
    }
  }
})

t.test('pruned state is also -32001, though the block exists', async (t) => {
  const gone = error(-32600, 'State not found for block with hash 0x64')
  const { forward } = forwarder({
    ...hundredBlocks,
    eth_getBalance: gone,
    eth_call: gone,
    eth_estimateGas: gone,
  })
  const problem = { code: -32001, message: 'The state of this block is not available' }
  await t.rejects(forward('eth_getBalance', [addressOf('aa'), '0x5']), problem)
  await t.rejects(forward('eth_call', [{ to: addressOf('aa') }, '0x5']), problem)
  await t.rejects(forward('eth_estimateGas', [{ to: addressOf('aa') }, '0x5']), problem)
})

t.test('null state at an existing block means an empty value', async (t) => {
  const script = { ...hundredBlocks, eth_getCode: result(null), eth_getStorageAt: result(null) }
  const { forward } = forwarder({ ...script, eth_getBalance: result(null) })
  t.equal(await forward('eth_getCode', [addressOf('aa'), '0x5']), '0x')
  t.equal(await forward('eth_getStorageAt', [addressOf('aa'), '0x0', 'latest']), hashOf('00'))
  t.equal(await forward('eth_getBalance', [addressOf('aa'), 'latest']), '0x0')
})

t.test('a block hash is sent as EIP-1898, or as a number to a node without EIP-1898', async (t) => {
  const modern = forwarder({ eth_getBalance: result('0x7') })
  t.equal(await modern.forward('eth_getBalance', [addressOf('aa'), hashOf('64')]), '0x7')
  t.strictSame(modern.asked, [['eth_getBalance', addressOf('aa'), { blockHash: hashOf('64') }]])

  const plain = forwarder({
    ...hundredBlocks,
    eth_getBalance: ([, at]) => (at === '0x64' ? result('0x7') : error(-32602, 'Invalid block identifier')),
  })
  t.equal(await plain.forward('eth_getBalance', [addressOf('aa'), hashOf('64')]), '0x7')
})

t.test('a node failure is not a missing object', async (t) => {
  const troubles: readonly [NodeAnswer, { code: number; httpStatus: number }][] = [
    [error(-32601, 'the method does not exist/is not available'), { code: -32603, httpStatus: 200 }],
    [error(-32005, 'rate limit'), { code: -32002, httpStatus: 503 }],
    [error(-32011, 'Execution has got timeout out.'), { code: -32002, httpStatus: 504 }],
  ]
  const calls: readonly [string, ...JsonValue[]][] = [
    ['eth_blockNumber'],
    ['eth_getBlockByNumber', '0x65', false],
    ['eth_getUncleCountByBlockNumber', '0x65'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x64', '0x0'],
    ['eth_getBalance', addressOf('aa'), '0x65'],
    ['eth_call', { to: addressOf('aa') }, 'latest'],
    ['eth_estimateGas', { to: addressOf('aa') }, 'latest'],
    ['eth_sendRawTransaction', `0xc9${'80'.repeat(6)}1b0101`],
  ]
  for (const [answer, problem] of troubles) {
    for (const [method, ...params] of calls) {
      const isCounted = method.startsWith('eth_getUncleCount') && answer.error?.code === -32601
      if (isCounted) continue
      const { forward } = forwarder({ ...hundredBlocks, [method]: answer })
      await t.rejects(forward(method, params), problem, `${method} ${answer.error?.message}`)
    }
  }
  const { forward } = forwarder({
    eth_gasPrice: error(-32000, 'boom'),
    eth_blockNumber: error(-32602, 'picky'),
  })
  await t.rejects(forward('eth_gasPrice', []), { code: -32603, httpStatus: 502, message: /^((?!boom).)*$/ })
  await t.rejects(forward('eth_blockNumber', []), {
    code: -32603,
    httpStatus: 502,
    message: /^((?!picky).)*$/,
  })
})

t.test("an error about an existing object is the caller's", async (t) => {
  const broken = error(-32000, 'broken')
  const script = { ...hundredBlocks, eth_getTransactionByBlockNumberAndIndex: broken }
  const { forward } = forwarder(script)
  const problem = { code: -32603, httpStatus: 502 }
  await t.rejects(forward('eth_getTransactionByBlockNumberAndIndex', ['0x64', '0x0']), problem)
  await t.rejects(
    forwarder({ ...script, eth_getBalance: broken }).forward('eth_getBalance', [addressOf('aa'), 'latest']),
    problem,
  )
})

t.test('a transaction by position has block and position in _id', async (t) => {
  const mined = { hash: hashOf('01'), blockHash: hashOf('64'), transactionIndex: '0x0' }
  const pending = { hash: hashOf('02'), blockHash: null, transactionIndex: null }
  const { forward } = forwarder({
    eth_getTransactionByBlockHashAndIndex: result(mined),
    eth_getTransactionByBlockNumberAndIndex: result(null),
    eth_getBlockByNumber: result({ transactions: [pending] }),
  })
  t.strictSame(await forward('eth_getTransactionByBlockHashAndIndex', [hashOf('64'), '0x0']), {
    ...mined,
    _id: `${hashOf('64')}-0x0`,
  })
  const found = await forward('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])
  t.strictSame(
    found,
    { ...pending, blockNumber: null, to: null, _id: 'pending-0x0' },
    'also when the node lists it only in the pending block',
  )
  t.equal(await forward('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x1']), null)
})

t.test('an entry of the pending block that is no transaction is not answered', async (t) => {
  for (const entry of [hashOf('02'), 5, true, [], {}, { number: '0x1' }]) {
    const { forward } = forwarder({
      eth_getTransactionByBlockNumberAndIndex: result(null),
      eth_getBlockByNumber: result({ transactions: [entry] }),
    })
    const answer = forward('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])
    await t.rejects(answer, { code: -32603, httpStatus: 502 }, JSON.stringify(entry))
  }
})

t.test('_id is not made of values that are no texts', async (t) => {
  for (const blockHash of [5, {}, []]) {
    const odd = { hash: hashOf('01'), blockHash, transactionIndex: '0x0' }
    const { forward } = forwarder({ eth_getTransactionByBlockHashAndIndex: result(odd) })
    t.strictSame(await forward('eth_getTransactionByBlockHashAndIndex', [hashOf('64'), '0x0']), odd)
  }
})

t.test('a receipt without effectiveGasPrice gets the gas price of its transaction', async (t) => {
  const bare = { transactionHash: hashOf('01'), status: '0x1' }
  const script = {
    eth_getTransactionReceipt: result(bare),
    eth_getTransactionByHash: result({ gasPrice: '0x5' }),
  }
  const { forward } = forwarder(script)
  t.strictSame(await forward('eth_getTransactionReceipt', [hashOf('01')]), {
    ...bare,
    effectiveGasPrice: '0x5',
  })
  for (const none of [
    null,
    {},
    { gasPrice: null },
    { gasPrice: true },
    { gasPrice: 'x' },
    { gasPrice: {} },
  ]) {
    const lost = forwarder({ ...script, eth_getTransactionByHash: result(none) })
    t.strictSame(await lost.forward('eth_getTransactionReceipt', [hashOf('01')]), bare, JSON.stringify(none))
  }
})

t.test("an invalid call is refused with the node's wording", async (t) => {
  const refusals = ['EVM error OutOfGas', 'Insufficient funds for gas * price + value', 'nonce too low']
  for (const message of refusals) {
    const { forward } = forwarder({
      ...hundredBlocks,
      eth_call: error(-32000, message),
      eth_getBalance: result('0x0'),
    })
    for (const at of ['latest', '0x5', hashOf('64')]) {
      await t.rejects(forward('eth_call', [{ to: addressOf('aa') }, at]), { code: -32003, message })
    }
  }
  const picky = forwarder({ eth_call: error(-32602, 'unknown member') })
  await t.rejects(picky.forward('eth_call', [{ to: addressOf('aa') }, 'latest']), { code: -32603 })
  const silent = forwarder({ eth_call: result(null) })
  await t.rejects(silent.forward('eth_call', [{ to: addressOf('aa') }, 'latest']), { code: -32603 })
})

t.test('input is an alias of data, and nulls count as absent', async (t) => {
  const to = addressOf('aa')
  const sent: readonly [JsonObject, JsonObject][] = [
    [
      { to, input: '0x12' },
      { to, data: '0x12' },
    ],
    [
      { to, input: '0xAB', data: '0xab' },
      { to, data: '0xAB' },
    ],
    [
      { to, data: '0x12', input: null, from: null, gas: null },
      { to, data: '0x12' },
    ],
    [
      { to, nonce: '0x1', accessList: [] },
      { to, nonce: '0x1', accessList: [] },
    ],
  ]
  for (const [given, wanted] of sent) {
    const { forward, asked } = forwarder({ eth_call: result('0x') })
    await forward('eth_call', [given, 'latest'])
    t.strictSame(asked, [['eth_call', wanted, 'latest']])
  }
  const { forward, asked } = forwarder({})
  for (const method of ['eth_call', 'eth_estimateGas']) {
    await t.rejects(forward(method, [{ to, input: '0x12', data: '0x' }, 'latest']), {
      code: -32602,
      data: [{ path: '/0/input', rule: 'call.input-alias' }],
    })
  }
  t.strictSame(asked, [])
})
