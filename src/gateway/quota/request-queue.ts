import { failure } from '@concordat/node-access-contract/errors'
import type { EdgeResponse } from '@concordat/server'
import type { PerKeyState } from '../keys/index.js'
import { waitToStart } from './wait-to-start.js'

/** Idle users that are kept in memory, with a few hundred bytes each. */
const idleUsersKept = 50_000

/** Queued requests that start per event-loop turn. Requests of other users are read between turns. */
const startsPerTurn = 16

/** Bounds of the queue. Those per user come from the contract; those of all users are settings of the service. */
export interface QueueLimits {
  readonly requestsAtOncePerUser: number
  readonly queuedRequestsPerUser: number
  readonly queuedBytesPerUser: number
  readonly queuedRequests: number
  readonly queuedBytes: number
  readonly queueSeconds: number
}

/** One of a user's places for concurrent requests. */
export interface Place {
  /** Releases the place. It must be called once. */
  leave(): void
}

/** Limits the concurrent requests of each user and queues the others (specification 8). */
export interface RequestQueue {
  /**
   * Takes a place without waiting.
   * @param keyState state of the request's key, which caches the user
   * @returns undefined if all places of the user are taken or other requests of the user wait
   */
  enter(userId: string, keyState?: PerKeyState): Place | undefined
  /**
   * Refuses a request that would find the queue full, before its body is read.
   * @param bytes announced size of the request's body; 0 if it is unknown
   * @throws RpcError tooManyCallsAtOnce, queueFull
   */
  requireRoom(userId: string, bytes: number, keyState?: PerKeyState): void
  /**
   * Waits for a place, after the user's other requests.
   * @param bytes size of the request's body
   * @param response response of the request; when the caller disconnects, it closes and the request leaves the queue
   * @returns undefined if the caller has disconnected. Rejects with RpcError `tooManyCallsAtOnce` or `queueFull` if the
   *   queue is full, and with `queuedTooLong` after the maximum time
   */
  wait(
    userId: string,
    bytes: number,
    response: EdgeResponse,
    keyState?: PerKeyState,
  ): Promise<Place | undefined>
  /** Number of waiting requests of all users. */
  size(): number
}

/** A waiting request. */
interface Waiting {
  readonly bytes: number
  start(): void
}

/** The requests of one user. The object also serves as all of the user's places, because places have no state. */
class User implements Place {
  /** Requests in progress. */
  count = 0
  /** Waiting requests, the oldest first; undefined if there are none. */
  waiting: Set<Waiting> | undefined = undefined
  waitingBytes = 0
  /** True if this object has been dropped and must not be used any more. */
  isGone = false
  readonly #onPlaceFree: (user: User) => void

  constructor(onPlaceFree: (user: User) => void) {
    this.#onPlaceFree = onPlaceFree
  }

  leave(): void {
    this.count -= 1
    if (this.waiting !== undefined) this.#onPlaceFree(this)
  }
}

/**
 * Creates the queue of a process: first come, first served per user, and round robin between users.
 * @param limits bounds; a batch counts as one request
 */
export function createRequestQueue(limits: QueueLimits): RequestQueue {
  const atOnce = limits.requestsAtOncePerUser
  const find = createUsers((user) => offer(user))
  /** Users with both a waiting request and a free place, in the order in which they are served. */
  const ready = new Set<User>()
  let [queued, queuedBytes] = [0, 0]
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || ready.size === 0) return
    isScheduled = true
    setImmediate(startSome)
  }

  function offer(user: User): void {
    if (user.waiting === undefined || user.count >= atOnce) return
    ready.add(user)
    schedule()
  }

  function startSome(): void {
    for (let started = 0; started < startsPerTurn; started++) {
      const [user] = ready
      if (user === undefined) break
      ready.delete(user)
      const [next] = user.waiting ?? []
      next?.start()
      offer(user)
    }
    isScheduled = false
    schedule()
  }

  function add(user: User, request: Waiting): void {
    user.waiting ??= new Set()
    user.waiting.add(request)
    user.waitingBytes += request.bytes
    queued += 1
    queuedBytes += request.bytes
  }

  function remove(user: User, request: Waiting): void {
    user.waiting?.delete(request)
    if (user.waiting?.size === 0) user.waiting = undefined
    user.waitingBytes -= request.bytes
    queued -= 1
    queuedBytes -= request.bytes
  }

  function requireRoom({ waiting, waitingBytes }: User, bytes: number): void {
    const count = waiting?.size ?? 0
    if (count >= limits.queuedRequestsPerUser || waitingBytes + bytes > limits.queuedBytesPerUser)
      throw failure('tooManyCallsAtOnce')
    if (queued >= limits.queuedRequests || queuedBytes + bytes > limits.queuedBytes)
      throw failure('queueFull')
  }

  return {
    enter(userId, keyState) {
      const user = find(userId, keyState)
      if (user.count >= atOnce || user.waiting !== undefined) return undefined
      user.count += 1
      return user
    },
    requireRoom(userId, bytes, keyState) {
      const user = find(userId, keyState)
      if (user.count >= atOnce || user.waiting !== undefined) requireRoom(user, bytes)
    },
    async wait(userId, bytes, response, keyState) {
      const user = find(userId, keyState)
      requireRoom(user, bytes)
      const isStarted = await waitToStart(response, limits, (start) => {
        const request: Waiting = {
          bytes,
          start() {
            if (start()) user.count += 1
          },
        }
        add(user, request)
        offer(user)
        return () => remove(user, request)
      })
      return isStarted ? user : undefined
    },
    size: () => queued,
  }
}

/** Creates the lookup of users. When too many idle users have accumulated, all idle users are dropped. */
function createUsers(
  onPlaceFree: (user: User) => void,
): (userId: string, keyState: PerKeyState | undefined) => User {
  const users = new Map<string, User>()
  let capacity = idleUsersKept
  const dropIdle = (): void => {
    for (const [userId, user] of users) {
      if (user.count > 0 || user.waiting !== undefined) continue
      user.isGone = true
      users.delete(userId)
    }
    capacity = users.size + idleUsersKept
  }
  const begin = (userId: string): User => {
    if (users.size >= capacity) dropIdle()
    const user = new User(onPlaceFree)
    users.set(userId, user)
    return user
  }
  return (userId, keyState) => {
    const cached = keyState?.queuedUser as User | undefined
    if (cached?.isGone === false) return cached
    const user = users.get(userId) ?? begin(userId)
    if (keyState !== undefined) keyState.queuedUser = user
    return user
  }
}
