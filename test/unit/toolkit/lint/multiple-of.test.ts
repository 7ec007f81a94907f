import fc from 'fast-check'
import t from 'tap'
import { isMultipleOf } from '../../../../src/toolkit/contract/index.js'

t.test('multiples are computed with decimal arithmetic', async (t) => {
  const rows: readonly [value: number, divisor: number, want: boolean][] = [
    [6, 3, true],
    [7, 3, false],
    [-6, 3, true],
    [0, 3, true],
    [0, 0.1, true],
    [-0, 7, true],
    [0.07, 0.01, true],
    [0.3, 0.1, true],
    [0.075, 0.01, false],
    [19.99, 0.01, true],
    [4.35, 0.01, true],
    [1.5, 0.5, true],
    [1.5, 1, false],
    [1e21, 1, true],
    [1e21, 7, false],
    [1e23, 10, true],
    [1e20, 3, false],
    [1e308, 1e-308, true],
    [1.5e300, 7e-300, false],
    [1, 5e-324, true],
    [5e-324, 1, false],
    [1e-7, 1e-8, true],
    [12e-8, 1e-8, true],
    [1.5e-8, 1e-8, false],
    [Number.MAX_VALUE, Number.MIN_VALUE, true],
    [Number.POSITIVE_INFINITY, 1, false],
    [1, Number.POSITIVE_INFINITY, false],
  ]
  for (const [value, divisor, want] of rows) {
    t.equal(isMultipleOf(value, divisor), want, `${value} of ${divisor}`)
  }
})

t.test('whole steps are multiples, and half a step more is not', async () => {
  const steps = fc.record({ count: fc.integer(), places: fc.integer({ min: 0, max: 6 }) })
  fc.assert(
    fc.property(steps, ({ count, places }) => {
      const step = Number(`1e-${places}`)
      const multiple = Number(`${count}e-${places}`)
      const between = Number(`${count}5e-${places + 1}`)
      return isMultipleOf(multiple, step) && !isMultipleOf(between, step)
    }),
  )
})
