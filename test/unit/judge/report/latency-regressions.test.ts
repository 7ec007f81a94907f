import t from 'tap'
import type { Latency, LatencyNumbers } from '../../../../src/judge/report/index.js'
import { latencyRegressions } from '../../../../src/judge/report/latency-regressions.js'

const numbers = (requests: number, [p50, p90, p99]: readonly [number, number, number]): LatencyNumbers => ({
  requests,
  p50,
  p90,
  p99,
  max: 10_000,
})

const latency = (all: LatencyNumbers, methods: Readonly<Record<string, LatencyNumbers>>): Latency => ({
  all,
  methods: Object.entries(methods).map(([method, of]) => ({ method, ...of })),
  timeline: [],
  pauses: [],
  limits: [],
})

const before = latency(numbers(500, [100, 100, 100]), {
  book: numbers(200, [100, 100, 100]),
  few: numbers(9, [100, 100, 100]),
  enough: numbers(10, [100, 100, 100]),
  quick: numbers(200, [1, 1, 1]),
  gone: numbers(200, [1, 1, 1]),
})

t.test('percentiles that rise by more than the tolerance are listed', async (t) => {
  const now = latency(numbers(500, [100, 151, 200]), {
    book: numbers(199, [151, 150, 900]),
    few: numbers(200, [900, 900, 900]),
    enough: numbers(10, [200, 200, 200]),
    quick: numbers(200, [20, 21, 5]),
    added: numbers(200, [900, 900, 900]),
  })
  t.same(latencyRegressions(now, before, 50), [
    { measure: 'p90', before: 100, now: 151 },
    { measure: 'p99', before: 100, now: 200 },
    { method: 'book', measure: 'p50', before: 100, now: 151 },
    { method: 'enough', measure: 'p50', before: 100, now: 200 },
    { method: 'quick', measure: 'p90', before: 1, now: 21 },
  ])
  t.same(latencyRegressions(now, before, 99), [
    { measure: 'p99', before: 100, now: 200 },
    { method: 'enough', measure: 'p50', before: 100, now: 200 },
    { method: 'quick', measure: 'p90', before: 1, now: 21 },
  ])
  t.same(latencyRegressions(before, now, 0).length, 0)
})

t.test('reports without latencies have no regressions', async (t) => {
  t.same(latencyRegressions(undefined, before, 50), [])
  t.same(latencyRegressions(before, undefined, 50), [])
})
