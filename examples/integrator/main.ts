import { createClient, isRpcError, logs, sendTransaction } from '@concordat/node-access'
import { encodeCall, encodeDeployment, readContract } from '@concordat/node-access/contracts'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { abi, bytecode } from './counter.js'

const { RPC_URL, PRIVATE_KEY } = process.env
if (!RPC_URL || !PRIVATE_KEY) throw new Error('Set RPC_URL and PRIVATE_KEY; the README says how.')

const client = createClient(RPC_URL)
const account = privateKeyToAccount(PRIVATE_KEY as Hex)
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Sends a transaction and waits until it is mined. */
async function send(transaction: { readonly to?: Hex; readonly data: Hex }) {
  const receipt = await sendTransaction(client, account, transaction)
  if (receipt.status !== '0x1') throw new Error(`${receipt.transactionHash} was reverted.`)
  return receipt
}

try {
  const deployed = await send({ data: encodeDeployment({ abi, bytecode, args: [40n] }) })
  const address = deployed.contractAddress
  if (!address) throw new Error('The transaction created no contract.')
  print(`deployed ${address} in block ${Number(deployed.blockNumber)}`)

  await send({ to: address, data: encodeCall({ abi, functionName: 'increase', args: [2n] }) })
  print(`increased to ${await readContract(client, { abi, address, functionName: 'count' })}`)

  // All logs of the chain, in requests within the service's limits.
  let count = 0
  for await (const _ of logs(client, { fromBlock: 'earliest' })) count += 1
  print(`read ${count} logs`)

  // The client sends these calls in batches.
  const head = Number(await client.eth_blockNumber())
  const blocks = await Promise.all(
    Array.from({ length: 1_000 }, (_, back) =>
      client.eth_getBlockByNumber(`0x${(head - back).toString(16)}`),
    ),
  )
  print(`read ${blocks.filter((block) => block !== null).length} blocks`)
} catch (error) {
  if (!isRpcError(error)) throw error
  process.stderr.write(`${error.error} (${error.code}): ${error.message}\n`)
  process.exitCode = 1
}
