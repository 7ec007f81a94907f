import type { Failures } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'
import { FairLimiter, Holder } from './fair-limiter.js'
import { systemClock } from './loop-clock.js'
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

/** Creates the gate of a process. Without a measure of idle time, large bodies get a sixteenth of the event loop. */
export function createWorkGate(
  limits: { readonly queueSeconds: number },
  failures: Pick<Failures, 'queuedTooLong'>,
  clock = systemClock,
): WorkGate {
  const turns = new FairLimiter({ onReady: schedule }, () => new Holder())
  /** The idle time, and at the latest the time, at which the gate opens. */
  let [restUntilIdle, restUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** True while `startNext` is scheduled. New requests then start after those that it starts. */
  let isScheduled = false

  const idle = () => clock.idle() ?? 0

  /** Time until the gate opens if the event loop is idle, in milliseconds; 0 if it is open. */
  function closedFor(): number {
    const rest = Math.min(restUntilIdle - idle(), restUntil - clock.now())
    return rest > minimumRest ? rest : 0
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    clock.after(closedFor(), startNext)
  }

  function startNext(): void {
    isScheduled = false
    if (closedFor() === 0) turns.start(1)
    if (turns.waiting > 0) schedule()
  }

  return {
    pass(callerId, response) {
      if (turns.waiting === 0 && !isScheduled && closedFor() === 0) {
        schedule()
        return true
      }
      return waitToStart(turns, turns.of(callerId), response, limits, failures, { units: 0 })
    },
    worked(milliseconds) {
      restUntilIdle = Math.max(restUntilIdle, idle()) + idleOfWork * milliseconds
      restUntil = Math.max(restUntil, clock.now()) + mostRestOfWork * milliseconds
    },
  }
}
