import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Rounds of the busy loop, and the milliseconds that they take on an idle core of the machines that run these tests. */
const ROUNDS = 60_000_000
const USUAL_MS = 100
/** Pause between two measurements of {@link watchSlowness}. */
const PAUSE_MS = 5_000

/** The loop runs in a thread of its own, so that the test's own work goes on. */
const measurement = `
const { parentPort } = require('node:worker_threads')
function loop(rounds) {
  let value = 1
  for (let round = 0; round < rounds; round++) value = (Math.imul(value, 7) + round) | 0
  return value
}
const began = performance.now()
const value = loop(${ROUNDS})
parentPort.postMessage({ milliseconds: performance.now() - began, value })
`

/**
 * Measures how much longer a busy loop takes now than on an idle machine: 1 or more. A test whose subject is a promise
 * in seconds multiplies its limit by it; every other test waits for an event, or judges order, counts or processor time.
 */
export async function slowness(): Promise<number> {
  // Without the options of the tests, which would load tsx.
  const worker = new Worker(measurement, { eval: true, execArgv: [] })
  const [{ milliseconds }] = await once(worker, 'message')
  return Math.max(1, milliseconds / USUAL_MS)
}

/** Measures the slowness again and again until the test ends, as other programs come and go. */
export async function watchSlowness(t: {
  teardown: (work: () => unknown) => void
}): Promise<{ readonly now: number; readonly most: number }> {
  const first = await slowness()
  const found = { now: first, most: first }
  const ended = new AbortController()
  const watch = async () => {
    while (!ended.signal.aborted) {
      await delay(PAUSE_MS, undefined, { ref: false, signal: ended.signal }).catch(() => undefined)
      if (ended.signal.aborted) return
      found.now = await slowness()
      found.most = Math.max(found.most, found.now)
    }
  }
  const watching = watch()
  t.teardown(() => {
    ended.abort()
    return watching
  })
  return found
}
