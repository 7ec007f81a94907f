import t from 'tap'
import { canonicalJson } from '../../../src/mock/canonical-json.js'
import { createRandom } from '../../../src/mock/make/random.js'

t.test('choices depend only on the text', async (t) => {
  const some = (text: string) => {
    const random = createRandom(text)
    return Array.from({ length: 20 }, () => random.fraction())
  }
  t.same(some('a'), some('a'))
  t.notSame(some('a'), some('b'))
  t.same(some('a').slice(0, 3), [0.16837830422446132, 0.39630530308932066, 0.47047146246768534])
})

t.test('choices stay within their limits, and all of them occur', async (t) => {
  const random = createRandom('bounds')
  const whole = Array.from({ length: 500 }, () => random.whole(-2, 2))
  t.same(
    [...new Set(whole)].sort((a, b) => a - b),
    [-2, -1, 0, 1, 2],
  )
  t.same(new Set(Array.from({ length: 100 }, () => random.pick(['x', 'y']))).size, 2)
  const fractions = Array.from({ length: 500 }, () => random.fraction())
  t.ok(fractions.every((fraction) => fraction >= 0 && fraction < 1))
  t.equal(random.chance(0), false)
  t.equal(random.chance(1), true)
  t.throws(() => random.pick([]), RangeError)
})

t.test('equal JSON values have one canonical text', async (t) => {
  const rows: readonly (readonly [one: string, other: string, areEqual: boolean])[] = [
    ['{"a":1,"b":[{"c":null,"d":""}]}', '{"b":[{"d":"","c":null}],"a":1.0}', true],
    ['0', '-0', true],
    ['[1,2]', '[2,1]', false],
    ['{"__proto__":1}', '{}', false],
    ['{"a":"1"}', '{"a":1}', false],
    ['[]', '{}', false],
    ['null', '"null"', false],
  ]
  for (const [one, other, areEqual] of rows) {
    t.equal(canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other)), areEqual, `${one} ${other}`)
  }
  t.equal(canonicalJson(undefined), '')
})
