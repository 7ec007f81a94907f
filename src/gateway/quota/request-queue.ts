import { failure } from '../../../generated/errors.js'
import type { EdgeResponse } from '../../server/index.js'
import type { PerKeyState } from '../keys/per-key-state.js'

/** Users that are remembered while they have no requests, a few hundred bytes each. */
const usersKept = 50_000

/** Requests that start in one turn of the event loop: requests of other users are read between two turns. */
const startsPerTurn = 16

const millisecondsPerSecond = 1_000

/** The bounds of the queue: those of a user are the contract's, those of all users are settings of the service. */
export interface QueueLimits {
  readonly requestsAtOncePerUser: number
  readonly queuedRequestsPerUser: number
  readonly queuedBytesPerUser: number
  readonly queuedRequests: number
  readonly queuedBytes: number
  readonly queueSeconds: number
}

/** A place among the requests of a user that are worked on. */
export interface Place {
  /** Gives the place back; once. */
  leave(): void
}

/** Lets few requests of each user be worked on at once; the others wait (specification 8). */
export interface RequestQueue {
  /**
   * Takes a place without waiting.
   * @param keyState of the key that the request came with, where there are any
   * @returns undefined when every place of the user is taken, or other requests of the user wait
   */
  enter(userId: string, keyState?: PerKeyState): Place | undefined
  /**
   * Waits for a place behind the user's other requests.
   * @param bytes of the request's body
   * @param response a caller who disconnects closes it, and leaves the queue
   * @returns undefined when the caller has left. Rejects with RpcError `tooManyCallsAtOnce` or `queueFull` when the
   * queue is full, and with `queuedTooLong` when the time is up
   */
  wait(
    userId: string,
    bytes: number,
    response: EdgeResponse,
    keyState?: PerKeyState,
  ): Promise<Place | undefined>
  /** Requests that wait, of all users. */
  size(): number
}

/** A request that waits. */
interface Waiting {
  readonly bytes: number
  start(): void
}

/** The requests of one user. It is each of their places, too, since places are all alike. */
class User implements Place {
  /** Requests that are worked on. */
  count = 0
  /** The requests that wait, the first first; undefined when there are none. */
  waiting: Set<Waiting> | undefined = undefined
  waitingBytes = 0
  /** True when the user was forgotten, and is counted anew elsewhere. */
  isGone = false
  readonly #left: (user: User) => void

  constructor(left: (user: User) => void) {
    this.#left = left
  }

  leave(): void {
    this.count -= 1
    if (this.waiting !== undefined) this.#left(this)
  }
}

/**
 * Makes the queue of a process: first come, first served for each user, and round robin between users.
 * @param limits its bounds; a batch is one request
 */
export function createRequestQueue(limits: QueueLimits): RequestQueue {
  const atOnce = limits.requestsAtOncePerUser
  const find = createUsers((user) => offer(user))
  /** Users who have a request that waits and a place for it, in the order in which they are served. */
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
    async wait(userId, bytes, response, keyState) {
      const user = find(userId, keyState)
      requireRoom(user, bytes)
      if (response.destroyed) return undefined
      return new Promise((resolve, reject) => {
        const request: Waiting = {
          bytes,
          start() {
            if (response.destroyed) return disconnected()
            leave()
            user.count += 1
            resolve(user)
          },
        }
        const leave = (): void => {
          remove(user, request)
          clearTimeout(timer)
          response.off('close', disconnected)
        }
        const disconnected = (): void => {
          leave()
          resolve(undefined)
        }
        const timer = setTimeout(() => {
          leave()
          reject(failure('queuedTooLong'))
        }, limits.queueSeconds * millisecondsPerSecond)
        response.once('close', disconnected)
        add(user, request)
        offer(user)
      })
    },
    size: () => queued,
  }
}

/** Makes what finds the requests of a user, also by the keyState of a key; idle users are forgotten, all at once. */
function createUsers(
  left: (user: User) => void,
): (userId: string, keyState: PerKeyState | undefined) => User {
  const users = new Map<string, User>()
  let room = usersKept
  const forgetIdle = (): void => {
    for (const [userId, user] of users) {
      if (user.count > 0 || user.waiting !== undefined) continue
      user.isGone = true
      users.delete(userId)
    }
    room = users.size + usersKept
  }
  const begin = (userId: string): User => {
    if (users.size >= room) forgetIdle()
    const user = new User(left)
    users.set(userId, user)
    return user
  }
  return (userId, keyState) => {
    const noted = keyState?.queuedUser as User | undefined
    if (noted?.isGone === false) return noted
    const user = users.get(userId) ?? begin(userId)
    if (keyState !== undefined) keyState.queuedUser = user
    return user
  }
}
