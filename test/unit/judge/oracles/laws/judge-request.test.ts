import t from 'tap'
import { judgeResult } from '../../../../../src/judge/oracles/laws/judge-result.js'
import {
  type JsonObject,
  type JsonValue,
  parseContract,
  readLaws,
} from '../../../../../src/toolkit/contract/index.js'

const contractWith = (law: JsonObject) =>
  parseContract(
    JSON.stringify({
      openrpc: '1.3.2',
      info: { title: 'T', version: '1' },
      methods: [
        {
          name: 'list',
          params: [{ name: 'filter', schema: true }],
          result: { name: 'r', schema: true },
          'x-laws': [law],
        },
      ],
    }),
  )

function judged(law: JsonObject, filter: JsonValue, result: JsonValue): string {
  const [stated] = readLaws(contractWith(law))
  if (stated?.law === undefined) throw new TypeError(JSON.stringify(stated?.problems))
  const verdict = judgeResult(stated.law, stated.method, { filter }, result)
  return typeof verdict === 'string' ? verdict : `${verdict.where}: ${verdict.expected}, got ${verdict.got}`
}

const subset = { law: 'subset-by', list: '', members: { owner: 'filter/owner', tags: 'filter/tags' } }
const bounded = { law: 'subset-by', list: '', members: {}, bounds: { at: ['filter/from', 'filter/to'] } }
const echoes = { law: 'echoes', members: { id: 'filter/id' } }

const rows: readonly (readonly [
  name: string,
  law: JsonObject,
  filter: JsonValue,
  result: JsonValue,
  want: string,
])[] = [
  ['an item with the value', subset, { owner: 'a' }, [{ owner: 'a' }], 'follows'],
  [
    'an item with another value',
    subset,
    { owner: 'a' },
    [{ owner: 'a' }, { owner: 'b' }],
    '/result/1/owner: "a", as "filter/owner" of the request says, got "b"',
  ],
  [
    'an item without the member',
    subset,
    { owner: 'a' },
    [{}],
    '/result/0/owner: "a", as "filter/owner" of the request says, got absent',
  ],
  ['one of several values', subset, { owner: ['a', 'b'] }, [{ owner: 'b' }], 'follows'],
  [
    'none of several values',
    subset,
    { owner: ['a', 'b'] },
    [{ owner: 'c' }],
    '/result/0/owner: ["a","b"], as "filter/owner" of the request says, got "c"',
  ],
  ['hexadecimal in another case', subset, { owner: '0xAB' }, [{ owner: '0xab' }], 'follows'],
  [
    'a text in another case',
    subset,
    { owner: 'AB' },
    [{ owner: 'ab' }],
    '/result/0/owner: "AB", as "filter/owner" of the request says, got "ab"',
  ],
  ['null, which asks for nothing', subset, { owner: null }, [{ owner: 'x' }], 'nothing'],
  ['an empty list, which asks for nothing', subset, { owner: [] }, [{ owner: 'x' }], 'nothing'],
  ['positions', subset, { tags: ['a', null, 'c'] }, [{ tags: ['a', 'b', 'c', 'd'] }], 'follows'],
  ['alternatives at a position', subset, { tags: [null, ['x', 'b']] }, [{ tags: ['a', 'b'] }], 'follows'],
  [
    'no alternative at the second position',
    subset,
    { tags: [null, ['x', 'y']] },
    [{ tags: ['x', 'b'] }],
    '/result/0/tags: [null,["x","y"]], as "filter/tags" of the request says, got ["x","b"]',
  ],
  [
    'no position',
    subset,
    { tags: ['a', 'b'] },
    [{ tags: ['a'] }],
    '/result/0/tags: ["a","b"], as "filter/tags" of the request says, got ["a"]',
  ],
  ['an empty list of items', subset, { owner: 'a' }, [], 'nothing'],
  ['an item within bounds', bounded, { from: '0x9', to: '0x10' }, [{ at: '0xa' }], 'follows'],
  [
    'an item beyond bounds',
    bounded,
    { from: '0x9', to: '0x10' },
    [{ at: '0x11' }],
    '/result/0/at: at least "0x9" and at most "0x10", as the request says, got "0x11"',
  ],
  ['a bound that is a name', bounded, { from: '0x9', to: 'latest' }, [{ at: '0x11' }], 'follows'],
  ['a result with the value', echoes, { id: 7 }, { id: 7 }, 'follows'],
  [
    'a result with another value',
    echoes,
    { id: 7 },
    { id: 8 },
    '/result/id: 7, as "filter/id" of the request says, got 8',
  ],
  ['a result that is null', echoes, { id: 7 }, null, 'nothing'],
]

for (const [name, law, filter, result, want] of rows) {
  t.test(`${name}: ${want}`, async (t) => {
    t.equal(judged(law, filter, result), want)
  })
}

t.test('members and paths that do not exist are mistakes', async (t) => {
  const schema = {
    type: 'array',
    items: { type: 'object', properties: { a: {} }, additionalProperties: false },
  }
  const contract = (law: JsonObject) =>
    parseContract(
      JSON.stringify({
        openrpc: '1.3.2',
        info: { title: 'T', version: '1' },
        methods: [
          { name: 'list', params: [{ name: 'f', schema }], result: { name: 'r', schema }, 'x-laws': [law] },
        ],
      }),
    )
  const problems = (law: JsonObject) =>
    readLaws(contract(law)).flatMap(({ problems }) => problems.map(({ message }) => message))
  t.same(problems({ law: 'subset-by', list: '', members: { a: 'f' } }), [])
  t.same(problems({ law: 'subset-by', list: '', members: { b: 'g/x' } }), [
    'the items have no member "b": correct the path',
    '"g/x" does not exist in the parameters of "list": correct the path',
  ])
  t.same(problems({ law: 'partition', list: '', from: 'f', to: 7 }), [
    'must be a path, such as "filter/side"',
  ])
  t.same(problems({ law: 'subset-by', list: '', members: {}, bounds: { a: ['f'] } }), [
    'must be a list of two paths in the parameters',
  ])
})
