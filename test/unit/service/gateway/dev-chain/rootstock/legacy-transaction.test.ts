import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { refusalOf } from '../../../../../../src/service/gateway/dev-chain/rootstock/legacy-transaction.js'
import { minimumGasPrice } from '../../../../../../src/service/gateway/dev-chain/seed/seed-facts.js'
import { developmentAccounts } from '../../../../../../src/service/gateway/index.js'

const account = privateKeyToAccount(developmentAccounts[0].privateKey)
const to = developmentAccounts[1].address
const legacy = (chainId: number | undefined, gasPrice: bigint) =>
  account.signTransaction({
    type: 'legacy',
    nonce: 0,
    gas: 21_000n,
    to,
    gasPrice,
    ...(chainId ? { chainId } : {}),
  })

t.test('a legacy transaction with the minimum gas price is accepted', async (t) => {
  t.equal(refusalOf(await legacy(31, minimumGasPrice)), undefined)
  t.equal(refusalOf(await legacy(30, minimumGasPrice + 1n)), undefined)
  t.equal(refusalOf(await legacy(undefined, minimumGasPrice)), undefined)
})

t.test('another type and a price below the minimum are refused', async (t) => {
  const typed = await account.signTransaction({ type: 'eip1559', chainId: 31, nonce: 0, gas: 21_000n, to })
  t.match(refusalOf(typed), { code: -32003, message: 'transaction type 0x2 is not supported' })
  t.match(refusalOf(await legacy(31, minimumGasPrice - 1n)), { code: -32003, message: 'gas price' })
})

t.test('invalid transactions are left to anvil', async (t) => {
  for (const raw of ['0x', '0xc0', '0xf8', '0x80ff', '0xc101', `0xc9${'c0'.repeat(9)}`]) {
    t.equal(refusalOf(raw), undefined, raw)
  }
})
