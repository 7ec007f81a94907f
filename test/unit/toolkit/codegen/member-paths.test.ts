import fc from 'fast-check'
import t from 'tap'
import { memberPaths } from '../../../../src/toolkit/codegen/emit/member-paths.js'
import type { Method } from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'
import { contractOf, methodOf } from './fixtures.js'

/** The places of methods with these names, in order. */
const placesOf = (...names: readonly string[]) => [
  ...memberPaths(names.map((name) => ({ name }) as Method)).values(),
]

t.test('a name is split at its dots and otherwise unchanged', async (t) => {
  const rows: readonly [readonly string[], readonly (readonly string[])[]][] = [
    [['eth_call'], [['eth_call']]],
    [['wallet.listKeys'], [['wallet', 'listKeys']]],
    [
      ['a.b.c', 'a.b.d'],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'd'],
      ],
    ],
    [
      ['a/b', 'c d ', '9', ''],
      [['a/b'], ['c d '], ['9'], ['']],
    ],
    [
      ['.a', 'a.', 'a..b', '.'],
      [['.a'], ['a.'], ['a..b'], ['.']],
    ],
    [
      ['a', 'a.b', 'a.c.d', 'a.b.c'],
      [['a'], ['a.b'], ['a.c', 'd'], ['a.b.c']],
    ],
    [
      ['a.b', 'a.b.c'],
      [
        ['a', 'b'],
        ['a', 'b.c'],
      ],
    ],
    [
      ['then', 'then_', 'x.then', 'then.x'],
      [['then_'], ['then__'], ['x', 'then_'], ['then.x']],
    ],
    [['then.x'], [['then_', 'x']]],
  ]
  for (const [names, want] of rows) t.same(placesOf(...names), want, names.join(' '))
})

t.test('for any names, each method has its own place, and no function contains a method', async () => {
  const part = fc.constantFrom('a', 'b', 'then', 'then_', '', '__proto__', ' ')
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
      const paths = [...memberPaths(names.map((each) => ({ name: each }) as Method)).values()]
      const texts = paths.map((path) => JSON.stringify(path))
      const within = (one: readonly string[], other: readonly string[]) =>
        one.length < other.length && one.every((key, at) => key === other[at])
      return (
        new Set(texts).size === names.length &&
        !paths.some((one) => paths.some((other) => within(one, other)))
      )
    }),
    { numRuns: runs(2000) },
  )
})

t.test('duplicate method names are refused before places are assigned', async (t) => {
  t.throws(() => contractOf({ methods: [methodOf([]), methodOf([])] }), {
    message: '#/methods/1: the method "m" is already declared at #/methods/0',
  })
})
