import t from 'tap'
import type { ResultVerdict } from '../../../../../src/judge/oracles/laws/judge-request.js'
import { judgeResult } from '../../../../../src/judge/oracles/laws/judge-result.js'
import type { JsonObject, JsonValue } from '../../../../../src/toolkit/contract/index.js'
import { parseContract, readLaws } from '../../../../../src/toolkit/contract/index.js'

/** Judges a result of a method with one law and a parameter `size` with the default 2. */
function judged(law: JsonObject, result: JsonValue, params: JsonObject = {}): ResultVerdict {
  const document = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1' },
    methods: [
      {
        name: 'list',
        params: [
          { name: 'size', schema: { type: 'integer', default: 2 } },
          { name: 'from', schema: { type: 'integer' } },
        ],
        result: { name: 'r', schema: true },
        'x-laws': [law],
      },
    ],
  }
  const [stated] = readLaws(parseContract(JSON.stringify(document)))
  if (stated?.law === undefined) throw new TypeError(JSON.stringify(stated?.problems))
  return judgeResult(stated.law, stated.method, params, result)
}

const sorted = (...by: readonly string[]) => ({ law: 'sorted', list: '', by })
const total = { law: 'adds-up', total: '/total', parts: '/parts/*' }
const pages = { law: 'pages', list: '', size: 'size', offset: 'from' }

const rows: readonly (readonly [name: string, law: JsonObject, result: JsonValue, want: string])[] = [
  ['ascending numbers', sorted(''), [1, 2, 10], 'follows'],
  ['equal items', sorted(''), [2, 2], 'follows'],
  ['a descending pair', sorted(''), [1, 3, 2], '/result/2: at least 3, as in the item before it, got 2'],
  ['descending numbers', sorted('-'), [10, 9], 'follows'],
  ['an ascending pair', sorted('-'), [9, 10], '/result/1: at most 9, as in the item before it, got 10'],
  ['quantities by value', sorted(''), ['0x9', '0x10'], 'follows'],
  ['texts by characters', sorted(''), ['10', '9'], 'follows'],
  [
    'the second member of equal ones',
    sorted('a', '-b'),
    [
      { a: 1, b: 2 },
      { a: 1, b: 1 },
    ],
    'follows',
  ],
  [
    'the second member in the wrong order',
    sorted('a', '-b'),
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    '/result/1/b: at most 1, as in the item before it, got 2',
  ],
  [
    'the second member of different ones',
    sorted('a', 'b'),
    [
      { a: 1, b: 9 },
      { a: 2, b: 1 },
    ],
    'follows',
  ],
  [
    'a nested member',
    sorted('a/b'),
    [{ a: { b: 1 } }, { a: { b: 0 } }],
    '/result/1/a/b: at least 1, as in the item before it, got 0',
  ],
  ['one item', sorted(''), [1], 'nothing'],
  ['items that cannot be compared', sorted(''), [null, true], 'nothing'],
  ['no list', sorted(''), null, 'nothing'],
  [
    'every list',
    { law: 'sorted', list: '/*', by: [''] },
    [
      [1, 2],
      [4, 3],
    ],
    '/result/1/1: at least 4, as in the item before it, got 3',
  ],
  ['a sum', total, { total: 6, parts: [1, 2, 3] }, 'follows'],
  ['a wrong sum', total, { total: 5, parts: [1, 2, 3] }, '/result/total: 6, the sum of 3 parts, got 5'],
  ['a sum of nothing', total, { total: 1, parts: [] }, '/result/total: 0, the sum of 0 parts, got 1'],
  ['rounded fractions', total, { total: 0.30000000000000004, parts: [0.1, 0.2] }, 'follows'],
  [
    'a wrong cent',
    total,
    { total: 1000.01, parts: [1000] },
    '/result/total: 1000, the sum of 1 part, got 1000.01',
  ],
  ['exact texts', total, { total: '0.30', parts: ['0.1', '0.2'] }, 'follows'],
  [
    'inexact texts',
    total,
    { total: '0.30000000000000004', parts: ['0.1', '0.2'] },
    '/result/total: 0.3, the sum of 2 parts, got "0.30000000000000004"',
  ],
  ['negative parts', total, { total: '-1.5', parts: ['1', '-2.5'] }, 'follows'],
  [
    'large quantities',
    total,
    { total: '0x20000000000000001', parts: ['0x20000000000000000', '0x1'] },
    'follows',
  ],
  ['no number', total, { total: 'many', parts: [1] }, 'nothing'],
  ['no total', total, { parts: [1] }, 'nothing'],
  ['a number of parts', { ...total, count: true }, { total: 2, parts: ['a', 'b'] }, 'follows'],
  [
    'a wrong number',
    { ...total, count: true },
    { total: 1, parts: ['a', 'b'] },
    '/result/total: 2, the number of the parts, got 1',
  ],
  ['a page of the default size', pages, [1, 2], 'follows'],
  [
    'a page larger than the default',
    pages,
    [1, 2, 3],
    '/result: at most 2 items, the default of "size", got 3 items',
  ],
  [
    'a page with an item twice',
    pages,
    [{ id: 1 }, { id: 1 }],
    '/result/1: an item that the page does not have yet, got {"id":1}',
  ],
  [
    'a page with items that may be different things of which the same members are shown',
    pages,
    [{ a: 1 }, { a: 1 }],
    'follows',
  ],
  ['equal texts in a page', pages, ['a', 'a'], 'follows'],
]

t.test('one result is judged by a law', (t) => {
  for (const [name, law, result, want] of rows) {
    const verdict = judged(law, result)
    t.equal(
      typeof verdict === 'string' ? verdict : `${verdict.where}: ${verdict.expected}, got ${verdict.got}`,
      want,
      name,
    )
  }
  t.end()
})

t.test('a page is as large as requested at most', (t) => {
  t.equal(judged(pages, [1, 2, 3], { size: 3 }), 'follows')
  t.match(judged(pages, [1, 2, 3, 4], { size: 3 }), { expected: 'at most 3 items, as "size" says' })
  t.end()
})
