import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Rounds of the busy loop. */
const ROUNDS = 60_000_000
/** Milliseconds of the busy loop on an idle core of the machines that run these tests. */
const USUAL_MS = 100
/** Pause between two measurements of {@link watchSlowness}, in milliseconds. */
const PAUSE_MS = 5_000

/** The loop runs in its own thread, so that it does not block the test. */
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
 * Measures the slowdown factor of this machine with a busy loop: 1 on an idle machine, otherwise more. Tests of
 * promises in seconds multiply their limits by it. All other tests wait for events, or check order, counts or processor
 * time.
 */
async function slowness(): Promise<number> {
  // Without the options of the tests, which would load tsx.
  const worker = new Worker(measurement, { eval: true, execArgv: [] })
  const [{ milliseconds }] = await once(worker, 'message')
  return Math.max(1, milliseconds / USUAL_MS)
}

/** Measures the slowdown factor repeatedly until the test ends, because the load of the machine changes. */
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
