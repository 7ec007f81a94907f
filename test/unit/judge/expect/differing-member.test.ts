import t from 'tap'
import { matchValue } from '../../../../src/judge/expect/match-value.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const book = (more: { readonly [name: string]: JsonValue } = {}) => ({
  title: 'Emma',
  author: 'Jane Austen',
  year: 1815,
  text: 'x'.repeat(300),
  ...more,
})
const found = (expected: JsonValue, actual: JsonValue) =>
  matchValue(expected, actual, '/result', () => []).map(({ where, expected, got }) => [where, expected, got])

t.test('of the item that a list must contain, the differing member comes first', async (t) => {
  const list = [book({ title: 'Ulysses', author: 'James Joyce', year: 1922 }), book({ year: 1816 })]
  for (const expected of [{ $is: book() }, book(), { $has: book() }]) {
    const [first, second] = found({ $contains: expected }, list)
    t.same(first, ['/result/1/year', '1815', '1816'])
    t.equal(second?.[0], '/result', 'then the expected item')
  }
  t.same(found({ $contains: book() }, [book()]), [])
})

t.test('a list without a similar item shows only the expected item', async (t) => {
  const others = [book({ title: 'Ulysses', author: 'James Joyce', year: 1922 }), 'Emma', null]
  t.equal(found({ $contains: book() }, others).length, 1)
  t.equal(found({ $contains: { $has: { title: 'Emma' } } }, [{ title: 'Ulysses' }]).length, 1)
  t.same(found({ $contains: 7 }, [8]), [['/result', 'a list with an item that is 7', '[8]']])
})

t.test('of several alternatives, the differing member of the nearest one comes first', async (t) => {
  const [first] = found(
    { '$one-of': [null, book({ title: 'Persuasion', year: 1817 }), book()] },
    book({ year: 1816 }),
  )
  t.same(first, ['/result/year', '1815', '1816'])
  t.equal(found({ '$one-of': [null, 7] }, 8).length, 1)
})

t.test('long hexadecimal data is shown around its difference, other texts from their start', async (t) => {
  const zeros = `0x${'0'.repeat(510)}`
  const one = `0x${'0'.repeat(400)}1${'0'.repeat(109)}`
  const [[, expected = '', got = ''] = []] = found(zeros, one)
  t.match(expected, /^from character 403 on …"0{110}/)
  t.match(got, /^from character 403 on …"0{10}10/)
  const [text = []] = found(`${'x'.repeat(400)}y`, 'x'.repeat(500))
  t.match(text[2], /^"x{100}/)
  const [short = []] = found('0x00', '0x01')
  t.same(short, ['/result', '"0x00"', '"0x01"'])
})

t.test('lists of different lengths show the first differing item', async (t) => {
  const [lengths, first] = found([book(), book(), book({ year: 1 })], [book(), book({ year: 2 })])
  t.match(lengths?.[1], /^a list of 3/)
  t.same(first, ['/result/1/year', '1815', '2'])
})
