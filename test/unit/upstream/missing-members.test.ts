import { readFile } from 'node:fs/promises'
import t from 'tap'
import { blockMembers, receiptMembers, transactionMembers } from '../../../src/gateway/contract-members.js'
import { missingMembers } from '../../../src/gateway/upstream/missing-members.js'
import { normaliseResult } from '../../../src/gateway/upstream/normalise-result.js'
import type { JsonValue } from '../../../src/rpc/index.js'

const contract = JSON.parse(await readFile(new URL('../../../openrpc.json', import.meta.url), 'utf8'))

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

t.test('what is nested too deeply is no result', async (t) => {
  const nested = (depth: number, open: string, close: string) =>
    JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`) as JsonValue
  for (const depth of [66, 5_000, 100_000]) {
    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
      ['[{"a":', '}]'],
    ] as const) {
      const block = { number: '0x1', extra: nested(depth, open, close) }
      const normalised = () => normaliseResult('eth_getBlockByHash', [], block)
      t.throws(normalised, RangeError, `${open} ${depth} times`)
    }
  }
  const block = { number: '0x1', extra: nested(20, '[{"a":', '}]') }
  t.same(normaliseResult('eth_getBlockByHash', [], block), block)
})
