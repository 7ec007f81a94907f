import { createClient } from '@concordat/node-access'
import { readContracts } from '@concordat/node-access/contracts'
import { abi, address } from './seed.js'

const client = createClient(process.env['RPC_URL'] ?? '')
const head = Number(await client.eth_blockNumber())

// One request; a value that cannot be read leaves the others on the page.
const [greeting, ...numbers] = await readContracts(client, (read) => [
  read({ abi, address, functionName: 'greeting' }),
  ...Array.from({ length: 19 }, (_, back) =>
    read({ abi, address, functionName: 'number', block: `0x${(head - back).toString(16)}` }),
  ),
])
const known = numbers.filter(({ status }) => status === 'fulfilled')
process.stdout.write(`${greeting.status === 'fulfilled' ? greeting.value : '?'}, ${known.length} numbers\n`)
