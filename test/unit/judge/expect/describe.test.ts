import fc from 'fast-check'
import t from 'tap'
import { describeMatcher } from '../../../../src/judge/expect/matcher.js'
import { count, cut, describe } from '../../../../src/judge/report/index.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const table: readonly [value: JsonValue | undefined, text: string][] = [
  [undefined, 'absent'],
  [null, 'null'],
  ['', 'an empty string'],
  [[], 'an empty list'],
  [{}, 'an empty object'],
  [0, '0'],
  [-1.5, '-1.5'],
  [false, 'false'],
  ['null', '"null"'],
  ['a"b\n', '"a\\"b\\n"'],
  [[null, [], {}], '[null,[],{}]'],
  [{ a: { b: [''] } }, '{"a":{"b":[""]}}'],
  ['x'.repeat(1_500), `"${'x'.repeat(168)}… (1,500 characters)`],
]

t.test('each kind of value has a description', async (t) => {
  for (const [value, text] of table) t.equal(describe(value), text)
})

t.test('the description of a long list contains its length', async (t) => {
  const text = describe(Array.from({ length: 10_203 }, () => ({ address: `0x${'0'.repeat(40)}` })))
  t.match(text, /^a list of 10,203: \[\{"address":"0x0+"\},.*…$/)
  t.equal(text.length, 200)
  t.match(
    describe(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, at]))),
    /^an object of 300 members: /,
  )
})

t.test('descriptions are short, and short values are shown as JSON', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = describe(value)
      const whole = JSON.stringify(value)
      const isWord = ['""', '[]', '{}', '-0'].includes(whole)
      return text.length <= 200 && (whole.length > 200 || isWord || text === whole)
    }),
  )
})

t.test('a text is truncated between characters', async (t) => {
  t.equal(cut('abcd', 4), 'abcd')
  t.equal(cut('abcde', 4), 'abc…')
  t.equal(cut('ab💥de', 4), 'ab…')
  t.equal(count(0), '0')
  t.equal(count(1_234_567), '1,234,567')
})

t.test('a matcher of any size has a description of limited length', async (t) => {
  t.equal(
    describeMatcher({
      $has: { hash: { $not: null }, list: { $each: { '$one-of': ['a', { $min: '0x1' }] } } },
    }),
    'an object with hash: anything but null, list: a list whose every item is one of "a", at least 0x1',
  )
  t.equal(describeMatcher({ $unordered: Array.from({ length: 100 }, () => 'abcdef') }).length, 200)
  t.equal(describeMatcher({ $min: 1, $max: 2 }), 'at least 1 and at most 2')
  t.equal(describeMatcher({ $like: 1 }), '$like 1')
})
