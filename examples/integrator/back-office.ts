import { quantities } from '@concordat/node-access'
import { isContractError, simulateContract } from '@concordat/node-access/contracts'
import { createFailoverClient } from '@concordat/node-access/failover'
import { abi, address } from './seed.js'

const { RPC_URL = '', SECOND_RPC_URL = RPC_URL } = process.env
const client = createFailoverClient([RPC_URL, SECOND_RPC_URL], {
  decode: quantities,
  budgetMilliseconds: 30_000,
  onFailover: (error, origin) => process.stderr.write(`${origin}: ${String(error)}\n`),
})

// All at the same block, so that the sum is of one moment.
const head = await client.eth_blockNumber()
const accounts = ['0x00000000000000000000000000000000c0ffee01', address] as const
const balances = await Promise.all(accounts.map((account) => client.eth_getBalance(account, head)))
const total = balances.reduce((sum, balance) => sum + balance, 0n)
process.stdout.write(`${total} wei at block ${head}\n`)

try {
  await simulateContract(client, { abi, address, functionName: 'failOwn', args: [7n] })
} catch (error) {
  if (!isContractError(error, abi, 'Refused')) throw error
  process.stdout.write(`the contract would refuse ${error.args[1]}\n`)
}
