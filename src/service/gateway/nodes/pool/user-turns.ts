import { serviceKey } from '../answers/answer-waits.js'
import type { Attempt, NodeRequest } from '../node-request.js'

/** Stands for the service itself, whose calls go first. */
const service = serviceKey

/**
 * The connections of a node for one kind of calls, shared between users: first come, first served per user, and round
 * robin between users.
 *
 * A user may start another request if the user's requests in flight are fewer than the free connections and fewer than the
 * maximum of one user. Thus n users get 1/(n + 1) of the connections each, and a newcomer finds a free one.
 */
export class UserTurns {
  /** Number of waiting attempts. */
  waiting = 0
  readonly #connections: number
  readonly #connectionsOfUser: number
  readonly #requests = new Set<NodeRequest>()
  /** The waiting attempts by user, in the order in which users are served. */
  readonly #queues = new Map<string, Set<Attempt>>()

  /** @param connectionsOfUser maximum number of requests of one user in flight */
  constructor(connections: number, connectionsOfUser: number) {
    this.#connections = connections
    this.#connectionsOfUser = connectionsOfUser
  }

  /** True while a request of any user may start: all requests in flight may be of one user. */
  get isFree(): boolean {
    const { size } = this.#requests
    return this.waiting === 0 && size * 2 < this.#connections && size < this.#connectionsOfUser
  }

  /** Counts a request in flight. */
  sent(request: NodeRequest): void {
    this.#requests.add(request)
  }

  /** Releases the connection of a request. */
  ended(request: NodeRequest): void {
    this.#requests.delete(request)
  }

  /** Appends an attempt to the queue of its user. A shared call uses the queue that is served first. */
  add(attempt: Attempt): void {
    const { callers } = attempt.call.options
    const user = leastOf(attempt, (id) => this.#queues.get(id)?.size ?? 0)
    const queue = this.#queues.get(user)
    if (queue === undefined) this.#queues.set(user, new Set([attempt]))
    else queue.add(attempt)
    attempt.wait(user)
    if (callers !== undefined) callers.queued++
    this.waiting++
  }

  /** Removes a waiting attempt, because its caller has disconnected or it goes to another node. */
  remove(attempt: Attempt): void {
    const queue = this.#queues.get(attempt.user ?? service)
    if (queue?.delete(attempt) !== true) return
    if (queue.size === 0) this.#queues.delete(attempt.user ?? service)
    this.#left(attempt)
  }

  /**
   * Takes the attempts that may start now.
   * @param most maximum number of attempts in one request
   * @returns the contents of requests, to be sent at once
   */
  take(most: number): Attempt[][] {
    const contents: Attempt[][] = []
    if (this.waiting === 0) return contents
    const counts = this.#counts()
    for (let free = this.#connections - this.#requests.size; free > 0; free--) {
      const together = this.#takeTogether(free, counts, most)
      if (together.length === 0) break
      contents.push(together)
    }
    return contents
  }

  /** True when a request with an attempt may start now, and no other attempt of its user waits here. */
  hasTurnFor(attempt: Attempt): boolean {
    const free = this.#connections - this.#requests.size
    const user = attempt.user ?? leastOf(attempt, () => 0)
    if (free <= 0 || this.#queues.has(user)) return false
    const most = Math.min(free, this.#connectionsOfUser)
    return this.#requests.size < most || user === service || (this.#counts().get(user)?.requests ?? 0) < most
  }

  /** The waiting attempts of each user, in their order. */
  queues(): readonly (readonly Attempt[])[] {
    return [...this.#queues.values()].map((queue) => [...queue])
  }

  #takeTogether(free: number, counts: Map<string, Count>, most: number): Attempt[] {
    const together: Attempt[] = []
    const mostOfUser = Math.min(free, this.#connectionsOfUser)
    this.#serve(service, together, most, Number.POSITIVE_INFINITY)
    // A served queue moves to the end of the map, so this loop reaches it again.
    for (const user of this.#queues.keys()) {
      if (together.length === most || together[0]?.isAlone === true) break
      const atOnce = this.#queues.size === 1 ? most : 1
      if ((counts.get(user)?.requests ?? 0) < mostOfUser) this.#serve(user, together, most, atOnce)
    }
    for (const { user = service } of together) count(counts, user, together)
    return together
  }

  /** Moves the first attempts of a user to a request, and the user to the end of the round. */
  #serve(user: string, together: Attempt[], most: number, atOnce: number): void {
    const queue = this.#queues.get(user)
    if (queue === undefined) return
    let taken = 0
    for (const attempt of queue) {
      if (taken === atOnce || together.length === most || together[0]?.isAlone === true) break
      if (attempt.isAlone && together.length > 0) break
      queue.delete(attempt)
      this.#left(attempt)
      attempt.start()
      together.push(attempt)
      taken++
    }
    if (taken === 0) return
    this.#queues.delete(user)
    if (queue.size > 0) this.#queues.set(user, queue)
  }

  #left(attempt: Attempt): void {
    const { callers } = attempt.call.options
    attempt.isQueued = false
    this.waiting--
    if (callers !== undefined) callers.queued--
  }

  /**
   * Counts the requests in flight of each user, including those of disconnected callers:
   * the node still works on them.
   * They are counted only while calls wait.
   */
  #counts(): Map<string, Count> {
    const counts = new Map<string, Count>()
    for (const request of this.#requests) {
      for (const attempt of request.attempts) {
        attempt.user ??= leastOf(attempt, (id) => counts.get(id)?.requests ?? 0)
        count(counts, attempt.user, request)
      }
    }
    return counts
  }
}

/** The number of a user's requests in flight. */
interface Count {
  requests: number
  /** The last counted one: several calls of a user in a request count once. */
  last: object
}

function count(counts: Map<string, Count>, user: string, request: object): void {
  const known = counts.get(user)
  if (known === undefined) counts.set(user, { requests: 1, last: request })
  else if (known.last !== request) {
    known.requests++
    known.last = request
  }
}

/** The user with the lowest number of those who wait for an attempt; the service if there is none. */
function leastOf({ call }: Attempt, numberOf: (userId: string) => number): string {
  const [first = service, ...others] = call.options.callers?.userIds ?? []
  return others.reduce((least, id) => (numberOf(id) < numberOf(least) ? id : least), first)
}
