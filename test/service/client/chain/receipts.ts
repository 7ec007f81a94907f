import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { createClient, waitForReceipt } from '../../../../src/service/node-access/index.js'
import { developmentAccounts, seedContractCall } from '../../../support/development-chain.js'
import { until } from '../../../support/until.js'
import { caught, startOwnChain } from './own-chain.js'

const chain = await startOwnChain(t)
/** Methods of the calls, in order. */
let called: string[] = []
const client = createClient(chain.url, {
  fetch(url, request) {
    called.push(...[JSON.parse(request.body)].flat().map(({ method }: { method: string }) => method))
    return fetch(url, request)
  },
})
const account = privateKeyToAccount(developmentAccounts[3].privateKey)
const often = { intervalMilliseconds: 20 }
let nonce = 0

/** Sends a signed transaction; blocks are mined by the test. */
async function send(
  value: number,
  more: { readonly to?: `0x${string}`; readonly data?: `0x${string}` } = {},
) {
  const signed = await account.signTransaction({
    type: 'legacy',
    chainId: 31,
    to: `0x${'ab'.repeat(20)}`,
    value: BigInt(value),
    gas: 100_000n,
    gasPrice: 60_000_000n + BigInt(value) * 10_000_000n,
    nonce,
    ...more,
  })
  return { signed, hash: await client.eth_sendRawTransaction(signed) }
}

/** Waits for this many further calls of a method. */
async function polled(method: string, times = 2) {
  called = []
  await until(() => called.filter((name) => name === method).length >= times)
}

await chain.anvil.ask('evm_setAutomine', false)

t.test('waitForReceipt returns the receipt once the transaction is mined', async (t) => {
  const { hash } = await send(1)
  const receipt = waitForReceipt(client, hash, often)
  await polled('eth_getTransactionReceipt')
  await chain.mine(1)
  nonce += 1
  t.match(await receipt, { transactionHash: hash, status: '0x1' })
  t.match(await waitForReceipt(client, hash), { status: '0x1' }, 'a mined transaction needs no wait')
})

t.test('the receipt of a reverted transaction is returned', async (t) => {
  const data = seedContractCall('failAfter', 1) as `0x${string}`
  const { hash } = await send(0, { to: chain.contract, data })
  await chain.mine(1)
  nonce += 1
  t.match(await waitForReceipt(client, hash, often), { transactionHash: hash, status: '0x0' })
})

t.test(
  'with confirmations it waits for further blocks, and a reorganisation continues the wait',
  async (t) => {
    const undo = await chain.snapshot()
    const { hash, signed } = await send(1)
    let isDone = false
    const receipt = waitForReceipt(client, hash, { ...often, confirmations: 3 }).finally(() => {
      isDone = true
    })
    await chain.mine(2)
    await chain.head()
    await polled('eth_blockNumber')
    t.notOk(isDone, 'two of three')
    await undo()
    await chain.mine(3)
    await chain.head()
    await polled('eth_getTransactionByHash')
    t.notOk(isDone, 'the transaction is no longer part of the chain')
    t.equal(await client.eth_sendRawTransaction(signed), hash)
    await chain.mine(3)
    nonce += 1
    const { number } = await chain.head()
    t.match(await receipt, { transactionHash: hash, blockNumber: `0x${(Number(number) - 2).toString(16)}` })
  },
)

t.test('a replaced transaction is recognised by the nonce of its sender', async (t) => {
  const { hash } = await send(1)
  const lost = caught(waitForReceipt(client, hash, often))
  const given = { ...often, sent: { from: account.address, nonce } }
  const unknown = caught(waitForReceipt(client, `0x${'12'.repeat(32)}`, given))
  await polled('eth_getTransactionByHash', 4)
  const other = await send(5)
  t.not(other.hash, hash)
  await chain.mine(1)
  nonce += 1
  t.match(await lost, { name: 'ReceiptError', kind: 'replaced', hash, message: /nonce/ })
  t.match(await unknown, { name: 'ReceiptError', kind: 'replaced' })
  t.match(await waitForReceipt(client, other.hash, often), { status: '0x1' })
})

t.test('a transaction that is never mined ends with the timeout or the signal', async (t) => {
  const unknown = `0x${'34'.repeat(32)}` as const
  t.match(await caught(waitForReceipt(client, unknown, { ...often, timeoutMilliseconds: 200 })), {
    name: 'ReceiptError',
    kind: 'timeout',
    hash: unknown,
    message: /200 ms/,
  })
  const controller = new AbortController()
  const forever = { intervalMilliseconds: 60_000, timeoutMilliseconds: Number.POSITIVE_INFINITY }
  const stopped = caught(waitForReceipt(client, unknown, { ...forever, signal: controller.signal }))
  await polled('eth_getTransactionByHash', 1)
  const reason = new TypeError('enough')
  controller.abort(reason)
  t.equal(await stopped, reason)
  t.equal(await caught(waitForReceipt(client, unknown, { signal: controller.signal })), reason)
  t.match(await caught(waitForReceipt(client, unknown, { intervalMilliseconds: 0 })), { name: 'RangeError' })
  t.match(await caught(waitForReceipt(client, '0x12')), { error: 'invalidParams' })
})

t.test('an outage of the node is survived', async (t) => {
  const { hash } = await send(1)
  const errors: unknown[] = []
  const receipt = waitForReceipt(client, hash, { ...often, onError: (error) => void errors.push(error) })
  chain.node.isDown = true
  await until(() => errors.length > 0)
  t.match(errors, [{ error: 'unavailable' }])
  await chain.mine(1)
  nonce += 1
  chain.node.isDown = false
  t.match(await receipt, { status: '0x1' })
})
