import t from 'tap'
import { latencyLimits } from '../../../../src/judge/latency/latency-limits.js'
import { createLatencyRecorder } from '../../../../src/judge/latency/latency-recorder.js'
import type { Exchange, Outgoing } from '../../../../src/judge/send/exchange.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { startDeployment } from '../run/deployment.js'
import { library, missing } from '../run/library.js'
import { libraryContract } from '../run/library-contract.js'
import { runSuite } from '../run/run-suite.js'

const contract = parseContract(JSON.stringify(libraryContract))

/** Records requests of methods with their latencies. */
function recorded(
  requests: readonly (readonly [methods: Outgoing['methods'], milliseconds: number, Exchange['trouble']?])[],
) {
  const recorder = createLatencyRecorder(contract)
  for (const [methods, milliseconds, trouble] of requests) {
    const outgoing = { methods } as Outgoing
    const reply =
      trouble === undefined ? { status: 200, headers: {}, bytes: new Uint8Array(), text: '' } : undefined
    recorder.record({ outgoing, reply, trouble, milliseconds })
  }
  return recorder
}

t.test('percentiles are values of the nearest rank', async (t) => {
  const hundred = Array.from({ length: 100 }, (_, at) => [['book'], 100 - at] as const)
  for (const [requests, want] of [
    [hundred, { requests: 100, p50: 50, p90: 90, p99: 99, max: 100 }],
    [hundred.slice(0, 1), { requests: 1, p50: 100, p90: 100, p99: 100, max: 100 }],
    [hundred.slice(98), { requests: 2, p50: 1, p90: 2, p99: 2, max: 2 }],
    [[], { requests: 0, p50: 0, p90: 0, p99: 0, max: 0 }],
  ] as const) {
    t.same(recorded(requests).summary([]).all, want)
  }
})

t.test('batches, unknown methods and timeouts count in the whole, raw bytes and resets do not', async (t) => {
  const timeout = { kind: 'timeout', message: 'The answer did not come.' } as const
  const recorder = recorded([
    [['book'], 1],
    [['book'], 30, timeout],
    [['book'], 50, { ...timeout, kind: 'reset' }],
    [['book', 'newest'], 3],
    [['__proto__'], 4],
    [undefined, 5],
  ])
  const { all, methods } = recorder.summary([])
  t.same(all, { requests: 4, p50: 3, p90: 30, p99: 30, max: 30 })
  t.same(methods, [{ method: 'book', requests: 2, p50: 1, p90: 30, p99: 30, max: 30 }])
})

t.test('a limit is exceeded above its value, and given limits replace those of the contract', async (t) => {
  const stated = {
    ...libraryContract,
    info: { ...libraryContract.info, 'x-latency': { p90: 9 } },
    methods: libraryContract.methods.map((method) =>
      method.name === 'book' ? { ...method, 'x-latency': { p50: 1, max: 5 } } : method,
    ),
  }
  const limits = latencyLimits(parseContract(JSON.stringify(stated)), [
    { method: 'book', measure: 'p50', milliseconds: 2 },
    { method: 'lend', measure: 'max', milliseconds: 1 },
  ])
  const recorder = recorded([
    [['book'], 2],
    [['book'], 5.1],
  ])
  t.same(recorder.summary(limits).limits, [
    { measure: 'p90', milliseconds: 9, actual: 5.1, isExceeded: false },
    { method: 'book', measure: 'p50', milliseconds: 2, actual: 2, isExceeded: false },
    { method: 'book', measure: 'max', milliseconds: 5, actual: 5.1, isExceeded: true },
    { method: 'lend', measure: 'max', milliseconds: 1, actual: undefined, isExceeded: false },
  ])
})

t.test('a slow answer is measured, and is a pause while nothing else is answered', async (t) => {
  const answers = library()
  const delay = 250
  const deployment = await startDeployment(t, async (call) => {
    if (call.method === 'book') await new Promise((resolve) => setTimeout(resolve, delay))
    return answers(call)
  })
  const { latency } = await runSuite(t, deployment.url, { 'books/one.yaml': missing })
  const book = latency?.methods.find(({ method }) => method === 'book')
  t.equal(book?.requests, 1)
  // Timers of a server may fire a millisecond early.
  t.ok(book !== undefined && book.max >= delay - 2)
  const [pause] = latency?.pauses ?? []
  t.ok(
    pause !== undefined && pause.milliseconds >= delay - 2 && pause.milliseconds <= (latency?.all.max ?? 0),
  )
  t.equal(pause?.waiting, 1)
  const slow = latency?.timeline.filter(({ max }) => max >= delay - 2) ?? []
  t.ok(slow.length > 0 && slow.every(({ at, milliseconds }) => at + milliseconds >= delay - 2))
  const requests = latency?.timeline.reduce((sum, slice) => sum + slice.requests, 0)
  t.equal(requests, latency?.all.requests)
})
