import t from 'tap'
import {
  type Abi,
  encodeCall,
  eventPages,
  isContractError,
  readContract,
  readContracts,
  revertOf,
  simulateContract,
  watchEvents,
} from '../../../../src/service/node-access/contracts/index.js'
import { createClient, quantities } from '../../../../src/service/node-access/index.js'
import { caught, startOwnChain } from './own-chain.js'

const view = { type: 'function', stateMutability: 'view', inputs: [] } as const
const number = { type: 'uint256', name: 'value' } as const

/** The ABI of the contract that the chain is seeded with. */
const abi = [
  { ...view, name: 'number', outputs: [{ type: 'uint256' }] },
  { ...view, name: 'greeting', outputs: [{ type: 'string' }] },
  { ...view, name: 'fail', inputs: [{ type: 'string', name: 'reason' }], outputs: [] },
  { ...view, name: 'failSilently', outputs: [] },
  { ...view, name: 'failOwn', inputs: [number], outputs: [] },
  { ...view, name: 'failAssertion', outputs: [] },
  { ...view, name: 'setNumber', stateMutability: 'nonpayable', inputs: [number], outputs: [] },
  { type: 'error', name: 'Refused', inputs: [{ type: 'address', name: 'caller' }, number] },
  { type: 'event', name: 'Bare', anonymous: true, inputs: [{ ...number, indexed: false }] },
  { type: 'event', name: 'Noted', inputs: [{ ...number, indexed: false }] },
  {
    type: 'event',
    name: 'Marked',
    inputs: [
      { type: 'uint256', name: 'key', indexed: true },
      { ...number, indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'Placed',
    inputs: [
      { type: 'uint256', name: 'x', indexed: true },
      { type: 'uint256', name: 'y', indexed: true },
      { type: 'uint256', name: 'z', indexed: true },
    ],
  },
] as const satisfies Abi

/** Returns its arguments as they are, and reverts with the whole call if it carries a value. */
const echoCode = '34601157600436038060046000376000f35b3660006000373660' + '00fd'
const echoCreation = `0x60${(echoCode.length / 2).toString(16)}600c60003960${(echoCode.length / 2).toString(16)}6000f3${echoCode}`

const order = {
  type: 'tuple',
  name: 'order',
  components: [
    { type: 'address', name: 'maker' },
    { type: 'bytes[]', name: 'parts' },
    { type: 'int64', name: 'change' },
  ],
} as const
const echo = { type: 'function', name: 'echo', stateMutability: 'payable' } as const
const text = { type: 'string', name: 'text' } as const
const echoAbi = [
  { ...echo, inputs: [text], outputs: [text] },
  { ...echo, inputs: [number], outputs: [number] },
  { ...echo, inputs: [order, text], outputs: [order, text] },
  { ...echo, name: 'TooLate', inputs: [text, order], outputs: [] },
  { type: 'error', name: 'TooLate', inputs: [text, order] },
] as const satisfies Abi

const chain = await startOwnChain(t)
const client = createClient(chain.url)
const address = chain.contract
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const seed = { abi, address } as const
const { contractAddress: echoAddress } = (await chain.send({ data: echoCreation })) as {
  readonly contractAddress: `0x${string}`
}

t.test('reads decode what the contract returns, and overloads follow their arguments', async (t) => {
  t.equal(await readContract(client, { ...seed, functionName: 'number' }), 42n)
  const decoding = createClient(chain.url, { decode: quantities })
  t.equal(await readContract(decoding, { ...seed, functionName: 'greeting' }), 'hello')
  const call = { abi: echoAbi, address: echoAddress, functionName: 'echo' } as const
  t.equal(await simulateContract(client, { ...call, args: ['grüße'] }), 'grüße')
  t.equal(await simulateContract(client, { ...call, args: [7n] }), 7n)
  const sent = { maker: sender, parts: ['0x', '0x010203'], change: -5n } as const
  t.same(await simulateContract(client, { ...call, args: [sent, 'x'] }), [sent, 'x'])
})

t.test('a call reads the state of a block', async (t) => {
  const before = await chain.head()
  await chain.send({ to: address, data: encodeCall({ abi, functionName: 'setNumber', args: [43n] }) })
  await chain.head()
  const call = { ...seed, functionName: 'number' } as const
  t.equal(await readContract(client, call), 43n)
  t.equal(await readContract(client, { ...call, block: before.number }), 42n)
})

t.test('a revert is decoded by the ABI, or has the reason of Solidity', async (t) => {
  const own = await caught(
    readContract(client, { ...seed, functionName: 'failOwn', args: [9n], from: sender }),
  )
  if (!isContractError(own, abi, 'Refused')) throw own
  t.same(own.args, [sender, 9n])
  t.match(own, { kind: 'reverted', reason: undefined, cause: { error: 'executionReverted' } })
  t.equal(own.message, `failOwn of ${address} reverted: Refused("${sender}", "9")`)
  t.notOk(isContractError(own, abi, 'Error'))
  t.notOk(isContractError(own, echoAbi), 'another ABI has no such error')
  const failed = async (functionName: 'failSilently' | 'failAssertion') =>
    caught(simulateContract(client, { ...seed, functionName }))
  const fail = await caught(readContract(client, { ...seed, functionName: 'fail', args: ['too little'] }))
  t.match(fail, { errorName: 'Error', args: ['too little'], reason: 'too little' })
  t.match(await failed('failAssertion'), {
    ...{ errorName: 'Panic', args: [1n], reason: 'an assertion failed' },
    message: `failAssertion of ${address} reverted: an assertion failed`,
  })
  t.match(await failed('failSilently'), { kind: 'reverted', errorName: undefined, data: '0x' })

  const sent = { maker: sender, parts: ['0x01'], change: 1n } as const
  const call = { abi: echoAbi, address: echoAddress, functionName: 'TooLate', args: ['x', sent] } as const
  const late = await caught(simulateContract(client, { ...call, from: sender, value: 1n }))
  if (!isContractError(late, echoAbi, 'TooLate')) throw late
  t.same(late.args, ['x', sent], 'dynamic values and tuples too')
  const unknown = await caught(
    simulateContract(client, { ...call, abi: echoAbi.slice(0, 4) as Abi, from: sender, value: 1n }),
  )
  t.match(unknown, { kind: 'reverted', errorName: undefined, message: /which the ABI does not have/ })

  const raw = await caught(
    client.eth_call(
      { to: address, data: encodeCall({ ...seed, functionName: 'failOwn', args: [1n] }) },
      'latest',
    ),
  )
  t.match(revertOf(raw, abi), { errorName: 'Refused' }, 'the error of a call that was encoded by hand')
  t.equal(revertOf(new TypeError(), abi), undefined)
})

t.test('an address without code, and an answer that does not fit, are errors of their own', async (t) => {
  const nobody = '0x00000000000000000000000000000000c0ffee01'
  const empty = await caught(readContract(client, { abi, address: nobody, functionName: 'number' }))
  t.match(empty, { kind: 'noData', errorName: undefined, data: '0x', message: /no contract/ })
  t.ok(isContractError(empty, abi))
  t.equal(
    await simulateContract(client, { abi, address: nobody, functionName: 'setNumber', args: [1n] }),
    undefined,
  )
  const wrong = [{ ...view, name: 'number', outputs: [{ type: 'string' }] }] as const
  t.match(await caught(readContract(client, { abi: wrong, address, functionName: 'number' })), {
    kind: 'mismatch',
  })
})

t.test('several reads are one HTTP request, and one that fails leaves the others', async (t) => {
  const bodies: string[] = []
  const counted = createClient(chain.url, {
    fetch: (url, request) => {
      bodies.push(request.body)
      return fetch(url, request)
    },
  })
  const outcomes = await readContracts(counted, (read) => [
    read({ ...seed, functionName: 'greeting' }),
    read({ ...seed, functionName: 'failOwn', args: [3n] }),
    ...Array.from({ length: 18 }, () => read({ ...seed, functionName: 'number' })),
  ])
  t.equal(bodies.length, 1)
  t.same(outcomes[0], { status: 'fulfilled', value: 'hello' })
  t.match(outcomes[1], { status: 'rejected', reason: { errorName: 'Refused' } })
  t.same(new Set(outcomes.slice(2).map((one) => one.status === 'fulfilled' && one.value)), new Set([43n]))
  t.same(await readContracts(counted, () => []), [])
  t.equal(bodies.length, 1)
})

t.test('events are read in order, and anonymous ones by their name', async (t) => {
  const from = await chain.head()
  await chain.emit(10)
  await chain.head()
  const range = { ...seed, fromBlock: from.number }
  const read = async <Page extends { readonly kind: string }>(pages: AsyncIterable<Page>) => {
    const all: Page[] = []
    for await (const page of pages) all.push(page)
    return all
  }
  const pages = await read(eventPages(client, range))
  const events = pages.flatMap((page) => (page.kind === 'events' ? page.events : []))
  t.same(
    events.map(({ eventName, args }) => [eventName, args]),
    [
      ['Noted', { value: 1n }],
      ['Marked', { key: 2n, value: 2n }],
      ['Placed', { x: 4n, y: 0n, z: 0n }],
      ['Noted', { value: 6n }],
      ['Marked', { key: 7n, value: 7n }],
      ['Placed', { x: 9n, y: 1n, z: 0n }],
    ],
  )
  t.equal(new Set(events.map(({ log }) => log.logIndex)).size, 6)
  const one = await read(eventPages(client, { ...range, eventName: 'Placed', args: { y: [1n, 2n] } }))
  t.match(one, [{ events: [{ args: { x: 9n } }], unknown: [] }])
  const bare = await read(eventPages(client, { ...range, eventName: 'Bare' }))
  const bareEvents = bare.flatMap((page) => (page.kind === 'events' ? page.events : []))
  t.same(
    bareEvents.map(({ args }) => args),
    [{ value: 0n }, { value: 5n }],
  )
})

t.test('a watch of events reports a rollback, and goes on from the cursor of a page', async (t) => {
  const start = await chain.head()
  const undo = await chain.snapshot()
  const options = { intervalMilliseconds: 20 }
  const fromBlock = `0x${(Number(start.number) + 1).toString(16)}` as const
  const range = { ...seed, eventName: 'Noted', fromBlock } as const
  /** What a program has stored: the values by block, and the cursor. */
  let stored: (readonly [block: number, value: bigint])[] = []
  let cursor = JSON.parse('[]')
  const follow = async (isEnough: () => boolean) => {
    for await (const page of watchEvents(client, range, { ...options, after: cursor })) {
      if (page.kind === 'rollback') stored = stored.filter(([block]) => block < Number(page.from))
      else stored.push(...page.events.map(({ args, log }) => [Number(log.blockNumber), args.value] as const))
      // A program stores both at once; JSON is what a restart reads.
      cursor = JSON.parse(JSON.stringify(page.cursor))
      if (isEnough()) return
    }
  }
  await chain.emit(5)
  await chain.emit(5)
  await follow(() => stored.length >= 2)
  await undo()
  await chain.mine(1)
  await chain.emit(5)
  await chain.emit(5)
  await chain.emit(5)
  await follow(() => stored.length >= 3)
  t.same(
    stored.map(([block]) => block),
    [2, 3, 4].map((more) => Number(start.number) + more),
  )
  t.equal(new Set(stored.map(([, value]) => value)).size, 3, 'each event once')
})
