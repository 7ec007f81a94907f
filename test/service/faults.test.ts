import t from 'tap'
import { signTransaction } from '../../src/chain-functions/sign-transaction.js'
import { keysCommand } from '../../src/cli/keys.js'
import type { Fault } from '../../src/conformance/selftest/fault.js'
import { startFaultingProxy } from '../../src/conformance/selftest/faulting-proxy.js'
import { faults } from '../../src/conformance/selftest/faults/index.js'
import { seedContractCall, seedContractSelectors } from '../../src/gateway/chain/seed-contract.js'
import { developmentAccounts, seedFacts } from '../../src/gateway/chain/seed-facts.js'
import { call, startService } from '../support/service.js'

/** Each fault changes what it says and leaves the rest alone, whatever a scenario thinks of it. */
const service = await startService()
t.teardown(() => service.stop())
const url = service.networks.test.url
const key = new URL(url).pathname.slice(1)

/** Its answer is another each time that it is sent: it has a test of its own. */
const SENT = 'sent-transaction-has-another-hash'

interface Asked {
  readonly verb?: string
  /** Behind the origin, with KEY for the key. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const hex = (number: number) => `0x${number.toString(16)}`
const block = (number: number, full = false) => call(url, 'eth_getBlockByNumber', hex(number), full)

const five = await block(seedFacts.fiveLogsBlock)
const creation = await block(seedFacts.contractBlock)
const failed = await block(seedFacts.failedTransactionBlock)
const transfers = await block(seedFacts.transfersBlock)
const [{ topics }] = (await call(url, 'eth_getLogs', { blockHash: five.hash })).slice(-1)

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
const at = (number: number) => ({ fromBlock: hex(number), toBlock: hex(number) })
const fiveAt = at(seedFacts.fiveLogsBlock)

/** A transfer from an account that nothing else uses. */
function signed(members: { readonly gasPrice: string }): string {
  const { address: to, privateKey } = developmentAccounts[9]
  const transfer = { privateKey, to, chainId: '0x1f', nonce: '0x0', gas: '0x5208', value: '0x1', ...members }
  const { raw } = signTransaction([transfer]) as { readonly raw: string }
  return raw
}

/** Calls, by what they ask for. */
const calls: Readonly<Record<string, readonly [method: string, params?: unknown]>> = {
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
  'no state': ['eth_getBalance', [sender, far]],
  nonce: ['eth_getTransactionCount', [sender, 'latest']],
  'no code': ['eth_getCode', [emptyAccount, 'latest']],
  'no block given': ['eth_getCode', [contract]],
  storage: ['eth_getStorageAt', [contract, '0x00', 'latest']],
  revert: ['eth_call', [{ to: contract, data: reason }, 'latest']],
  'call without receiver': ['eth_call', [{ data: '0x00' }, 'latest']],
  'call with input': ['eth_call', [{ to: contract, input: seedContractCall('number') }, 'latest']],
  'call with null': ['eth_call', [{ to: contract, data: seedContractCall('number'), from: null }, 'latest']],
  'call without funds': ['eth_call', [{ from: emptyAccount, to: sender, value: '0x1' }, 'latest']],
  estimate: ['eth_estimateGas', [{ to: contract, data: seedContractCall('setNumber', 9) }]],
  'estimate without funds': ['eth_estimateGas', [{ from: emptyAccount, to: sender, value: '0x1' }]],
  'estimate of a revert': ['eth_estimateGas', [{ to: contract, data: reason }]],
  'estimate without gas': [
    'eth_estimateGas',
    [{ to: contract, data: seedContractCall('setNumber', 9), gas: '0x5300' }],
  ],
  'estimate of a creation': ['eth_estimateGas', [{ data: '0x00' }]],
  'estimate of nothing': ['eth_estimateGas', [{}]],
  'estimate at no block': ['eth_estimateGas', [{ to: sender, data: '0x' }, far]],
  'no transaction bytes': ['eth_sendRawTransaction', ['0x00']],
  'refused transaction': ['eth_sendRawTransaction', [signed({ gasPrice: '0x0' })]],
}

const chainId = rpc('eth_chainId', [])
const batch = (...items: readonly string[]) => `[${items.join()}]`

/** What is asked, by what it is about. */
const exchanges: Readonly<Record<string, Asked>> = {
  ...Object.fromEntries(
    Object.entries(calls).map(([name, [method, params]]) => [name, { body: rpc(method, params) }]),
  ),
  'string id': { body: rpc('eth_chainId', [], '"7"') },
  'large id': { body: rpc('eth_chainId', [], '123456789012345678901') },
  'null id': { body: rpc('eth_chainId', [], 'null') },
  'no id': { body: '{"jsonrpc":"2.0","method":"eth_chainId"}' },
  'no version': { body: '{"id":7,"method":"eth_chainId"}' },
  'no JSON': { body: '{' },
  'too deep': {
    body: `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":${'['.repeat(70)}${']'.repeat(70)}}`,
  },
  batch: { body: batch(chainId, rpc('net_version', [], '8'), rpc('eth_blockNumber', [], '9')) },
  'batch of one': { body: batch(chainId) },
  'batch with one id': { body: batch(chainId, chainId) },
  'batch with an error': { body: batch(chainId, rpc('nope', [], '8')) },
  'full batch': { body: batch(...Array(100).fill(chainId)) },
  'batch too large': { body: batch(...Array(101).fill(chainId)) },
  'empty batch': { body: '[]' },
  OPTIONS: { verb: 'OPTIONS' },
  'OPTIONS without a key': { verb: 'OPTIONS', path: '/' },
  GET: { verb: 'GET' },
  'content type': { headers: { 'content-type': 'text/plain' }, body: chainId },
  accept: { headers: { accept: 'text/html' }, body: chainId },
  'large body': { body: ' '.repeat(5_242_881) },
  'large headers': { headers: { 'x-long': 'x'.repeat(20_000) }, body: chainId },
  'no key': { path: '/', body: chainId },
  'malformed key': { path: '/abc', body: chainId },
  'unknown key': { path: `/${'a'.repeat(30)}-T`, body: chainId },
  'key in lower case': { path: `/${key.toLowerCase()}`, body: chainId },
  v2: { path: '/v2/KEY', body: chainId },
  query: { path: '/KEY?a=b', body: chainId },
}

/** Status, headers and body, but for what differs from one second to the next. */
async function answerOf(origin: string, to: string, { verb, path = '/KEY', headers, body }: Asked) {
  const response = await fetch(`${origin}${path.replace('KEY', to)}`, {
    method: verb ?? 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const shown = [...response.headers].filter(([name]) => name !== 'date').join('\n')
  return `${response.status}\n${shown.replace(/;t=\d+/, '')}\n${await response.text()}`
}

/** What each fault changes: the last of the exchanges; those before it prepare it. */
const provokedBy: Readonly<Record<string, string | readonly string[]>> = {
  'missing-block-is-an-error': 'no block',
  'missing-block-is-an-empty-object': 'no block by hash',
  'missing-transaction-is-an-error': 'no transaction',
  'missing-receipt-is-an-error': 'no receipt',
  'index-out-of-range-is-an-error': 'no index',
  'missing-count-is-zero': 'no count',
  'missing-count-is-an-error': 'no count',
  'missing-uncle-count-is-zero': 'no uncles',
  'block-member-missing': 'block by hash',
  'pending-block-has-a-hash': 'pending',
  'mined-block-with-null-bloom': 'earliest',
  'objects-where-hashes-were-asked-for': 'block with hashes',
  'hashes-where-objects-were-asked-for': 'block with objects',
  'stale-head': 'head',
  'head-goes-back': ['head', 'head'],
  'latest-is-the-block-before': 'latest',
  'earliest-is-block-one': 'earliest',
  'pending-is-latest': 'pending',
  'other-tags-mean-latest': 'safe',
  'block-is-its-own-parent': 'latest',
  'gas-used-of-the-first-transaction': 'block with hashes',
  'paid-fees-are-zero': 'block with objects',
  'number-zero-is-null': 'earliest',
  'block-by-hash-differs': 'block by hash',
  'transaction-count-off-by-one': 'count',
  'uncle-count-off-by-one': 'uncles',
  'quantity-with-leading-zero': 'head',
  'hexadecimal-in-upper-case': 'latest',
  'by-index-without-id': 'by index',
  'transaction-member-missing': 'transaction',
  'mined-transaction-without-position': 'transaction',
  'creation-goes-to-the-zero-address': 'creation',
  'listed-transaction-differs': 'block with objects',
  'type-is-a-number': 'by index',
  'malformed-transaction-goes-to-the-node': 'no transaction bytes',
  'refused-transaction-is-answered-with-its-hash': 'refused transaction',
  'receipt-has-status-and-root': 'receipt',
  'receipt-has-neither-status-nor-root': 'receipt',
  'failed-transaction-succeeded': 'failed receipt',
  'status-is-a-boolean': 'receipt',
  'receipt-member-missing': 'receipt',
  'effective-gas-price-is-another': 'receipt',
  'cumulative-gas-is-that-of-the-transaction': 'second receipt',
  'no-contract-is-the-zero-address': 'receipt',
  'receipt-bloom-is-empty': 'receipt',
  'receipt-of-another-position': 'receipt',
  'block-hash-beside-range-accepted': 'logs by hash and range',
  'no-range-means-from-the-first-block': 'logs of the latest',
  'no-from-block-means-the-first-block': 'logs to latest',
  'no-to-block-means-from-block': 'logs from before',
  'second-topic-ignored': 'logs by two topics',
  'topic-positions-ignored': 'logs by a topic elsewhere',
  'topic-alternatives-cut-to-one': 'logs by one of two topics',
  'null-topic-matches-no-topic': 'logs by null and topic',
  'positions-beyond-the-filter-must-be-empty': 'logs by first topic',
  'address-ignored': 'logs by an address',
  'address-list-cut-to-one': 'logs by two addresses',
  'null-member-refused': 'logs by null',
  'empty-list-matches-nothing': 'logs by an empty list',
  'pending-bound-refused': 'pending logs',
  'range-one-block-too-long': 'logs',
  'range-without-its-last-block': 'logs up to the last',
  'no-logs-is-null': 'logs of nothing',
  'unknown-block-hash-is-an-error': 'logs by unknown hash',
  'reversed-range-is-empty': 'reversed range',
  'range-above-the-head-is-an-error': 'logs above the head',
  'range-past-the-head-is-an-error': 'logs past the head',
  'too-many-logs-are-cut': 'too many logs',
  'over-limit-has-another-code': 'too many logs',
  'suggested-range-one-block-too-long': 'too many logs',
  'suggested-range-one-block-too-short': 'too many logs',
  'exactly-the-limit-refused': 'exactly as many logs',
  'short-range-limited': 'many logs of a short range',
  'logs-newest-first': 'logs',
  'log-index-counts-from-zero-in-each-transaction': 'logs of two transactions',
  'last-log-dropped': 'logs',
  'logs-of-a-page-only': 'many logs of a short range',
  'block-hash-filter-misses-a-log': 'logs by hash',
  'log-member-missing': 'logs',
  'unknown-block-has-empty-state': 'no state',
  'no-code-is-zero': 'no code',
  'balance-without-a-block-is-that-at-the-first': 'balance',
  'call-without-a-block-is-taken': 'no block given',
  'block-by-hash-refused': 'balance by hash',
  'storage-value-without-zeros': 'storage',
  'padded-storage-position-refused': 'storage',
  'transaction-count-one-too-low': 'nonce',
  'balance-in-decimal': 'balance',
  'revert-data-lost': 'revert',
  'revert-has-another-code': 'revert',
  'revert-reason-lost': 'revert',
  'call-without-receiver-runs': 'call without receiver',
  'input-ignored': 'call with input',
  'null-members-of-a-call-refused': 'call with null',
  'refused-call-has-another-code': 'call without funds',
  'sender-of-a-call-ignored': 'call without funds',
  'small-quantities-are-numbers': 'nonce',
  'estimate-needs-balance': 'estimate without funds',
  'estimate-fails-where-the-call-reverts': 'estimate of a revert',
  'estimate-fails-where-gas-runs-out': 'estimate without gas',
  'estimate-with-a-margin': 'estimate',
  'estimate-without-the-base-cost': 'estimate',
  'estimate-too-low-to-be-used': 'estimate',
  'creation-not-estimated': 'estimate of a creation',
  'nothing-estimated': 'estimate of nothing',
  'unknown-block-estimated': 'estimate at no block',
  'chain-id-of-the-other-network': 'chainId',
  'chain-id-is-a-number': 'chainId',
  'net-version-in-hexadecimal': 'netVersion',
  'net-version-of-the-other-network': 'netVersion',
  'both-networks-are-one': 'netVersion',
  'accounts-of-the-node': 'accounts',
  'protocol-version-in-decimal': 'protocol',
  'client-version-is-an-object': 'client',
  'gas-price-in-decimal': 'gasPrice',
  'sha3-256-for-keccak-256': 'sha3',
  'text-is-hashed': 'sha3',
  'id-becomes-a-string': 'chainId',
  'id-digits-lost': 'large id',
  'id-of-another-request': 'chainId',
  'string-id-refused': 'string id',
  'string-id-becomes-a-number': 'string id',
  'null-id-answered': 'null id',
  'missing-id-answered': 'no id',
  'version-not-checked': 'no version',
  'named-params-accepted': 'named params',
  'absent-params-refused': 'no params',
  'result-and-error-both-there': 'chainId',
  'null-result-left-out': 'no block',
  'answer-without-version': 'chainId',
  'error-code-is-a-string': 'nope',
  'error-tells-a-stack': 'nope',
  'unparsable-body-is-200': 'no JSON',
  'unparsable-body-is-an-invalid-request': 'no JSON',
  'nesting-overflows': 'too deep',
  'unknown-method-has-another-code': 'nope',
  'unknown-method-is-null': 'nope',
  'invalid-params-have-another-code': 'a number',
  'missing-param-accepted': 'missing param',
  'extra-params-ignored': 'one parameter too many',
  'null-param-means-default': 'null param',
  'leading-zeros-accepted': 'leading zeros',
  'upper-case-refused': 'upper case',
  'number-for-a-quantity-accepted': 'a number',
  'batch-reversed': 'batch',
  'batch-answers-with-one-id-are-one': 'batch with one id',
  'batch-of-one-is-one-object': 'batch of one',
  'too-large-batch-answered': 'batch too large',
  'full-batch-refused': 'full batch',
  'empty-batch-is-an-empty-list': 'empty batch',
  'one-bad-item-refuses-the-batch': 'batch with an error',
  'batch-is-a-block-behind': 'batch',
  'cors-header-missing': 'chainId',
  'limit-headers-not-exposed': 'chainId',
  'cors-on-good-answers-only': 'no JSON',
  'preflight-is-404': 'OPTIONS',
  'preflight-needs-a-key': 'OPTIONS without a key',
  'call-error-is-400': 'nope',
  'errors-are-pages': 'GET',
  'errors-are-plain-text': 'no JSON',
  'get-answers-a-page': 'GET',
  'allow-header-missing': 'GET',
  'any-content-type-accepted': 'content type',
  'large-body-is-an-internal-error': 'large body',
  'many-headers-are-400': 'large headers',
  'accept-is-checked': 'accept',
  'subscription-accepted': 'subscribe',
  'discovered-document-is-another': 'discover',
  'malformed-key-told-apart': 'malformed key',
  'unknown-key-told-apart': 'unknown key',
  'revoked-key-accepted': ['chainId', 'unknown key'],
  'case-of-a-key-ignored': ['chainId', 'key in lower case'],
  'v2-form-is-404': 'v2',
  'missing-key-is-404': 'no key',
  'query-breaks-the-key': 'query',
  'one-request-too-many-admitted': ['chainId', 'chainId', 'chainId', 'chainId'],
  'last-request-refused': ['chainId', 'chainId', 'chainId'],
  'limit-per-key': ['chainId', 'chainId', 'chainId', 'second key'],
  'rate-limit-frozen': ['chainId', 'chainId'],
  'rate-limit-absent': 'chainId',
  'rate-limit-policy-absent': 'chainId',
  'rate-limit-on-good-answers-only': 'no JSON',
  'refusal-without-data': ['chainId', 'chainId', 'chainId', 'chainId'],
  'refusal-is-403': ['chainId', 'chainId', 'chainId', 'chainId'],
  'refusal-has-another-code': ['chainId', 'chainId', 'chainId', 'chainId'],
  'retry-after-of-hours': ['chainId', 'chainId', 'chainId', 'chainId'],
  'batch-charged-as-one': 'batch',
  'errors-not-charged': 'nope',
  'unreadable-body-not-charged': 'no JSON',
  'wrong-verb-charged': ['GET', 'chainId'],
  'batch-over-the-limit-refused-whole': ['chainId', 'batch'],
}

/** What a fault leaves alone, where it is not `protocol`; undefined where it changes everything. */
const leavesAlone: Readonly<Record<string, string | undefined>> = {
  'protocol-version-in-decimal': 'chainId',
  'id-becomes-a-string': 'string id',
  'id-of-another-request': 'string id',
  'result-and-error-both-there': 'OPTIONS',
  'answer-without-version': 'OPTIONS',
  'cors-header-missing': undefined,
  'limit-headers-not-exposed': undefined,
}

t.test('each fault has a name of its own, and an exchange that shows it', async (t) => {
  const names = faults.map(({ name }) => name)
  t.same([...new Set(names)], names)
  t.same(Object.keys(provokedBy).sort(), names.filter((name) => name !== SENT).sort())
})

const isOfQuota = ({ rule }: Fault) => rule.startsWith('quota.')

for (const fault of faults.filter((fault) => !isOfQuota(fault) && fault.name !== SENT)) {
  t.test(`${fault.name}: ${fault.description}`, async (t) => {
    const proxy = await startFaultingProxy({ target: service.origin, fault })
    t.teardown(() => proxy.close())
    const asked = [provokedBy[fault.name] ?? []].flat()
    const other = fault.name in leavesAlone ? leavesAlone[fault.name] : 'protocol'
    for (const [index, name] of asked.entries()) {
      const [direct, got] = await bothWays(proxy.origin, name)
      if (index === asked.length - 1) t.not(got, direct, `${name} is changed`)
      else t.equal(got, direct, `${name} is not`)
    }
    t.ok(proxy.changes() > 0, 'by the fault')
    if (other !== undefined) {
      const [direct, got] = await bothWays(proxy.origin, other)
      t.equal(got, direct, `${other} is left alone`)
    }
    t.same(proxy.troubles(), [])
  })
}

/** The answer of the service, and that through the proxy; what is left of the limit is not compared. */
async function bothWays(origin: string, name: string) {
  const asked = exchanges[name] ?? {}
  const withoutLeft = (text: string) => text.replace(/;r=\d+/, '')
  return [
    withoutLeft(await answerOf(service.origin, key, asked)),
    withoutLeft(await answerOf(origin, key, asked)),
  ]
}

t.test(`${SENT}: the transaction is sent, and its hash is not`, async (t) => {
  const fault = faults.find(({ name }) => name === SENT)
  const proxy = await startFaultingProxy({ target: service.origin, fault })
  t.teardown(() => proxy.close())
  const raw = signed({ gasPrice: await call(url, 'eth_gasPrice') })
  const hash = await call(`${proxy.origin}/${key}`, 'eth_sendRawTransaction', raw)
  t.match(hash, /^0x[0-9a-f]{64}$/)
  t.equal(await call(url, 'eth_getTransactionByHash', hash), null)
  t.equal(await call(url, 'eth_getTransactionCount', developmentAccounts[9].address, 'latest'), '0x1')
})

t.test('faults of the limit', async (t) => {
  const limited = await startService({ env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '3' } })
  t.teardown(() => limited.stop())

  /** Makes a user with two keys. */
  let users = 0
  const newUser = async () => {
    const email = `user${users++}@example.com`
    const out: string[] = []
    const io = { out: (line: string) => out.push(line), err: () => undefined, env: {} }
    for (const name of ['first', 'second']) {
      const made = ['--user', email, '--network', 'test', '--name', name, '--data', limited.data]
      await keysCommand(['create', ...made], io)
    }
    return out.map((line) => new URL(line).pathname.slice(1))
  }
  const lastAnswer = async (origin: string, names: readonly string[]) => {
    const [first = '', second = ''] = await newUser()
    let last = ''
    for (const name of names) {
      const [as, asked] = name === 'second key' ? [second, 'chainId'] : [first, name]
      last = await answerOf(origin, as, exchanges[asked] ?? {})
    }
    return last
  }

  for (const fault of faults.filter(isOfQuota)) {
    await t.test(`${fault.name}: ${fault.description}`, async (t) => {
      const proxy = await startFaultingProxy({ target: limited.origin, fault })
      t.teardown(() => proxy.close())
      const names = [provokedBy[fault.name] ?? []].flat()
      const direct = await lastAnswer(limited.origin, names)
      t.not(await lastAnswer(proxy.origin, names), direct, 'the last answer is changed')
      const options = await answerOf(limited.origin, 'x', { verb: 'OPTIONS' })
      t.equal(await answerOf(proxy.origin, 'x', { verb: 'OPTIONS' }), options, 'OPTIONS is left alone')
      t.same(proxy.troubles(), [])
    })
  }
})
