/** Names, arguments and results of an ABI are typed, and errors and events narrow by their names. This file only compiles. */

import { createClient, quantities } from '@concordat/node-access'
import {
  type Abi,
  type ContractError,
  decodeEvent,
  encodeCall,
  encodeDeployment,
  isContractError,
  readContract,
  readContracts,
  revertOf,
  simulateContract,
  watchEvents,
} from '@concordat/node-access/contracts'
import { ok, same } from './expect.js'

const abi = [
  {
    type: 'constructor',
    inputs: [{ type: 'string', name: 'title' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'balanceOf',
    inputs: [{ type: 'address', name: 'owner' }],
    outputs: [{ type: 'uint256', name: '' }],
    stateMutability: 'view',
  },
  { type: 'function', name: 'title', inputs: [], outputs: [{ type: 'string' }], stateMutability: 'view' },
  {
    type: 'function',
    name: 'order',
    inputs: [{ type: 'uint256', name: 'id' }],
    outputs: [
      {
        type: 'tuple',
        name: 'order',
        components: [
          { type: 'address', name: 'maker' },
          { type: 'uint32', name: 'count' },
          { type: 'bytes32[]', name: 'tags' },
        ],
      },
      { type: 'bool', name: 'open' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'find',
    inputs: [{ type: 'string', name: 'title' }],
    outputs: [{ type: 'uint256' }],
    stateMutability: 'pure',
  },
  {
    type: 'function',
    name: 'find',
    inputs: [
      { type: 'address', name: 'owner' },
      { type: 'bool', name: 'open' },
    ],
    outputs: [{ type: 'address[]' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'transfer',
    inputs: [
      { type: 'address', name: 'to' },
      { type: 'uint256', name: 'amount' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'error',
    name: 'InsufficientBalance',
    inputs: [
      { type: 'address', name: 'owner' },
      { type: 'uint256', name: 'available' },
    ],
  },
  { type: 'error', name: 'Paused', inputs: [] },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { type: 'address', name: 'from', indexed: true },
      { type: 'address', name: 'to', indexed: true },
      { type: 'uint256', name: 'amount', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'Named',
    inputs: [
      { type: 'string', name: 'title', indexed: true },
      { type: 'string', name: 'text', indexed: false },
    ],
  },
] as const satisfies Abi

const client = createClient('https://example.com/key')
const decoding = createClient('https://example.com/key', { decode: quantities })
const address = '0x00000000000000000000000000000000c0ffee01'

export async function reads() {
  // 1 to 5: results follow the outputs
  const balance = await readContract(client, { abi, address, functionName: 'balanceOf', args: [address] })
  same<typeof balance, bigint>(ok)
  const title = await readContract(decoding, { abi, address, functionName: 'title' })
  same<typeof title, string>(ok)
  const [order, isOpen] = await readContract(client, { abi, address, functionName: 'order', args: [1n] })
  same<typeof order.count, number>(ok)
  same<typeof order.tags, readonly `0x${string}`[]>(ok)
  same<typeof isOpen, boolean>(ok)
  // 6 and 7: the arguments select the overload
  const found = await readContract(client, { abi, address, functionName: 'find', args: ['title'] })
  same<typeof found, bigint>(ok)
  const owned = await readContract(client, { abi, address, functionName: 'find', args: [address, true] })
  same<typeof owned, readonly `0x${string}`[]>(ok)
  // 8: a simulation of a function that changes something
  const nothing = await simulateContract(client, {
    ...{ abi, address, functionName: 'transfer', from: address },
    args: [address, 1n],
  })
  same<typeof nothing, undefined>(ok)
  // 9: a batch keeps the types of its calls
  const [one, two] = await readContracts(client, (read) => [
    read({ abi, address, functionName: 'title' }),
    read({ abi, address, functionName: 'balanceOf', args: [address] }),
  ])
  if (one.status === 'fulfilled') same<typeof one.value, string>(ok)
  if (two.status === 'fulfilled') same<typeof two.value, bigint>(ok)
  // An ABI that is not declared `as const` has unknown values.
  const wide: Abi = abi
  const unknown = await readContract(client, { abi: wide, address, functionName: 'anything', args: [1] })
  same<typeof unknown, unknown>(ok)
}

export function refusals() {
  // @ts-expect-error 10: no such function
  readContract(client, { abi, address, functionName: 'balance', args: [address] })
  // @ts-expect-error 11: a function that changes something is not read
  readContract(client, { abi, address, functionName: 'transfer', args: [address, 1n] })
  // @ts-expect-error 12: the arguments are missing
  readContract(client, { abi, address, functionName: 'balanceOf' })
  // @ts-expect-error 13: too many arguments
  readContract(client, { abi, address, functionName: 'balanceOf', args: [address, 1n] })
  // @ts-expect-error 14: a number is no uint256
  encodeCall({ abi, functionName: 'transfer', args: [address, 1] })
  // @ts-expect-error 15: no overload takes a number
  readContract(client, { abi, address, functionName: 'find', args: [1n] })
  // @ts-expect-error 16: an address starts with 0x
  readContract(client, { abi, address: 'c0ffee', functionName: 'title' })
  // @ts-expect-error 17: the constructor takes a text
  encodeDeployment({ abi, bytecode: '0x00', args: [1n] })
  encodeDeployment({ abi, bytecode: '0x00', args: ['title'] })
  // @ts-expect-error 18: no such event
  watchEvents(client, { abi, eventName: 'Approval' })
  // @ts-expect-error 19: `amount` is not indexed
  watchEvents(client, { abi, eventName: 'Transfer', args: { amount: 1n } })
  // @ts-expect-error 20: no such error
  isContractError(new Error(), abi, 'Closed')
}

export function errors(error: unknown) {
  // 21 to 24: the name narrows the values
  if (isContractError(error, abi, 'InsufficientBalance')) {
    same<typeof error, ContractError<'InsufficientBalance', readonly [`0x${string}`, bigint]>>(ok)
    const [, available] = error.args
    same<typeof available, bigint>(ok)
  }
  const revert = revertOf(error, abi)
  if (revert?.errorName === 'Error') same<(typeof revert.args)[0], string>(ok)
  else if (revert?.errorName === 'Panic') same<(typeof revert.args)[0], bigint>(ok)
  else if (revert?.errorName === 'Paused') same<typeof revert.args.length, 0>(ok)
}

export async function events() {
  // 25 to 29: events narrow by their names, and logs are those of the client
  for await (const page of watchEvents(client, { abi, address, fromBlock: '0x1' })) {
    if (page.kind === 'rollback') continue
    for (const event of page.events) {
      same<typeof event.log.blockNumber, `0x${string}`>(ok)
      if (event.eventName === 'Transfer') same<typeof event.args.amount, bigint>(ok)
      // A log has the hash of an indexed text alone.
      else {
        same<typeof event.args.title, `0x${string}`>(ok)
        same<typeof event.args.text, string>(ok)
      }
    }
  }
  const transfers = watchEvents(decoding, { abi, eventName: 'Transfer', args: { to: [address] } })
  for await (const page of transfers)
    if (page.kind === 'events') same<(typeof page.events)[0]['log']['blockNumber'], bigint>(ok)
  watchEvents(client, { abi, eventName: 'Named', args: { title: 'a text' } })
  const event = decodeEvent(abi, { topics: [], data: '0x' }, 'Transfer')
  if (event) same<typeof event.args.from, `0x${string}`>(ok)
}
