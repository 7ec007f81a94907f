import t from 'tap'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import { normaliseResult } from '../../../../../../src/service/gateway/nodes/index.js'

const hash = `0x${'ab'.repeat(32)}`
const HASH = `0x${'AB'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`
const ADDRESS = `0x${'CD'.repeat(20)}`

t.test('scalars', async (t) => {
  const scalars: readonly [method: string, given: JsonValue, wanted: JsonValue | undefined][] = [
    ['eth_blockNumber', '0x10', '0x10'],
    ['eth_blockNumber', '0x0010', '0x10'],
    ['eth_blockNumber', '0x00', '0x0'],
    ['eth_blockNumber', '0x1fffffffffffff', '0x1fffffffffffff'],
    ['eth_blockNumber', '0x20000000000000', undefined],
    ['eth_gasPrice', '0x20000000000000', '0x20000000000000'],
    ['eth_getBalance', '0x', '0x0'],
    ['eth_getBalance', '0xABC', '0xabc'],
    ['eth_getBalance', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(64)}`],
    ['eth_getBlockTransactionCountByHash', 3, '0x3'],
    ['eth_protocolVersion', 1, '0x1'],
    ['eth_protocolVersion', '0x3e', '0x3e'],
    ['eth_protocolVersion', '62', '0x3e'],
    ['eth_getBalance', '9'.repeat(78), `0x${(10n ** 78n - 1n).toString(16)}`],
    ['eth_getBalance', '9'.repeat(79), undefined],
    ['eth_gasPrice', -1, undefined],
    ['eth_gasPrice', 1.5, undefined],
    ['eth_gasPrice', 'much', undefined],
    ['eth_gasPrice', '', undefined],
    ['eth_estimateGas', true, undefined],
    ['eth_getUncleCountByBlockNumber', ['0x1'], undefined],
    ['eth_call', '0xABCD', '0xabcd'],
    ['eth_call', '0x', '0x'],
    ['eth_call', '0xabc', undefined],
    ['eth_call', 'abcd', undefined],
    ['eth_getCode', '0x60', '0x60'],
    ['eth_getStorageAt', '0x2A', `0x${'2a'.padStart(64, '0')}`],
    ['eth_getStorageAt', '0x', `0x${'0'.repeat(64)}`],
    ['eth_getStorageAt', HASH, hash],
    ['eth_getStorageAt', `${hash}00`, undefined],
    ['eth_sendRawTransaction', HASH, hash],
    ['web3_clientVersion', 'RskJ/6.2.0', 'RskJ/6.2.0'],
    ['web3_clientVersion', '', undefined],
    ['web3_clientVersion', 6, undefined],
    ['eth_getLogs', {}, undefined],
    ['eth_getBlockByHash', 'block', undefined],
    ['eth_getTransactionReceipt', [], undefined],
    // An object of another kind has none of the members that a node must send.
    ['eth_getBlockByNumber', { not: 'a block' }, undefined],
    ['eth_getTransactionByHash', {}, undefined],
    ['eth_getTransactionReceipt', { error: 'none' }, undefined],
    ['eth_other', { as: 'it is' }, { as: 'it is' }],
  ]
  for (const [method, given, wanted] of scalars) {
    t.strictSame(normaliseResult(method, [], given), wanted, `${method} ${JSON.stringify(given)}`)
  }
})

const transaction = {
  hash: HASH,
  blockHash: HASH,
  blockNumber: '0x05',
  transactionIndex: '0x0',
  from: ADDRESS,
  nonce: '0x00',
}

t.test('a transaction', async (t) => {
  const foreign = {
    accessList: [],
    yParity: '0x1',
    maxFeePerGas: '0x1',
  }
  const made = normaliseResult('eth_getTransactionByHash', [hash], {
    ...transaction,
    ...foreign,
    blockTimestamp: '0x01',
    input: '0xAA',
    chainId: '0x1F',
    other: 'left out',
  })
  t.strictSame(made, {
    hash,
    blockHash: hash,
    blockNumber: '0x5',
    transactionIndex: '0x0',
    from: address,
    nonce: '0x0',
    blockTimestamp: '0x1',
    input: '0xaa',
    chainId: '0x1f',
    to: null,
  })
  const pending = { hash: HASH, blockHash: null, blockNumber: '0x5', to: ADDRESS }
  t.strictSame(normaliseResult('eth_getTransactionByHash', [hash], pending), {
    hash,
    blockHash: null,
    blockNumber: null,
    to: address,
    transactionIndex: null,
  })
  const byIndex = normaliseResult('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'], transaction)
  t.match(byIndex, { blockHash: null, blockNumber: null, transactionIndex: null })
})

t.test('a block', async (t) => {
  const mined = {
    number: '0x0a',
    hash: HASH,
    logsBloom: '0xFF',
    baseFeePerGas: '0x0',
    nonce: '0x0000000000000000',
    mixHash: hash,
    withdrawals: [],
    totalDifficulty: '0x00ff',
    transactions: [HASH],
    uncles: [HASH],
    sealFields: ['0xAB'],
  }
  const wanted = {
    number: '0xa',
    hash,
    logsBloom: '0xff',
    nonce: '0x0000000000000000',
    mixHash: hash,
    totalDifficulty: '0xff',
    transactions: [hash],
    uncles: [hash],
  }
  t.strictSame(normaliseResult('eth_getBlockByNumber', ['0xa', false], mined), wanted)
  t.strictSame(normaliseResult('eth_getBlockByHash', [hash, false], mined), wanted)
  const { mixHash, nonce, ...older } = mined
  t.match(normaliseResult('eth_getBlockByHash', [hash, false], older), {
    mixHash: `0x${'0'.repeat(64)}`,
    nonce: `0x${'0'.repeat(16)}`,
  })
  const pending = normaliseResult('eth_getBlockByNumber', ['pending', true], {
    ...mined,
    transactions: [transaction],
  })
  t.match(pending, {
    number: null,
    hash: null,
    logsBloom: null,
    transactions: [{ hash, blockHash: null, blockNumber: null, transactionIndex: null }],
  })
})

t.test('receipts and logs', async (t) => {
  const log = {
    address: ADDRESS,
    data: '0xAB',
    topics: [HASH],
    logIndex: '0x00',
    blockTimestamp: 1,
    transactionLogIndex: '0x0',
  }
  const made = {
    ...{ address, data: '0xab', topics: [hash], logIndex: '0x0', blockTimestamp: '0x1' },
    removed: false,
  }
  t.strictSame(normaliseResult('eth_getLogs', [{}], [log]), [made])
  const receipt = { status: 1, gasUsed: '0x05208', logs: [log], blobGasPrice: '0x1', type: '0x0' }
  t.strictSame(normaliseResult('eth_getTransactionReceipt', [hash], receipt), {
    status: '0x1',
    gasUsed: '0x5208',
    logs: [made],
    type: '0x0',
    contractAddress: null,
    to: null,
  })
})
