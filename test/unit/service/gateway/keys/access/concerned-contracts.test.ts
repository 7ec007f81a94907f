import { Transaction as EthersTransaction, Wallet } from 'ethers'
import t from 'tap'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import { concernedContracts } from '../../../../../../src/service/gateway/keys/access/concerned-contracts.js'

const to = `0x${'Ab'.repeat(20)}`
const lower = to.toLowerCase()
const other = `0x${'cd'.repeat(20)}`

const rows: readonly (readonly [string, JsonValue, readonly (readonly string[])[]])[] = [
  ['eth_call', [{ to, data: '0x' }, 'latest'], [[lower]]],
  ['eth_estimateGas', [{ to }], [[lower]]],
  ['eth_estimateGas', [{ data: '0x00' }], [[]]],
  ['eth_estimateGas', [{ to: null, data: '0x00' }], [[]]],
  ['eth_getLogs', [{ address: to }], [[lower]]],
  ['eth_getLogs', [{ address: [to, other] }], [[lower, other]]],
  ['eth_getLogs', [{ address: [to, null] }], [[lower, '']]],
  ['eth_getLogs', [{ address: [] }], [[]]],
  ['eth_getLogs', [{ address: null }], [[]]],
  ['eth_getLogs', [{}], [[]]],
  ['eth_getBalance', [to, 'latest'], [[lower]]],
  ['eth_getCode', [to], [[lower]]],
  ['eth_getStorageAt', [to, '0x0', 'latest'], [[lower]]],
  ['eth_getTransactionCount', [to], []],
  ['eth_blockNumber', [], []],
  ['eth_sendRawTransaction', ['0x'], [[]]],
  ['eth_sendRawTransaction', ['0xc3010203'], [[]]],
  ['eth_sendRawTransaction', ['0x7fc0'], [[]]],
  ['eth_notInTheContract', [to], [[]]],
]

t.test('the contracts of a call', async (t) => {
  for (const [method, params, wanted] of rows)
    t.same(
      concernedContracts(method, params as readonly JsonValue[]),
      wanted,
      `${method} ${JSON.stringify(params)}`,
    )
})

t.test('the receiver of a signed transaction of each type', async (t) => {
  const wallet = new Wallet(`0x${'11'.repeat(32)}`)
  const shared = { chainId: 31, nonce: 0, gasLimit: 21_000, value: 1 }
  const fees = { maxFeePerGas: 2, maxPriorityFeePerGas: 1 }
  const transactions = [
    { ...shared, type: 0, gasPrice: 1 },
    { ...shared, type: 1, gasPrice: 1, accessList: [] },
    { ...shared, type: 2, ...fees },
  ]
  for (const transaction of transactions) {
    const sent = await wallet.signTransaction({ ...transaction, to: lower })
    t.equal(EthersTransaction.from(sent).type, transaction.type)
    t.same(concernedContracts('eth_sendRawTransaction', [sent]), [[lower]], `type ${transaction.type}`)
    const creation = await wallet.signTransaction({ ...transaction, data: '0x00' })
    t.same(
      concernedContracts('eth_sendRawTransaction', [creation]),
      [[]],
      `type ${transaction.type}, no receiver`,
    )
  }
})
