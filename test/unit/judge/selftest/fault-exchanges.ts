import { generateKeyPairSync } from 'node:crypto'
import { limits } from '../../../../generated/contract.js'
import { signTransaction } from '../../../../src/judge/functions/sign-transaction.js'
import type { JsonObject } from '../../../../src/runtime/rpc/index.js'
import {
  blockProducer,
  developmentAccounts,
  seedContractCall,
  seedContractSelectors,
  seedFacts,
} from '../../../support/development-chain.js'
import { call } from '../../../support/service.js'

/** An HTTP request of a test. */
export interface Asked {
  readonly verb?: string
  /** Path after the origin, with KEY for the key. */
  readonly path?: string
  /** Name of the key that replaces KEY, one of `lists`; the development key by default. */
  readonly list?: keyof typeof lists
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Restrictions of the keys with lists. No request is allowed by them, except for one origin. */
export const lists = {
  methods: { methods: ['eth_chainId'] },
  contracts: { contracts: ['0x00000000000000000000000000000000c0c0da7a'] },
  origins: { origins: ['https://allowed.example'] },
  clients: { addresses: ['192.0.2.0/24'] },
  // The private key is unknown, so no token is valid.
  token: { jwt: { keys: [{ id: 'faults', publicKey: newPublicKey() }] } },
}

function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

/** A number as a quantity. */
export const hex = (number: number) => `0x${number.toString(16)}`

/** A transfer from an account without other uses, or another transaction with the given members. */
export function signed(members: { readonly nonce: string; readonly gasPrice: string } & JsonObject) {
  const { address: to, privateKey } = developmentAccounts[9]
  const transfer = { privateKey, to, chainId: '0x1f', gas: '0x5208', value: '0x1', ...members }
  return signTransaction([transfer]) as { readonly raw: string; readonly hash: string }
}

const rpc = (method: string, params?: unknown, id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${JSON.stringify(params)}`}}`

const unknownHash = `0x${'ab'.repeat(32)}`
const far = '0xffffffff'
const { contract, emptyAccount } = seedFacts
const sender = developmentAccounts[0].address
const reason =
  seedContractSelectors.fail +
  [32, 5].map((number) => number.toString(16).padStart(64, '0')).join('') +
  Buffer.from('wrong').toString('hex').padEnd(64, '0')
/** Members of a transaction that is mined and fails. */
export const failing = { to: contract, data: reason, gas: '0x186a0', value: '0x0' }
const at = (number: number) => ({ fromBlock: hex(number), toBlock: hex(number) })
const fiveAt = at(seedFacts.fiveLogsBlock)

/** Requests to the embedded service, by subject. */
export async function embeddedExchanges(url: string): Promise<Readonly<Record<string, Asked>>> {
  const calls = await callsOn(url)
  const asked = Object.entries(calls).map(([name, [method, params]]) => [name, { body: rpc(method, params) }])
  return { ...Object.fromEntries(asked), ...bodiesFor(new URL(url).pathname.slice(1)) }
}

/** Calls, by subject. */
async function callsOn(
  url: string,
): Promise<Readonly<Record<string, readonly [method: string, params?: unknown]>>> {
  const block = (number: number) => call(url, 'eth_getBlockByNumber', hex(number), false)
  const five = await block(seedFacts.fiveLogsBlock)
  const creation = await block(seedFacts.contractBlock)
  const failed = await block(seedFacts.failedTransactionBlock)
  const transfers = await block(seedFacts.transfersBlock)
  const crowded = await block(seedFacts.pastTenThousandBlock)
  const early = hex(seedFacts.creationBlock - 1)
  const [createdAt] = (await block(seedFacts.creationBlock)).transactions
  const { contractAddress: created } = await call(url, 'eth_getTransactionReceipt', createdAt)
  const [valueAt] = (await block(seedFacts.transferBlock)).transactions
  const [longAt] = (await block(seedFacts.longDataBlock)).transactions
  const wealth = BigInt(await call(url, 'eth_getBalance', sender, 'latest'))
  // As a double it is either larger than the balance and refused, or one wei too large and accepted.
  const nearWealth = BigInt(Number(wealth)) > wealth ? wealth : wealth + 1n
  const many = hex(seedFacts.manyTransactionsBlock)
  const [{ topics }] = (await call(url, 'eth_getLogs', { blockHash: five.hash })).slice(-1)

  return {
    chainId: ['eth_chainId', []],
    netVersion: ['net_version', []],
    head: ['eth_blockNumber', []],
    'head again': ['eth_blockNumber', []],
    accounts: ['eth_accounts', []],
    protocol: ['eth_protocolVersion', []],
    client: ['web3_clientVersion', []],
    gasPrice: ['eth_gasPrice', []],
    sha3: ['web3_sha3', ['0x68656c6c6f']],
    discover: ['rpc.discover', []],
    subscribe: ['eth_subscribe', ['newHeads']],
    nope: ['nope', []],
    'one parameter too many': ['eth_chainId', [1]],
    'no params': ['eth_chainId'],
    'named params': ['eth_chainId', {}],
    'missing param': ['eth_getBalance', []],
    'null param': ['eth_getBlockByNumber', ['latest', null]],
    'leading zeros': ['eth_getBlockByNumber', ['0x01', false]],
    'a number': ['eth_getBlockByNumber', [1, false]],
    'upper case': ['eth_getCode', [`0x${contract.slice(2).toUpperCase()}`, 'latest']],
    latest: ['eth_getBlockByNumber', ['latest', false]],
    earliest: ['eth_getBlockByNumber', ['earliest', false]],
    pending: ['eth_getBlockByNumber', ['pending', false]],
    safe: ['eth_getBlockByNumber', ['safe', false]],
    'block with hashes': ['eth_getBlockByNumber', [five.number, false]],
    'block with objects': ['eth_getBlockByNumber', [five.number, true]],
    'block with a long input': ['eth_getBlockByNumber', [hex(seedFacts.longDataBlock), true]],
    'block by hash': ['eth_getBlockByHash', [five.hash, false]],
    'no block': ['eth_getBlockByNumber', [far, false]],
    'no block by hash': ['eth_getBlockByHash', [unknownHash, false]],
    count: ['eth_getBlockTransactionCountByNumber', [five.number]],
    'no count': ['eth_getBlockTransactionCountByHash', [unknownHash]],
    uncles: ['eth_getUncleCountByBlockNumber', [five.number]],
    'no uncles': ['eth_getUncleCountByBlockHash', [unknownHash]],
    transaction: ['eth_getTransactionByHash', [five.transactions[0]]],
    creation: ['eth_getTransactionByHash', [creation.transactions[0]]],
    'no transaction': ['eth_getTransactionByHash', [unknownHash]],
    'by index': ['eth_getTransactionByBlockNumberAndIndex', [five.number, '0x0']],
    'no index': ['eth_getTransactionByBlockNumberAndIndex', [five.number, '0x99']],
    receipt: ['eth_getTransactionReceipt', [five.transactions[0]]],
    'failed receipt': ['eth_getTransactionReceipt', [failed.transactions[0]]],
    'second receipt': ['eth_getTransactionReceipt', [transfers.transactions[1]]],
    'no receipt': ['eth_getTransactionReceipt', [unknownHash]],
    logs: ['eth_getLogs', [fiveAt]],
    'logs by hash': ['eth_getLogs', [{ blockHash: five.hash }]],
    'logs by hash and range': ['eth_getLogs', [{ blockHash: five.hash, fromBlock: '0x1' }]],
    'logs by unknown hash': ['eth_getLogs', [{ blockHash: unknownHash }]],
    'logs of nothing': ['eth_getLogs', [at(1)]],
    'logs of the latest': ['eth_getLogs', [{}]],
    'logs to latest': ['eth_getLogs', [{ toBlock: 'latest' }]],
    'logs from here': ['eth_getLogs', [{ fromBlock: five.number, address: emptyAccount }]],
    'logs from before': ['eth_getLogs', [{ fromBlock: hex(seedFacts.head - 1) }]],
    'logs up to the last': [
      'eth_getLogs',
      [{ fromBlock: hex(seedFacts.fiveLogsBlock - 2), toBlock: five.number }],
    ],
    'logs by two topics': ['eth_getLogs', [{ ...fiveAt, topics: [topics[0], unknownHash] }]],
    'logs by a list at the second position': [
      'eth_getLogs',
      [{ ...fiveAt, topics: [topics[0], [unknownHash]] }],
    ],
    'logs by the third topic': ['eth_getLogs', [{ ...fiveAt, topics: [null, null, unknownHash] }]],
    'logs of a wide range': [
      'eth_getLogs',
      [{ fromBlock: hex(seedFacts.fiveLogsBlock - 61), toBlock: five.number, topics: [topics[0]] }],
    ],
    // A creation that returns what GAS pushes.
    'gas of a call': ['eth_call', [{ data: '0x5a60005260206000f3', gas: '0x186a0' }, 'latest']],
    'transaction of another network': [
      'eth_sendRawTransaction',
      [signed({ nonce: '0x0', gasPrice: '0x1', chainId: '0x1e' }).raw],
    ],
    'logs by a topic elsewhere': ['eth_getLogs', [{ ...fiveAt, topics: [topics[1]] }]],
    'logs by one of two topics': ['eth_getLogs', [{ ...fiveAt, topics: [[unknownHash, topics[0]]] }]],
    'logs by null and topic': ['eth_getLogs', [{ ...fiveAt, topics: [null, topics[1]] }]],
    'logs by first topic': ['eth_getLogs', [{ ...fiveAt, topics: [topics[0]] }]],
    'logs by an address': ['eth_getLogs', [{ ...fiveAt, address: emptyAccount }]],
    'logs by two addresses': ['eth_getLogs', [{ ...fiveAt, address: [emptyAccount, contract] }]],
    'logs by null': ['eth_getLogs', [{ ...fiveAt, address: null }]],
    'logs by an empty list': ['eth_getLogs', [{ ...fiveAt, address: [] }]],
    'pending logs': ['eth_getLogs', [{ fromBlock: 'pending' }]],
    'reversed range': ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x4' }]],
    'logs above the head': ['eth_getLogs', [{ fromBlock: far }]],
    'logs past the head': ['eth_getLogs', [{ fromBlock: five.number, toBlock: far, address: emptyAccount }]],
    'logs of two transactions': ['eth_getLogs', [at(seedFacts.twoTransactionsWithLogsBlock)]],
    'too many logs': ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
    'exactly as many logs': [
      'eth_getLogs',
      [{ fromBlock: '0x0', toBlock: hex(seedFacts.pastTenThousandBlock - 1) }],
    ],
    'many logs of a short range': [
      'eth_getLogs',
      [{ fromBlock: hex(seedFacts.firstTransactionBlock), toBlock: 'latest' }],
    ],
    balance: ['eth_getBalance', [sender]],
    'balance by hash': ['eth_getBalance', [sender, five.hash]],
    'balance by a block object': ['eth_getBalance', [sender, { blockHash: five.hash }]],
    'no state': ['eth_getBalance', [sender, far]],
    nonce: ['eth_getTransactionCount', [sender, 'latest']],
    'no code': ['eth_getCode', [emptyAccount, 'latest']],
    code: ['eth_getCode', [contract, 'latest']],
    'no block given': ['eth_getCode', [contract]],
    storage: ['eth_getStorageAt', [contract, '0x00', 'latest']],
    'storage at the highest bit': ['eth_getStorageAt', [contract, `0x80${'0'.repeat(62)}`, 'latest']],
    'state at a number past 2^53': ['eth_getBalance', [sender, '0x20000000000001']],
    revert: ['eth_call', [{ to: contract, data: reason }, 'latest']],
    'revert at a block object': ['eth_call', [{ to: contract, data: reason }, { blockHash: five.hash }]],
    'invalid code at a block object': ['eth_call', [{ data: '0xfe' }, { blockHash: five.hash }]],
    'no code at a block hash': ['eth_getCode', [emptyAccount, five.hash]],
    'call without receiver': ['eth_call', [{ data: '0x00' }, 'latest']],
    'call with input': ['eth_call', [{ to: contract, input: seedContractCall('number') }, 'latest']],
    'call with null': [
      'eth_call',
      [{ to: contract, data: seedContractCall('number'), from: null }, 'latest'],
    ],
    'call without funds': ['eth_call', [{ from: emptyAccount, to: sender, value: '0x1' }, 'latest']],
    estimate: ['eth_estimateGas', [{ to: contract, data: seedContractCall('setNumber', 9) }]],
    'estimate without funds': ['eth_estimateGas', [{ from: emptyAccount, to: sender, value: '0x1' }]],
    'estimate of a revert': ['eth_estimateGas', [{ to: contract, data: reason }]],
    'estimate without gas': [
      'eth_estimateGas',
      [{ to: contract, data: seedContractCall('setNumber', 9), gas: '0x5300' }],
    ],
    'estimate with too little gas': [
      'eth_estimateGas',
      [{ to: contract, data: seedContractCall('setNumber', 9), gas: '0x100' }],
    ],
    'estimate of a creation': ['eth_estimateGas', [{ data: '0x00' }]],
    'estimate of nothing': ['eth_estimateGas', [{}]],
    'estimate at no block': ['eth_estimateGas', [{ to: sender, data: '0x' }, far]],
    'by index in latest': ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x0']],
    sign: ['eth_sign', [sender, '0x00']],
    'short hash': ['eth_getBlockByHash', ['0xabcdef0123', false]],
    'logs by five topics': ['eth_getLogs', [{ ...fiveAt, topics: [null, null, null, null, null] }]],
    'logs by four topics': ['eth_getLogs', [{ ...fiveAt, topics: [null, null, null, null] }]],
    'logs from safe': ['eth_getLogs', [{ fromBlock: 'safe' }]],
    'logs of a crowded block': ['eth_getLogs', [{ blockHash: crowded.hash }]],
    'logs in upper case': ['eth_getLogs', [{ blockHash: `0x${five.hash.slice(2).toUpperCase()}` }]],
    'balance by number': ['eth_getBalance', [sender, hex(seedFacts.head)]],
    'pending balance': ['eth_getBalance', [sender, 'pending']],
    'call with a nonce': [
      'eth_call',
      [{ to: contract, data: seedContractCall('number'), nonce: '0x0' }, 'latest'],
    ],
    'call with a network': ['eth_call', [{ to: contract, chainId: '0x1f' }, 'latest']],
    'call with gasLimit': ['eth_call', [{ to: contract, gasLimit: '0x1' }, 'latest']],
    'call with Data': ['eth_call', [{ to: contract, Data: seedContractCall('number') }, 'latest']],
    'logs with a network': ['eth_getLogs', [{ ...fiveAt, chainId: '0x1f' }]],
    'logs with a limit': ['eth_getLogs', [{ ...fiveAt, limit: 1 }]],
    'logs with Address': ['eth_getLogs', [{ ...fiveAt, Address: contract }]],
    'call from the sender': [
      'eth_call',
      [{ from: sender, to: contract, data: seedContractCall('number') }, 'latest'],
    ],
    'call of a built-in contract': [
      'eth_call',
      [{ to: `0x${'4'.padStart(40, '0')}`, data: '0x01' }, 'latest'],
    ],
    'call of nothing': ['eth_call', [{ to: emptyAccount }, 'latest']],
    'estimate from the sender': [
      'eth_estimateGas',
      [{ from: sender, to: contract, data: seedContractCall('setNumber', 9) }],
    ],
    'estimate at a low price': ['eth_estimateGas', [{ to: emptyAccount, gasPrice: '0x1', data: '0x' }]],
    'estimate of invalid code': ['eth_estimateGas', [{ data: '0xfe' }]],
    'estimate of a reverting creation': ['eth_estimateGas', [{ data: '0x60006000fd' }]],
    'logs by an address twice': ['eth_getLogs', [{ ...fiveAt, address: [contract, contract] }]],
    'early balance': ['eth_getBalance', [seedFacts.valuesTo, early]],
    'early count': ['eth_getTransactionCount', [blockProducer.address, early]],
    'early code': ['eth_getCode', [created, early]],
    'early storage': ['eth_getStorageAt', [created, '0x0', early]],
    'early call': [
      'eth_call',
      [{ to: contract, data: seedContractCall('number') }, hex(seedFacts.numberSetBlock - 1)],
    ],
    'early estimate': ['eth_estimateGas', [{ to: created, data: seedContractCall('number') }, early]],
    'large balance': ['eth_getBalance', [seedFacts.valuesTo, 'latest']],
    'large value': ['eth_getTransactionByHash', [valueAt]],
    'large value by index': [
      'eth_getTransactionByBlockNumberAndIndex',
      [hex(seedFacts.transferBlock), '0x0'],
    ],
    'call with a large value': [
      'eth_call',
      [{ from: sender, to: emptyAccount, value: `0x${nearWealth.toString(16)}` }, 'latest'],
    ],
    'long logs': ['eth_getLogs', [at(seedFacts.longDataBlock)]],
    'receipt of a long log': ['eth_getTransactionReceipt', [longAt]],
    'full block': ['eth_getBlockByNumber', [many, false]],
    'fifty-first transaction': ['eth_getTransactionByBlockNumberAndIndex', [many, '0x32']],
    'logs of a full block': ['eth_getLogs', [at(seedFacts.manyTransactionsBlock)]],
    'no transaction bytes': ['eth_sendRawTransaction', ['0x00']],
    'typed transaction': ['eth_sendRawTransaction', ['0x02c0']],
    'refused transaction': ['eth_sendRawTransaction', [signed({ nonce: '0x0', gasPrice: '0x0' }).raw]],
  }
}

const chainId = rpc('eth_chainId', [])
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A well-formed, unexpired token with an invalid signature. */
const unsignedToken = `${base64url({ alg: 'none', kid: 'faults' })}.${base64url({ exp: 4_102_444_800 })}.`
const batch = (...items: readonly string[]) => `[${items.join()}]`

/** Requests other than plain calls. */
const bodiesFor = (key: string): Readonly<Record<string, Asked>> => ({
  'string id': { body: rpc('eth_chainId', [], '"7"') },
  'string id beyond Latin-1': { body: rpc('eth_chainId', [], '"№ 7"') },
  'large id': { body: rpc('eth_chainId', [], '123456789012345678901') },
  'null id': { body: rpc('eth_chainId', [], 'null') },
  'no id': { body: '{"jsonrpc":"2.0","method":"eth_chainId"}' },
  'no version': { body: '{"id":7,"method":"eth_chainId"}' },
  'a member twice': { body: '{"jsonrpc":"2.0","id":5,"id":6,"method":"eth_chainId"}' },
  'unknown member': { body: '{"jsonrpc":"2.0","id":5,"method":"eth_chainId","more":1}' },
  'method a number': { body: '{"jsonrpc":"2.0","id":5,"method":1}' },
  'scalar params': { body: '{"jsonrpc":"2.0","id":5,"method":"eth_chainId","params":null}' },
  'scalar body': { body: '1' },
  deep: {
    body: `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":${'['.repeat(63)}${']'.repeat(63)}}`,
  },
  'no JSON': { body: '{' },
  'too deep': {
    body: `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":${'['.repeat(70)}${']'.repeat(70)}}`,
  },
  'too many values': { body: rpc('eth_chainId', Array(50_000).fill(0)) },
  'values at the limit': { body: rpc('eth_chainId', Array(49_991).fill(0)) },
  'too much data': { body: rpc('web3_sha3', [`0x${'00'.repeat(524_289)}`]) },
  'data at the limit': { body: rpc('web3_sha3', [`0x${'00'.repeat(524_288)}`]) },
  'too large a transaction': { body: rpc('eth_sendRawTransaction', [`0x${'00'.repeat(131_073)}`]) },
  'transaction at the limit': {
    body: rpc('eth_sendRawTransaction', [`0xfa01fffc8080808080ba01fff0${'00'.repeat(131_056)}1b0101`]),
  },
  batch: { body: batch(chainId, rpc('net_version', [], '8'), rpc('eth_blockNumber', [], '9')) },
  'batch with an empty list': { body: batch(chainId, rpc('eth_getLogs', [at(1)], '8')) },
  'batch of one': { body: batch(chainId) },
  'batch with one id': { body: batch(chainId, chainId) },
  'batch with an error': { body: batch(chainId, rpc('nope', [], '8')) },
  // Creations that revert with one byte, 0x11 and 0x22.
  'batch of reverts': {
    body: batch(
      rpc('eth_call', [{ data: '0x601160005360016000fd' }, 'latest']),
      rpc('eth_call', [{ data: '0x602260005360016000fd' }, 'latest'], '8'),
    ),
  },
  'full batch': { body: batch(...Array(limits.batchItems).fill(chainId)) },
  'batch too large': { body: batch(...Array(limits.batchItems + 1).fill(chainId)) },
  'empty batch': { body: '[]' },
  'batch with two documents': { body: batch(rpc('rpc.discover', []), rpc('rpc.discover', [], '8')) },
  OPTIONS: { verb: 'OPTIONS' },
  'OPTIONS without a key': { verb: 'OPTIONS', path: '/' },
  GET: { verb: 'GET' },
  'content type': { headers: { 'content-type': 'text/plain' }, body: chainId },
  'large body of another type': {
    headers: { 'content-type': 'text/plain' },
    body: chainId.padEnd(100_000),
  },
  'call in a large body': { body: chainId.padEnd(100_000) },
  charset: { headers: { 'content-type': 'application/json; charset=utf-8' }, body: chainId },
  'encoded body': { headers: { 'content-encoding': 'gzip' }, body: chainId },
  'body at the limit': { body: chainId.padEnd(5_242_880) },
  // Larger than one read of a socket. The first chunk contains only spaces.
  'body in pieces': { body: chainId.padStart(1_000_000) },
  'unknown path': { path: '/v9/abc', body: chainId },
  accept: { headers: { accept: 'text/html' }, body: chainId },
  'large body': { body: ' '.repeat(5_242_881) },
  'large headers': { headers: { 'x-long': 'x'.repeat(20_000) }, body: chainId },
  'no key': { path: '/', body: chainId },
  'malformed key': { path: '/abc', body: chainId },
  'unknown key': { path: `/${'a'.repeat(30)}-T`, body: chainId },
  'key in lower case': { path: `/${key.toLowerCase()}`, body: chainId },
  v2: { path: '/v2/KEY', body: chainId },
  'path in upper case': { path: '/V2/KEY', body: chainId },
  query: { path: '/KEY?a=b', body: chainId },
  slash: { path: '/KEY/', body: chainId },
  'method off the list': { list: 'methods', body: rpc('eth_blockNumber', []) },
  'batch off the list over /v2/': {
    list: 'methods',
    path: '/v2/KEY',
    body: batch(chainId, rpc('eth_blockNumber', [], '8')),
  },
  'batch of state off the list': {
    list: 'contracts',
    body: batch(chainId, rpc('eth_getCode', [contract, 'latest'], '8')),
  },
  'state off the list in upper case': {
    list: 'contracts',
    body: rpc('eth_getCode', [`0x${contract.slice(2).toUpperCase()}`, 'latest']),
  },
  'state off the list': { list: 'contracts', body: rpc('eth_getCode', [contract, 'latest']) },
  'call off the list': {
    list: 'contracts',
    body: rpc('eth_call', [{ to: contract, data: seedContractCall('number') }, 'latest']),
  },
  'logs without an address on the list': { list: 'contracts', body: rpc('eth_getLogs', [fiveAt]) },
  'origin on the list': { list: 'origins', headers: { origin: 'https://allowed.example' }, body: chainId },
  'origin that begins like one on the list': {
    list: 'origins',
    headers: { origin: 'https://allowed.example.org' },
    body: chainId,
  },
  'unsigned token': { list: 'token', headers: { authorization: `Bearer ${unsignedToken}` }, body: chainId },
  'client off the list': { list: 'clients', body: chainId },
})
