import fc from 'fast-check'
import t from 'tap'
import { matchValue } from '../../../../src/judge/expect/match-value.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import { runs } from '../../../support/runs.js'

const match = (expected: readonly JsonValue[], actual: readonly JsonValue[]) =>
  matchValue({ $unordered: expected }, actual, '', () => [])

t.test('each expected item needs an item of its own', async (t) => {
  const table: readonly [expected: JsonValue[], actual: JsonValue[], holds: boolean][] = [
    [[1, 1], [1, 1], true],
    [[1, 1], [1], false],
    [[1], [1, 1], false],
    [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }], true],
    [[1], ['1'], false],
    [[null], [[]], false],
    [[{ $min: 1 }, { $min: 5 }], [5, 1], true],
    [[{ $min: 5 }, { $min: 1 }], [5, 1], true],
    [[{ $min: 5 }, { $min: 5 }], [5, 1], false],
    [[{ $min: 1 }, 5], [5, 1], true],
    [[{ $min: 1 }, 1], [1, 1], true],
    [[{ $min: 1 }, { $max: 3 }, { $min: 2, $max: 2 }], [2, 1, 3], true],
    [[{ $max: 2 }, { $min: 2, $max: 3 }, { $min: 2, $max: 2 }], [2, 3, 1], true],
    [[{ $max: 2 }, { $min: 2, $max: 2 }, { $min: 2, $max: 2 }], [2, 3, 1], false],
  ]
  for (const [expected, actual, holds] of table) {
    t.equal(match(expected, actual).length === 0, holds, JSON.stringify([expected, actual]))
  }
})

t.test('unmatched items of both sides are reported', async (t) => {
  t.strictSame(match([1, { $has: { a: 1 } }], [{ a: 2 }, 1]), [{ where: '/0/a', expected: '1', got: '2' }])
  t.strictSame(match([1, 2, 3], [3, 9]), [
    { where: '', expected: 'an item that is 1', got: 'no unpaired item that matches' },
    { where: '', expected: 'an item that is 2', got: 'no unpaired item that matches' },
    { where: '/1', expected: 'no further item', got: '9' },
  ])
  t.strictSame(match([{ $min: 1 }], []), [
    { where: '', expected: 'an item that is at least 1', got: 'an empty list' },
  ])
})

const range = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
  .map(([min, width]) => ({ $min: min, $max: min + width }))
const item: fc.Arbitrary<JsonValue> = fc.oneof(range, fc.integer({ min: 0, max: 8 }))

t.test('an unordered match holds exactly when some order of the items matches', async () => {
  const lists = fc.integer({ min: 0, max: 5 }).chain((length) => {
    const size = { minLength: length, maxLength: length }
    return fc.tuple(fc.array(item, size), fc.array(fc.integer({ min: 0, max: 8 }), size))
  })
  fc.assert(
    fc.property(lists, ([expected, actual]) => {
      const holds = permutations(actual).some(
        (order) => matchValue(expected, order, '', () => []).length === 0,
      )
      return (match(expected, actual).length === 0) === holds
    }),
    { numRuns: runs(500) },
  )
})

t.test('ten thousand items match in reverse order', async (t) => {
  const list = Array.from({ length: 10_000 }, (_, at) => ({ index: at, data: `0x${at}` }))
  t.strictSame(match(list, list.toReversed()), [])
})

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length === 0) return [[]]
  return list.flatMap((item, at) => permutations(list.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}
