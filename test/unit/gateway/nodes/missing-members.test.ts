import t from 'tap'
import { missingMembers } from '../../../../src/gateway/nodes/missing-members.js'
import { readAuthored } from '../../openrpc-json/authored-contract.js'

const { schemas } = readAuthored().components
const required = (component: string) => (schemas[component]?.['required'] ?? []) as string[]

t.test('the members that are looked for are those that the contract requires', async (t) => {
  const but = (component: string, ...names: string[]) =>
    required(component).filter((member) => !names.includes(member))
  const rows: readonly [method: string, members: readonly string[]][] = [
    ['eth_getBlockByHash', required('Block')],
    ['eth_getBlockByNumber', required('Block')],
    ['eth_getTransactionByHash', but('Transaction', 'blockHash', 'to')],
    ['eth_getTransactionByBlockHashAndIndex', but('Transaction', 'blockHash', 'to')],
    ['eth_getTransactionReceipt', but('Receipt', 'contractAddress', 'effectiveGasPrice', 'to')],
  ]
  for (const [method, members] of rows) t.same(missingMembers(method, {}), members, method)
})

t.test('what is missing is named, in whatever answer it is', async (t) => {
  const whole = Object.fromEntries(required('Block').map((member) => [member, null]))
  t.equal(missingMembers('eth_getBlockByHash', whole), undefined, 'null is there')
  const { hashForMergedMining, paidFees, ...others } = whole
  t.same(missingMembers('eth_getBlockByNumber', others), ['hashForMergedMining', 'paidFees'])
  t.equal(missingMembers('eth_getBlockByHash', null), undefined, 'no block lacks nothing')
  t.equal(missingMembers('eth_getLogs', []), undefined)
  const log = Object.fromEntries(required('Log').map((member) => [member, null]))
  const { data, ...withoutData } = log
  t.equal(missingMembers('eth_getLogs', [log, log]), undefined)
  t.same(missingMembers('eth_getLogs', [log, withoutData]), ['data'], 'each entry of a list is looked at')
  t.equal(missingMembers('eth_getBalance', '0x0'), undefined)
  t.equal(missingMembers('eth_other', {}), undefined, 'of other methods nothing is required')
})
