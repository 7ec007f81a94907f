import type { AttemptedCall } from './attempted-call.js'

/** The limits of a batch. */
export interface BatchSize {
  readonly maxCalls: number
  /** Maximum size of the body in bytes. */
  readonly maxBytes: number
}

/** Runs a function when the current turn of the event loop ends. Read once, so that tests may fake timers. */
const afterTurn: (work: () => void) => void =
  (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate ??
  ((work) => void setTimeout(work, 0))

/**
 * Creates a function that collects the calls of one turn of the event loop.
 * @param size the limits of a batch
 * @param send sends the calls of one request
 */
export function createBatcher(
  size: BatchSize,
  send: (calls: readonly AttemptedCall[]) => void,
): (call: AttemptedCall) => void {
  let waiting: AttemptedCall[] = []
  return (call) => {
    if (waiting.push(call) > 1) return
    afterTurn(() => {
      const calls = waiting.filter(({ isSettled }) => !isSettled)
      waiting = []
      for (const batch of splitCalls(calls, size)) send(batch)
    })
  }
}

/**
 * Splits calls into batches within the limits, in order. A call that is too large has a batch of its own. Calls of a batch
 * have the same headers object.
 */
export function splitCalls(
  calls: readonly AttemptedCall[],
  { maxCalls, maxBytes }: BatchSize,
): readonly (readonly AttemptedCall[])[] {
  const encoder = new TextEncoder()
  const batches: AttemptedCall[][] = []
  let bytes = 0
  for (const call of calls) {
    // With the comma or bracket after it.
    const size = encoder.encode(call.text).length + 1
    const last = batches.at(-1)
    bytes += size
    if (last && last.length < maxCalls && bytes <= maxBytes && last[0]?.headers === call.headers)
      last.push(call)
    else {
      batches.push([call])
      bytes = size + 1
    }
  }
  return batches
}
