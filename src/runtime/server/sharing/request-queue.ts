import type { RpcError } from '@concordat/rpc'
import { type Failures, failureError } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'
import { noCost } from './caller-costs.js'
import { createLoadLimit, type LoadLimit } from './load-limit.js'
import { waitToStart } from './wait-to-start.js'

/** Idle callers that are kept in memory, with a few hundred bytes each. */
const idleCallersKept = 50_000

/** Queued requests that start per event-loop turn. Requests of other callers are read between turns. */
const startsPerTurn = 16

/** Bounds of the queue. Those of one caller come from the contract; those of all callers are options of the service. */
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
   * @returns undefined if the request may start; otherwise RpcError `queueFull`, when it is to be sent
   */
  shed(callerId: string): Promise<RpcError> | undefined
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

/** A waiting request. */
interface Waiting {
  readonly bytes: number
  start(): void
}

/** The requests of one caller. The object also serves as all of its places, because places have no state. */
class Caller implements Place {
  /** Requests in progress. */
  count = 0
  /** Waiting requests, the oldest first; undefined if there are none. */
  waiting: Set<Waiting> | undefined = undefined
  waitingBytes = 0
  readonly cost = noCost()
  readonly #load: LoadLimit
  readonly #onPlaceFree: (caller: Caller) => void

  constructor(load: LoadLimit, onPlaceFree: (caller: Caller) => void) {
    this.#load = load
    this.#onPlaceFree = onPlaceFree
  }

  enter(): void {
    this.count += 1
    this.#load.began(this.count === 1)
  }

  worked(milliseconds: number): void {
    this.#load.worked(this.cost, milliseconds)
  }

  leave(): void {
    this.count -= 1
    this.#load.ended(this.count === 0)
    if (this.waiting !== undefined) this.#onPlaceFree(this)
  }
}

/**
 * Creates the queue of a process: first come, first served per caller, and round robin between callers.
 * @param limits bounds; a batch counts as one request
 */
export function createRequestQueue(
  limits: QueueLimits,
  failures: Pick<Failures, 'tooManyCallsAtOnce' | 'queueFull' | 'queuedTooLong'>,
): RequestQueue {
  const atOnce = limits.requestsAtOncePerUser
  const load = createLoadLimit(atOnce)
  const ownBytes = { limit: limits.queuedBytesPerUser, unit: 'bytes' }
  // One error for all refusals: the stack of a new one would be a tenth of their cost.
  const overloaded = failureError(failures.queueFull)
  const find = createCallers(() => new Caller(load, offer))
  /** Callers with both a waiting request and a free place, in the order in which they are served. */
  const ready = new Set<Caller>()
  let [queued, queuedBytes] = [0, 0]
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || ready.size === 0) return
    isScheduled = true
    setImmediate(startSome)
  }

  function offer(caller: Caller): void {
    if (caller.waiting === undefined || caller.count >= atOnce) return
    ready.add(caller)
    schedule()
  }

  function startSome(): void {
    for (let started = 0; started < startsPerTurn; started++) {
      const [caller] = ready
      if (caller === undefined) break
      ready.delete(caller)
      const [next] = caller.waiting ?? []
      next?.start()
      offer(caller)
    }
    isScheduled = false
    schedule()
  }

  function add(caller: Caller, request: Waiting): void {
    caller.waiting ??= new Set()
    caller.waiting.add(request)
    caller.waitingBytes += request.bytes
    queued += 1
    queuedBytes += request.bytes
  }

  function remove(caller: Caller, request: Waiting): void {
    caller.waiting?.delete(request)
    if (caller.waiting?.size === 0) caller.waiting = undefined
    caller.waitingBytes -= request.bytes
    queued -= 1
    queuedBytes -= request.bytes
  }

  function requireRoom({ waiting, waitingBytes }: Caller, bytes: number): void {
    const count = waiting?.size ?? 0
    if (count >= limits.queuedRequestsPerUser)
      throw failureError(failures.tooManyCallsAtOnce, { sent: count + 1 })
    if (waitingBytes + bytes > limits.queuedBytesPerUser)
      throw failureError(failures.tooManyCallsAtOnce, { bound: ownBytes, sent: waitingBytes + bytes })
    if (queued >= limits.queuedRequests || queuedBytes + bytes > limits.queuedBytes)
      throw failureError(failures.queueFull)
  }

  return {
    enter(callerId) {
      const caller = find(callerId)
      if (caller.count >= atOnce || caller.waiting !== undefined) return undefined
      caller.enter()
      return caller
    },
    shed(callerId) {
      if (!load.isOverloaded()) return undefined
      const caller = find(callerId)
      if (caller.count >= atOnce || caller.waiting !== undefined) return undefined
      return load.refuse(caller.count, caller.cost)?.then(() => overloaded)
    },
    requireRoom(callerId, bytes) {
      const caller = find(callerId)
      if (caller.count >= atOnce || caller.waiting !== undefined) requireRoom(caller, bytes)
    },
    async wait(callerId, bytes, response) {
      const caller = find(callerId)
      requireRoom(caller, bytes)
      const isStarted = await waitToStart(response, limits, failures, (start) => {
        const request: Waiting = {
          bytes,
          start() {
            if (start()) caller.enter()
          },
        }
        add(caller, request)
        offer(caller)
        return () => remove(caller, request)
      })
      return isStarted ? caller : undefined
    },
    size: () => queued,
  }
}

/** Creates the lookup of callers. When too many idle callers have accumulated, all idle callers are dropped. */
function createCallers(create: () => Caller): (callerId: string) => Caller {
  const callers = new Map<string, Caller>()
  let capacity = idleCallersKept
  const dropIdle = (): void => {
    for (const [callerId, caller] of callers)
      if (caller.count === 0 && caller.waiting === undefined) callers.delete(callerId)
    capacity = callers.size + idleCallersKept
  }
  return (callerId) => {
    const known = callers.get(callerId)
    if (known !== undefined) return known
    if (callers.size >= capacity) dropIdle()
    const caller = create()
    callers.set(callerId, caller)
    return caller
  }
}
