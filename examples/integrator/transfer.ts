import { setTimeout as pause } from 'node:timers/promises'
import { createClient, isRpcError } from '@concordat/node-access'
import { privateKeyToAccount } from 'viem/accounts'

const { RPC_URL, PRIVATE_KEY } = process.env
if (!RPC_URL || !PRIVATE_KEY) throw new Error('Set RPC_URL and PRIVATE_KEY; the README says how.')

const client = createClient(RPC_URL, { timeoutMilliseconds: 10_000 })
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const receiver = '0x00000000000000000000000000000000c0ffee02'

const before = BigInt(await client.eth_getBalance(receiver))
const [chainId, nonce, gasPrice] = await Promise.all([
  client.eth_chainId(),
  client.eth_getTransactionCount(account.address, 'pending'),
  client.eth_gasPrice(),
])
// The networks take legacy transactions.
const transaction = await account.signTransaction({
  type: 'legacy',
  chainId: Number(chainId),
  nonce: Number(nonce),
  gasPrice: BigInt(gasPrice),
  gas: 21_000n,
  to: receiver,
  value: 1_000n,
})

try {
  const hash = await client.eth_sendRawTransaction(transaction)
  let receipt = await client.eth_getTransactionReceipt(hash)
  for (let waited = 0; receipt === null && waited < 60; waited++) {
    await pause(1_000)
    receipt = await client.eth_getTransactionReceipt(hash)
  }
  if (receipt === null) throw new Error(`${hash} was not mined within a minute.`)
  const after = BigInt(await client.eth_getBalance(receiver))
  process.stdout.write(`block ${Number(receipt.blockNumber)}: ${receiver} received ${after - before} wei\n`)
} catch (error) {
  if (!isRpcError(error)) throw error
  process.stderr.write(`${error.error} (${error.code}): ${error.message}\n`)
  process.exitCode = 1
}
