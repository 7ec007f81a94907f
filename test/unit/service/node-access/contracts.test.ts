import t from 'tap'
import {
  encodeAbiParameters,
  encodeDeployData,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import {
  type Abi,
  decodeEvent,
  encodeCall,
  encodeDeployment,
  eventTopics,
} from '../../../../src/service/node-access/contracts/index.js'

const abi = [
  ...parseAbi([
    'constructor(string title, uint8[2] pair)',
    'struct Leg { address to; uint96 amount; bytes note; }',
    'function trade(Leg[] legs, (bool isOpen, string title) more, bytes32[] ids) returns (uint256)',
    'function trade(uint256 id)',
    'function plain()',
    'event Traded(string indexed title, bytes indexed note, uint8[] indexed pair, uint256 amount)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Transfer(address indexed from, address indexed to, uint256 indexed value)',
    'event Unnamed(uint256 indexed, bool)',
    'event Empty()',
  ]),
  {
    type: 'event',
    name: 'Hidden',
    anonymous: true,
    inputs: [
      { type: 'address', name: 'who', indexed: true },
      { type: 'string', name: 'text', indexed: false },
    ],
  },
] as const
const who = '0x00000000000000000000000000000000c0ffee01'

t.test('calls and deployments are encoded as viem encodes them', (t) => {
  const legs = [
    { to: who, amount: 2n ** 96n - 1n, note: '0x' },
    { to: who, amount: 0n, note: `0x${'ab'.repeat(33)}` },
  ] as const
  const args = [legs, { isOpen: true, title: 'é'.repeat(40) }, [keccak256('0x01')]] as const
  t.equal(
    encodeCall({ abi, functionName: 'trade', args }),
    encodeFunctionData({ abi, functionName: 'trade', args }),
  )
  t.equal(
    encodeCall({ abi, functionName: 'trade', args: [5n] }),
    encodeFunctionData({ abi, functionName: 'trade', args: [5n] }),
  )
  t.equal(encodeCall({ abi, functionName: 'plain' }), encodeFunctionData({ abi, functionName: 'plain' }))
  const created = { abi, bytecode: '0x6000', args: ['title', [1, 2]] } as const
  t.equal(encodeDeployment(created), encodeDeployData(created))
  t.equal(encodeDeployment({ abi: parseAbi(['function plain()']), bytecode: '0x6000' }), '0x6000')
  t.end()
})

t.test('arguments that do not fit are refused with the name of the function', (t) => {
  const wide: Abi = abi
  const rows: readonly [string, readonly unknown[], RegExp][] = [
    ['none', [], /^none: .*not found/i],
    ['plain', [1n], /^plain: 1 arguments instead of 0/],
    ['trade', [], /^trade: 0 arguments instead of [13]/],
    ['trade', [-1n], /^trade: /],
    ['trade', [2n ** 256n], /^trade: /],
  ]
  for (const [functionName, args, message] of rows)
    t.throws(() => encodeCall({ abi: wide, functionName, args }), { name: 'TypeError', message })
  t.throws(() => encodeDeployment({ abi: wide, bytecode: '0x', args: [] }), { message: /^constructor: / })
  t.end()
})

t.test('events are decoded: hashes of indexed dynamic values, overloads, unnamed and anonymous ones', (t) => {
  const [title, note, pair] = [keccak256(toHex('x')), keccak256('0x01'), keccak256('0x02')]
  const [selector] = eventTopics({ abi, eventName: 'Traded' })[0] as readonly `0x${string}`[]
  const uint = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
  const topic = encodeAbiParameters([{ type: 'address' }], [who])
  const traded = { topics: [selector, title, note, pair] as `0x${string}`[], data: uint(4n) }
  t.same(decodeEvent(abi, traded)?.args, { title, note, pair, amount: 4n })
  const transferSelector = keccak256(toHex('Transfer(address,address,uint256)'))
  t.match(decodeEvent(abi, { topics: [transferSelector, topic, topic], data: uint(7n) }), {
    ...{ eventName: 'Transfer', args: { from: who, to: who, value: 7n } },
  })
  t.match(decodeEvent(abi, { topics: [transferSelector, topic, topic, uint(8n)], data: '0x' }), {
    args: { value: 8n },
  })
  t.equal(decodeEvent(abi, { topics: [transferSelector, topic], data: uint(8n) }), undefined)
  t.equal(decodeEvent(abi, { topics: [transferSelector, topic, topic], data: '0x' }), undefined)
  const hidden = { topics: [topic], data: encodeAbiParameters([{ type: 'string' }], ['text']) }
  t.same(decodeEvent(abi, hidden, 'Hidden')?.args, { who, text: 'text' })
  t.equal(decodeEvent(abi, hidden), undefined, 'nothing tells which anonymous event a log is')
  const unnamed = keccak256(toHex('Unnamed(uint256,bool)'))
  t.same(decodeEvent(abi, { topics: [unnamed, uint(3n)], data: uint(1n) })?.args, [3n, true])
  const empty = keccak256(toHex('Empty()'))
  t.same(decodeEvent(abi, { topics: [empty], data: '0x' })?.args, [])
  t.end()
})

t.test('the topics of a filter are those of viem', (t) => {
  const filter = { abi, eventName: 'Traded', args: { title: 'x', note: '0x01' } } as const
  const want = encodeEventTopics(filter)
  t.same(eventTopics(filter), want.slice(0, want.findLastIndex((topic) => topic !== null) + 1))
  t.same(eventTopics({ abi, eventName: 'Hidden' }), [])
  t.equal(
    (eventTopics({ abi })[0] as readonly string[]).length,
    4,
    'every signature once, no anonymous event',
  )
  const unknown = { abi: abi as Abi, eventName: 'None' }
  t.throws(() => eventTopics(unknown), { name: 'TypeError', message: /no event None/ })
  const overloaded = { abi: abi as Abi, eventName: 'Transfer', args: { to: who } }
  t.throws(() => eventTopics(overloaded), { name: 'TypeError', message: /without overloads/ })
  t.end()
})
