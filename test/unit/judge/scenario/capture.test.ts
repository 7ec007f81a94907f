import t from 'tap'
import { capture } from '../../../../src/judge/scenario/capture.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const body: JsonValue = {
  result: {
    hash: '0xab',
    nothing: null,
    list: [
      { n: '0x1', to: null },
      { n: '0x2', to: '0xc' },
    ],
    empty: [],
  },
  'a b': 1,
}

const given: readonly [path: string, want: JsonValue | undefined][] = [
  ['$', body],
  ['$.result.hash', '0xab'],
  ['$.result.nothing', null],
  ['$.result.nothing.more', undefined],
  ['$.result.absent', undefined],
  ['$.result.list[0].n', '0x1'],
  ['$.result.list[-1].n', '0x2'],
  ['$.result.list[*].n', '0x1'],
  ['$.result.list[9]', undefined],
  ['$.result.list[?@.to != null].n', '0x2'],
  ['$.result.list[?@.to == null].n', '0x1'],
  ['$.result.list[?length(@.n) == 3].n', '0x1'],
  ['$..to', null],
  ["$['a b']", 1],
  ['$.result.list.length', undefined],
  ['$.constructor', undefined],
  ["$['__proto__']", undefined],
]

t.test('the first value that a JSONPath selects is captured', async (t) => {
  for (const [path, want] of given) t.strictSame(capture(path, body), want, path)
})

t.test('a deeply nested body is searched', async (t) => {
  let deep: JsonValue = { found: 1 }
  for (let depth = 0; depth < 500; depth++) deep = [deep]
  t.equal(capture('$..found', deep), 1)
})
