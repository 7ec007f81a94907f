import t from 'tap'
import { durationBounds } from '../../../../../src/service/gateway/usage/index.js'
import { estimateQuantile } from '../../../../../src/service/gateway/usage/read-key-metrics.js'

t.test('quantiles are interpolated within their class', async (t) => {
  const counts = (of: Readonly<Record<number, number>>) => durationBounds.map((bound) => of[bound] ?? 0)
  t.equal(estimateQuantile([], 0.5, 0), undefined)
  t.equal(estimateQuantile(counts({}), 0.5, 0), undefined)
  t.equal(estimateQuantile(counts({ 10: 100 }), 0.5, 10), 7.5, 'half the way from 5 to 10')
  t.equal(estimateQuantile(counts({ 1: 50, 100: 50 }), 0.5, 100), 1)
  t.equal(estimateQuantile(counts({ 1: 50, 100: 50 }), 0.95, 100), 95)
  t.equal(estimateQuantile(counts({ 10: 100 }), 1, 6), 6, 'never more than the maximum')
  t.equal(estimateQuantile([...counts({}), 4], 0.5, 30_000), 25_000, 'the last class ends at the maximum')
  t.equal(
    estimateQuantile(counts({ 10: 3 }), 0.5, 2),
    5,
    'a maximum outside its class is not used as a bound',
  )
})
