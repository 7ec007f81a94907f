/**
 * Processor time that a new connection costs at least, in milliseconds. A server of Node.js that does nothing else was
 * measured with 75 to 95 microseconds for each connection that opens and closes.
 */
const connectionMilliseconds = 0.08

/** The clock and the timer of limiters. Tests pass their own. */
export interface LoopClock {
  /** Milliseconds since any moment. */
  now(): number
  /**
   * Milliseconds for which the event loop did nothing for requests, since any moment: it had nothing to do, or opened
   * connections. Undefined if idle time is not measured.
   */
  idle(): number | undefined
  /** Calls a function once after a time in milliseconds, and never within this turn of the event loop. */
  after(milliseconds: number, run: () => void): unknown
}

const runtime: typeof performance & { readonly eventLoopUtilization?: () => { readonly idle: number } } =
  performance

/** New connections of all servers of this process, which share its event loop. */
let connections = 0

/** Counts a new connection, also one that is closed at once. */
export function countConnection(): void {
  connections += 1
}

/** The clock of this process. */
export const systemClock: LoopClock = {
  now: () => performance.now(),
  idle() {
    // Only Node.js measures idle time.
    const idle = runtime.eventLoopUtilization?.().idle
    return idle === undefined ? undefined : idle + connections * connectionMilliseconds
  },
  after: (milliseconds, run) => (milliseconds > 0 ? setTimeout(run, milliseconds) : setImmediate(run)),
}
