import type { RpcError } from '@concordat/rpc'
import { type Failures, failureError } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'
import { FairLimiter, Holder } from './fair-limiter.js'
import { createLoadLimit, type LoadLimit, noCost } from './load-limit.js'
import { systemClock } from './loop-clock.js'
import { signalOf, waitToStart } from './wait-to-start.js'

/** Idle callers that are kept in memory, with a few hundred bytes each. */
const idleCallersKept = 50_000

/** Queued requests that start per event-loop turn. Requests of other callers are read between turns. */
const startsPerTurn = 16

/** Bounds of the queue. Those of a caller come from the contract, those of all callers from options of the service. */
export interface QueueLimits {
  readonly requestsAtOncePerUser: number
  readonly queuedRequestsPerUser: number
  readonly queuedBytesPerUser: number
  readonly queuedRequests: number
  readonly queuedBytes: number
  readonly queueSeconds: number
}

/** One of a caller's places for concurrent requests. */
export interface Place {
  /** Counts the processor time of the request, in milliseconds. */
  worked(milliseconds: number): void
  /** Releases the place. It must be called once. */
  leave(): void
}

/** Limits the concurrent requests of each caller and queues the others. */
export interface RequestQueue {
  /**
   * Takes a place without waiting.
   * @returns undefined if all places of the caller are taken or other requests of the caller wait
   */
  enter(callerId: string): Place | undefined
  /**
   * Refuses a request that would take a place without waiting, if the process is overloaded and the caller has its part of
   * the requests in progress.
   * @param bytes size of the request's body
   * @param response response of the request; when the caller disconnects, it closes
   * @returns undefined if the request may start; otherwise RpcError `queueFull`, when it is to be sent, or undefined if the
   *   caller disconnects first. It is sent at once if the queue has no room for the request
   */
  shed(
    callerId: string,
    bytes: number,
    response: Recipient,
  ): RpcError | Promise<RpcError | undefined> | undefined
  /**
   * Refuses a request that would find the queue full, before its body is read.
   * @param bytes announced size of the request's body; 0 if it is unknown
   * @throws RpcError tooManyCallsAtOnce, queueFull
   */
  requireRoom(callerId: string, bytes: number): void
  /**
   * Waits for a place, after the caller's other requests.
   * @param bytes size of the request's body
   * @param response response of the request; when the caller disconnects, it closes and the request leaves the queue
   * @returns undefined if the caller has disconnected. Rejects with RpcError `tooManyCallsAtOnce` or `queueFull` if the
   *   queue is full, and with `queuedTooLong` after the maximum time
   */
  wait(callerId: string, bytes: number, response: Recipient): Promise<Place | undefined>
  /** Number of waiting requests of all callers. */
  size(): number
}

/** The requests of one caller. The object also serves as all of its places, because places have no state. */
class Caller extends Holder implements Place {
  readonly cost = noCost()
  readonly #load: LoadLimit
  readonly #places: FairLimiter<Caller>

  constructor(load: LoadLimit, places: FairLimiter<Caller>) {
    super()
    this.#load = load
    this.#places = places
  }

  worked(milliseconds: number): void {
    this.#load.worked(this.cost, milliseconds)
  }

  leave(): void {
    this.#load.ended()
    this.#places.give(this)
  }
}

/**
 * Creates the queue of a process: first come, first served per caller, and round robin between callers.
 * @param limits bounds; a batch counts as one request
 */
export function createRequestQueue(
  limits: QueueLimits,
  failures: Pick<Failures, 'tooManyCallsAtOnce' | 'queueFull' | 'queuedTooLong'>,
  clock = systemClock,
): RequestQueue {
  const ownBytes = { limit: limits.queuedBytesPerUser, unit: 'bytes' }
  // One error for all refusals: the stack of a new one would be a tenth of their cost.
  const overloaded = failureError(failures.queueFull)
  const places: FairLimiter<Caller> = new FairLimiter(
    { unitsPerKey: limits.requestsAtOncePerUser, idleKept: idleCallersKept, onReady: schedule },
    () => new Caller(load, places),
  )
  const load: LoadLimit = createLoadLimit(limits.requestsAtOncePerUser, places, clock)
  const { refusals } = load
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(startSome)
  }

  function startSome(): void {
    isScheduled = false
    if (places.start(startsPerTurn)) schedule()
  }

  const mustWait = (caller: Caller) => caller.waiting !== undefined || !places.fits(caller, 1)

  /** The bound that one more waiting request would exceed. Refusals that wait to be sent count as waiting requests. */
  function boundOf(
    { waiting, waitingBytes }: Holder,
    bytes: number,
  ): 'requests' | 'bytes' | 'all' | undefined {
    if ((waiting?.size ?? 0) >= limits.queuedRequestsPerUser) return 'requests'
    if (waitingBytes + bytes > limits.queuedBytesPerUser) return 'bytes'
    const isFull = places.waiting + refusals.waiting >= limits.queuedRequests
    return isFull || places.waitingBytes + refusals.waitingBytes + bytes > limits.queuedBytes
      ? 'all'
      : undefined
  }

  function requireRoom(caller: Caller, bytes: number): void {
    const bound = boundOf(caller, bytes)
    if (bound === 'all') throw failureError(failures.queueFull)
    if (bound === 'requests')
      throw failureError(failures.tooManyCallsAtOnce, { sent: (caller.waiting?.size ?? 0) + 1 })
    if (bound === 'bytes')
      throw failureError(failures.tooManyCallsAtOnce, { bound: ownBytes, sent: caller.waitingBytes + bytes })
  }

  return {
    enter(callerId) {
      const caller = places.of(callerId)
      if (!places.take(caller)) return undefined
      load.began()
      return caller
    },
    shed(callerId, bytes, response) {
      if (!load.isOverloaded()) return undefined
      const caller = places.of(callerId)
      if (mustWait(caller) || !load.refuses(caller.units, caller.cost)) return undefined
      const refused = refusals.of(callerId)
      if (boundOf(refused, bytes) !== undefined) return overloaded
      const refusing = refusals.wait(refused, { units: 0, bytes, signal: signalOf(response) })
      return refusing.then((end) => (end === 'left' ? undefined : overloaded))
    },
    requireRoom(callerId, bytes) {
      const caller = places.of(callerId)
      if (mustWait(caller)) requireRoom(caller, bytes)
    },
    async wait(callerId, bytes, response) {
      const caller = places.of(callerId)
      requireRoom(caller, bytes)
      if (!(await waitToStart(places, caller, response, limits, failures, { bytes }))) return undefined
      load.began()
      return caller
    },
    size: () => places.waiting,
  }
}
