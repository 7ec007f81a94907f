import { readFile } from 'node:fs/promises'
import t from 'tap'
import {
  blockMembers,
  receiptMembers,
  transactionMembers,
} from '../../../../src/gateway/ethereum/contract-members.js'
import { missingMembers } from '../../../../src/gateway/nodes/missing-members.js'

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
