import type { Failures } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'
import { waitToStart } from './wait-to-start.js'

/**
 * After work of t milliseconds, the gate stays closed until the event loop was idle for this many times t. Large bodies
 * therefore take at most a third of what other requests leave of the event loop.
 */
const idleOfWork = 2

/** It stays closed for at most this many times t, so that large bodies get a sixteenth of a busy event loop. */
const mostRestOfWork = 15

/** Minimum rest that closes the gate, in milliseconds. A timer after each short piece of work would cost more. */
const minimumRest = 10

/**
 * Lets the bodies of all callers that are expensive to work on pass one at a time: first come, first served per caller, and
 * round robin between callers.
 */
export interface WorkGate {
  /**
   * Waits for the turn of a body, whose work must begin in the same microtask.
   * @param response response of the request; when the caller disconnects, it closes and the request leaves
   * @returns false if the caller has disconnected. Rejects with RpcError `queuedTooLong` after the maximum time
   */
  pass(callerId: string, response: Recipient): boolean | Promise<boolean>
  /** Counts the time of synchronous work on such a body, in milliseconds. */
  worked(milliseconds: number): void
}

/** Where the gate reads the time and waits; a test has its own. */
export interface GateClock {
  /** Milliseconds since any moment. */
  now(): number
  /** Milliseconds for which the event loop had nothing to do, since any moment. */
  idle(): number
  /** Calls a function after a time in milliseconds, and never within this turn of the event loop. */
  after(milliseconds: number, run: () => void): unknown
}

const runtime: typeof performance & { readonly eventLoopUtilization?: () => { readonly idle: number } } =
  performance

const systemClock: GateClock = {
  now: () => performance.now(),
  // Only Node.js measures idle time. Elsewhere, large bodies get a sixteenth of the event loop.
  idle: () => runtime.eventLoopUtilization?.().idle ?? 0,
  after: (milliseconds, run) => (milliseconds > 0 ? setTimeout(run, milliseconds) : setImmediate(run)),
}

/** Creates the gate of a process. */
export function createWorkGate(
  limits: { readonly queueSeconds: number },
  failures: Pick<Failures, 'queuedTooLong'>,
  clock: GateClock = systemClock,
): WorkGate {
  /** Functions that start the waiting requests of each caller, oldest first. Callers are in the order of their turns. */
  const callers = new Map<string, Set<() => boolean>>()
  /** The idle time, and at the latest the time, at which the gate opens. */
  let [restUntilIdle, restUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** True while `startNext` is scheduled. New requests then wait behind those that it starts. */
  let isScheduled = false

  /** Time until the gate opens if the event loop is idle, in milliseconds; 0 if it is open. */
  function closedFor(): number {
    const rest = Math.min(restUntilIdle - clock.idle(), restUntil - clock.now())
    return rest > minimumRest ? rest : 0
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    clock.after(closedFor(), startNext)
  }

  function startNext(): void {
    isScheduled = false
    if (closedFor() === 0) {
      const [next] = callers
      if (next !== undefined) {
        const [callerId, waiting] = next
        const [start] = waiting
        start?.()
        // The caller's next request waits until all other callers had their turn.
        if (callers.delete(callerId) && waiting.size > 0) callers.set(callerId, waiting)
      }
    }
    if (callers.size > 0) schedule()
  }

  function join(callerId: string, start: () => boolean): () => void {
    const waiting = callers.get(callerId) ?? new Set()
    callers.set(callerId, waiting.add(start))
    schedule()
    return () => {
      waiting.delete(start)
      if (waiting.size === 0 && callers.get(callerId) === waiting) callers.delete(callerId)
    }
  }

  return {
    pass(callerId, response) {
      if (callers.size === 0 && !isScheduled && closedFor() === 0) {
        schedule()
        return true
      }
      return waitToStart(response, limits, failures, (start) => join(callerId, start))
    },
    worked(milliseconds) {
      restUntilIdle = Math.max(restUntilIdle, clock.idle()) + idleOfWork * milliseconds
      restUntil = Math.max(restUntil, clock.now()) + mostRestOfWork * milliseconds
    },
  }
}
