import t from 'tap'
import { lifetimeOf, lifetimeOfResult } from '../../../../src/gateway/cache/answer-cache.js'
import { profileOf } from '../../../../src/gateway/profiles/method-profile.js'
import type { JsonValue } from '../../../../src/rpc/index.js'

const hash = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`
const head = 5_000n
const depth = 4_000

const rows: readonly (readonly [string, readonly JsonValue[], string])[] = [
  ['eth_blockNumber', [], 'head'],
  ['eth_gasPrice', [], 'head'],
  ['eth_protocolVersion', [], 'head'],
  ['web3_clientVersion', [], 'head'],
  ['eth_getBalance', [address, 'latest'], 'head'],
  ['eth_getBalance', [address], 'head'],
  ['eth_getBalance', [address, 'pending'], 'never'],
  ['eth_getBalance', [address, hash], 'kept'],
  ['eth_getBalance', [address, 'earliest'], 'kept'],
  ['eth_getStorageAt', [address, '0x0', '0x1'], 'kept'],
  ['eth_call', [{ to: address }, 'latest'], 'head'],
  ['eth_call', [{ to: address }, hash], 'kept'],
  ['eth_estimateGas', [{ to: address }, 'pending'], 'never'],
  ['eth_getTransactionCount', [address, hash], 'never'],
  ['eth_sendRawTransaction', ['0x00'], 'never'],
  ['eth_getLogs', [{ blockHash: hash }], 'never'],
  ['eth_getBlockByHash', [hash, true], 'kept'],
  ['eth_getBlockTransactionCountByHash', [hash], 'kept'],
  ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0'], 'kept'],
  ['eth_getTransactionByHash', [hash], 'kept'],
  ['eth_getTransactionReceipt', [hash], 'kept'],
  ['eth_getBlockByNumber', ['pending', false], 'never'],
  // At exactly 4,000 blocks an answer is not yet final.
  ['eth_getBlockByNumber', ['0x3e7', false], 'kept'],
  ['eth_getBlockByNumber', ['0x3e8', false], 'head'],
  ['eth_getBlockByNumber', ['0x1388', false], 'head'],
  ['eth_getBlockByNumber', ['0xffffff', false], 'head'],
  ['toString', [], 'never'],
]

t.test('the lifetime of an answer depends on its call', async (t) => {
  for (const [method, params, wanted] of rows)
    t.equal(lifetimeOf(profileOf(method), params, head, depth), wanted, `${method} ${JSON.stringify(params)}`)
  t.equal(
    lifetimeOf(profileOf('eth_getBlockByNumber'), ['0x0', false], undefined, depth),
    'head',
    'without a known head',
  )
})

t.test('null answers are not cached, and transactions are cached once their block is final', async (t) => {
  const of = (method: string, result: JsonValue) =>
    lifetimeOfResult(profileOf(method), 'kept', result, head, depth)
  t.equal(of('eth_getBlockByHash', null), 'never')
  t.equal(of('eth_getBlockByHash', {}), 'kept')
  for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt']) {
    t.equal(of(method, { blockNumber: null }), 'never')
    t.equal(of(method, { blockNumber: '0x3e7' }), 'kept')
    t.equal(of(method, { blockNumber: '0x3e8' }), 'head')
  }
})
