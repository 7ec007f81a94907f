import t from 'tap'
import type { JsonValue } from '../../../../../src/runtime/rpc/index.js'
import {
  matchesRequest,
  neededHead,
  type OlderData,
  olderData,
  type ReportedHead,
  reportedHead,
} from '../../../../../src/service/gateway/nodes/head-of-call.js'
import { profileOf } from '../../../../../src/service/gateway/profiles/index.js'

const hash = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`

t.test('the head that a node needs to answer', async (t) => {
  const rows: readonly [needed: number, method: string, ...params: JsonValue[]][] = [
    [100, 'eth_blockNumber'],
    [100, 'eth_gasPrice'],
    [100, 'eth_getBalance', address],
    [100, 'eth_getBalance', address, 'latest'],
    [100, 'eth_getBalance', address, 'pending'],
    [16, 'eth_getBalance', address, '0x10'],
    [100, 'eth_getBalance', address, '0xffff'],
    [0, 'eth_getBalance', address, 'earliest'],
    [0, 'eth_getBalance', address, hash],
    [0, 'eth_getBalance', address, { blockHash: hash }],
    [16, 'eth_getStorageAt', address, '0x0', '0x10'],
    [16, 'eth_getBlockByNumber', '0x10', false],
    [100, 'eth_call', { to: address }, 'latest'],
    [0, 'eth_getBlockByHash', hash, false],
    [0, 'eth_getTransactionReceipt', hash],
    [16, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x10' }],
    [100, 'eth_getLogs', { fromBlock: '0x1' }],
    [0, 'eth_getLogs', { blockHash: hash }],
    // Unknown parameters require the most.
    [100, 'constructor'],
    [16, 'debug_traceCall', { to: address }, '0x10', {}],
  ]
  for (const [needed, method, ...params] of rows) {
    t.equal(neededHead(profileOf(method).about, params, 100), needed, `${method} ${JSON.stringify(params)}`)
  }
})

t.test('the older data that a node needs to answer', async (t) => {
  const state = (selector: string, number: number) => ({ kind: 'state', selector, number }) as const
  const block = (selector: string, number: number | undefined) =>
    ({ kind: 'block', selector, number }) as const
  const rows: readonly [older: OlderData | undefined, method: string, ...params: JsonValue[]][] = [
    [state('0x10', 16), 'eth_getBalance', address, '0x10'],
    [state('0x10', 16), 'eth_getStorageAt', address, '0x0', '0x10'],
    [state('0x10', 16), 'eth_call', { to: address }, '0x10'],
    [state('earliest', 0), 'eth_getCode', address, 'earliest'],
    [undefined, 'eth_getBalance', address, 'latest'],
    [undefined, 'eth_getBalance', address, 'pending'],
    [undefined, 'eth_getBalance', address],
    [undefined, 'eth_getBalance', address, hash],
    [undefined, 'eth_getBalance', address, { blockHash: hash }],
    [undefined, 'eth_getBalance', address, '0xffffffffffffffff'],
    [block('0x10', 16), 'eth_getBlockByNumber', '0x10', false],
    [block('0x10', 16), 'eth_getUncleCountByBlockNumber', '0x10'],
    [block('earliest', 0), 'eth_getBlockByNumber', 'earliest', false],
    [undefined, 'eth_getBlockByNumber', 'latest', false],
    [block(hash, undefined), 'eth_getBlockByHash', hash, false],
    [block('0x10', undefined), 'eth_getTransactionByBlockNumberAndIndex', '0x10', '0x0'],
    [undefined, 'eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'],
    [undefined, 'eth_blockNumber'],
    [undefined, 'eth_getTransactionReceipt', hash],
    [undefined, 'constructor'],
    [undefined, 'eth_getLogs', { toBlock: '0x10' }],
    [block(hash, undefined), 'eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
    [state('0x10', 16), 'debug_traceCall', { to: address }, '0x10', {}],
  ]
  for (const [older, method, ...params] of rows)
    t.strictSame(olderData(profileOf(method), params), older, `${method} ${JSON.stringify(params)}`)
})

t.test('the facts about the chain that an answer contains', async (t) => {
  const rows: readonly [
    told: ReportedHead | undefined,
    method: string,
    params: JsonValue[],
    result: JsonValue,
  ][] = [
    [{ number: 16, hash: undefined, isLatest: true }, 'eth_blockNumber', [], '0x10'],
    [
      { number: 16, hash, isLatest: true },
      'eth_getBlockByNumber',
      ['latest', false],
      { number: '0x10', hash },
    ],
    [
      { number: 16, hash, isLatest: false },
      'eth_getBlockByNumber',
      ['0x10', false],
      { number: '0x10', hash },
    ],
    [
      { number: 16, hash: undefined, isLatest: false },
      'eth_getTransactionReceipt',
      [hash],
      { blockNumber: '0x10' },
    ],
    [undefined, 'eth_getTransactionByHash', [hash], { blockNumber: null, hash }],
    // The pending block's parent is the node's latest block.
    [
      { number: 16, hash: undefined, isLatest: false },
      'eth_getBlockByNumber',
      ['pending', false],
      { number: '0x11', hash: null },
    ],
    [undefined, 'eth_getBlockByNumber', ['pending', false], { number: null, hash: null }],
    [undefined, 'eth_getBlockByNumber', ['0x99', false], null],
    [undefined, 'eth_getBalance', [address, 'latest'], '0x10'],
    [undefined, 'eth_blockNumber', [], 'soon'],
    [undefined, 'eth_getBlockByHash', [hash, false], { number: '0x10', hash }],
    [
      { number: 16, hash, isLatest: true },
      'eth_getTransactionByBlockNumberAndIndex',
      ['latest', '0x0'],
      { blockNumber: '0x10', blockHash: hash },
    ],
  ]
  for (const [told, method, params, result] of rows) {
    t.strictSame(
      reportedHead(profileOf(method).about, params, result),
      told,
      `${method} ${JSON.stringify(params)}`,
    )
  }
})

t.test('an answer about another object is recognised', async (t) => {
  const other = `0x${'ef'.repeat(32)}`
  const rows: readonly [isAsked: boolean, method: string, params: JsonValue[], result: JsonValue][] = [
    [true, 'eth_getBlockByHash', [hash, false], { hash }],
    [true, 'eth_getBlockByHash', [hash, false], { hash: hash.toUpperCase().replace('0X', '0x') }],
    [true, 'eth_getBlockByHash', [hash, false], {}],
    [false, 'eth_getBlockByHash', [hash, false], { hash: other }],
    [true, 'eth_getBlockByNumber', ['0x10', false], { number: '0x010' }],
    [false, 'eth_getBlockByNumber', ['0x10', false], { number: '0x11' }],
    [true, 'eth_getBlockByNumber', ['latest', false], { number: '0x11' }],
    [false, 'eth_getTransactionByHash', [hash], { hash: other }],
    [false, 'eth_getTransactionReceipt', [hash], { transactionHash: other }],
    [false, 'eth_getTransactionByBlockHashAndIndex', [hash, '0x0'], { blockHash: other }],
    [false, 'eth_getTransactionByBlockNumberAndIndex', ['0x10', '0x0'], { blockNumber: '0x11' }],
    [true, 'eth_getBalance', [address, '0x10'], '0x11'],
    [true, 'eth_blockNumber', [], '0x11'],
  ]
  for (const [isAsked, method, params, result] of rows) {
    const told = `${method} ${JSON.stringify(params)} ${JSON.stringify(result)}`
    t.equal(matchesRequest(profileOf(method).about, params, result), isAsked, told)
  }
})
