import { readFile } from 'node:fs/promises'
import t from 'tap'
import {
  blockMembers,
  receiptMembers,
  transactionMembers,
} from '../../../../src/gateway/ethereum/contract-members.js'
import { missingMembers } from '../../../../src/gateway/nodes/missing-members.js'
import { normaliseResult } from '../../../../src/gateway/nodes/normalise-result.js'
import type { JsonObject } from '../../../../src/rpc/index.js'

const contract = JSON.parse(await readFile(new URL('../../../../openrpc.json', import.meta.url), 'utf8'))

t.test('the members that are looked for are those that the contract requires', async (t) => {
  const { Block, Transaction, Receipt } = contract.components.schemas
  t.same(blockMembers, Block.required)
  t.same(transactionMembers, Transaction.required)
  const added = 'effectiveGasPrice'
  t.same(
    receiptMembers,
    Receipt.required.filter((member: string) => member !== added),
  )
})

t.test('what is missing is named, in whatever answer it is', async (t) => {
  const whole = Object.fromEntries(blockMembers.map((member) => [member, null]))
  t.equal(missingMembers('eth_getBlockByHash', whole), undefined, 'null is there')
  const { hashForMergedMining, paidFees, ...others } = whole
  t.same(missingMembers('eth_getBlockByNumber', others), ['hashForMergedMining', 'paidFees'])
  t.same(missingMembers('eth_getTransactionReceipt', {})?.length, receiptMembers.length)
  t.same(missingMembers('eth_getTransactionByHash', {})?.length, transactionMembers.length)
  t.equal(missingMembers('eth_getBlockByHash', null), undefined, 'no block lacks nothing')
  t.equal(missingMembers('eth_getLogs', []), undefined)
})

t.test('an object has at most 256 members, wherever it is', async (t) => {
  const members = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, '0xab']))
  const normalised = (block: JsonObject) => normaliseResult('eth_getBlockByHash', [], block)
  t.match(normalised(members(256)), { m255: '0xab' })
  t.throws(() => normalised(members(257)), RangeError)
  t.match(normalised({ transactions: [members(256)] }), { transactions: [{ m255: '0xab' }] })
  t.throws(() => normalised({ transactions: [members(257)] }), RangeError)
})
