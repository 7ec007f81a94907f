import t from 'tap'
import { missingMembers } from '../../../../../src/service/gateway/nodes/answers/normalise-result.js'
import { readAuthored } from '../../../openrpc-json/authored-contract.js'

const { schemas } = readAuthored().components
const required = (component: string) => (schemas[component]?.['required'] ?? []) as string[]

t.test('the checked members are those that the contract requires', async (t) => {
  const but = (component: string, ...names: string[]) =>
    required(component).filter((member) => !names.includes(member))
  const rows: readonly [method: string, members: readonly string[]][] = [
    ['eth_getBlockByHash', but('Block', 'mixHash', 'nonce')],
    ['eth_getBlockByNumber', but('Block', 'mixHash', 'nonce')],
    ['eth_getTransactionByHash', but('Transaction', 'blockHash', 'to')],
    ['eth_getTransactionByBlockHashAndIndex', but('Transaction', 'blockHash', 'to')],
    ['eth_getTransactionReceipt', but('Receipt', 'contractAddress', 'effectiveGasPrice', 'to')],
  ]
  for (const [method, members] of rows) t.same(missingMembers(method, {}), members, method)
})

t.test('missing members are named in every kind of answer', async (t) => {
  const whole = Object.fromEntries(required('Block').map((member) => [member, null]))
  t.equal(missingMembers('eth_getBlockByHash', whole), undefined, 'null counts as present')
  const { hashForMergedMining, paidFees, ...others } = whole
  t.same(missingMembers('eth_getBlockByNumber', others), ['hashForMergedMining', 'paidFees'])
  t.equal(missingMembers('eth_getBlockByHash', null), undefined, 'a null block lacks nothing')
  t.equal(missingMembers('eth_getLogs', []), undefined)
  const log = Object.fromEntries(required('Log').map((member) => [member, null]))
  const { data, ...withoutData } = log
  t.equal(missingMembers('eth_getLogs', [log, log]), undefined)
  t.same(missingMembers('eth_getLogs', [log, withoutData]), ['data'], 'each item of a list is checked')
  t.equal(missingMembers('eth_getBalance', '0x0'), undefined)
  t.equal(missingMembers('eth_other', {}), undefined, 'other methods have no required members')
})
