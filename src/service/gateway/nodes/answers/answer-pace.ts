/** The bounds of large answers. */
export const paceLimits = {
  /** Time for large answers in one turn of the event loop, in milliseconds. */
  turnMs: 4,
  /** Share of the time for large answers while other users are served. */
  share: 1 / 4,
  /** Bytes a second of all large answers, while other users are served. */
  bytesPerSecond: 33_554_432,
  /** Rests up to this time, in milliseconds, are added up: a timer for each piece would cost more. */
  minimumRestMs: 4,
  /** A user is served for this time after a request to a node, in milliseconds. */
  servedMs: 100,
  /** Pieces of answers that one turn of the event loop reads after a wait. */
  piecesAtOnce: 16,
} as const

/** Where the pace reads the time and waits; a test has its own. */
export interface PaceClock {
  /** Milliseconds since any moment. */
  now(): number
  /** Calls a function after a time in milliseconds, and never within this turn of the event loop. */
  after(milliseconds: number, run: () => void): unknown
}

const systemClock: PaceClock = {
  now: () => performance.now(),
  after: (milliseconds, run) => (milliseconds > 0 ? setTimeout(run, milliseconds) : setImmediate(run)),
}

/** The request of an answer. */
interface PacedRequest {
  /** True when the connection was closed. */
  readonly hasEnded: boolean
}

/** An answer that waits for its turn. */
interface Waiting {
  readonly request: PacedRequest
  readonly start: () => void
}

const millisecondsPerSecond = 1_000

/**
 * Limits the time and the bytes that large answers of nodes take, over all callers. Node reads up to 2 MB of each
 * connection in a turn of the event loop, so a few answers at full speed would delay all other requests for 100 ms. An
 * answer that is read slowly is also sent slowly, and its node is slowed down by back-pressure.
 *
 * The time in a turn of the event loop is always limited. While other users are served, the share of the event loop and
 * the bytes a second are limited, too. Users take turns.
 */
export class AnswerPace {
  readonly #clock: PaceClock
  /** The waiting answers of each user, oldest first. Users are in the order of their turns. */
  readonly #users = new Map<string | undefined, Set<Waiting>>()
  /** Time for large answers in this turn of the event loop, in milliseconds. */
  #turnMs = 0
  /** End of the rest while others are served. */
  #restUntil = Number.NEGATIVE_INFINITY
  #isTurnDue = false
  #isResting = false
  /** The user of the latest request to a node, when it was sent, and when another user's was. */
  #latestUser: string | undefined
  #latestAt = Number.NEGATIVE_INFINITY
  #earlierAt = Number.NEGATIVE_INFINITY

  constructor(clock: PaceClock = systemClock) {
    this.#clock = clock
  }

  /**
   * Records a request to a node, which shows that a user is served.
   * @param userId undefined for the service itself, which does not count
   * @param at on the clock of the pace
   */
  served(userId: string | undefined, at: number): void {
    if (userId === undefined) return
    if (userId !== this.#latestUser) this.#earlierAt = this.#latestAt
    this.#latestUser = userId
    this.#latestAt = at
  }

  /**
   * Counts the work on a piece of a user's answer.
   * @param from start of the work, on the clock of the pace
   */
  worked(userId: string | undefined, from: number, bytes: number): void {
    const now = this.#clock.now()
    this.#turnMs += now - from
    this.#scheduleTurn()
    if (!this.#servesOthers(userId, now)) return
    const { share, bytesPerSecond } = paceLimits
    const taken = Math.max((now - from) / share, (bytes * millisecondsPerSecond) / bytesPerSecond)
    this.#restUntil = Math.max(this.#restUntil, from) + taken
  }

  /**
   * Returns a promise to wait for before the next piece is read; undefined if it may be read now.
   * @param request whose wait ends no later than at the next turn of its user when its connection is closed
   */
  turn(userId: string | undefined, request: PacedRequest): Promise<void> | undefined {
    const isFree = this.#users.size === 0 && this.#turnMs < paceLimits.turnMs
    if (isFree && this.#closedFor(userId, this.#clock.now()) === 0) return undefined
    return new Promise((start) => {
      const waiting = this.#users.get(userId)
      if (waiting === undefined) this.#users.set(userId, new Set([{ request, start }]))
      else waiting.add({ request, start })
    })
  }

  #scheduleTurn(): void {
    if (this.#isTurnDue) return
    this.#isTurnDue = true
    this.#clock.after(0, () => {
      this.#isTurnDue = false
      this.#turnMs = 0
      this.#startNext()
    })
  }

  /** Starts the waiting answers whose turn it is, or waits for the end of the rest. */
  #startNext(): void {
    const [first] = this.#users.keys()
    if (this.#users.size === 0 || this.#isResting) return
    const now = this.#clock.now()
    const rest = this.#closedFor(first, now)
    if (rest > 0) {
      this.#isResting = true
      this.#clock.after(rest, () => {
        this.#isResting = false
        this.#startNext()
      })
      return
    }
    const most = this.#servesOthers(first, now) ? 1 : paceLimits.piecesAtOnce
    for (let started = 0; started < most && this.#users.size > 0; started++) this.#startOne()
    if (this.#users.size > 0) this.#scheduleTurn()
  }

  /** Starts the oldest answer of the first user, who then waits for all other users. Answers that were left end. */
  #startOne(): void {
    for (const [userId, answers] of this.#users) {
      this.#users.delete(userId)
      for (const next of answers) {
        answers.delete(next)
        next.start()
        if (!next.request.hasEnded) break
      }
      if (answers.size > 0) this.#users.set(userId, answers)
      return
    }
  }

  #servesOthers(userId: string | undefined, now: number): boolean {
    const at = userId === this.#latestUser ? this.#earlierAt : this.#latestAt
    return now - at < paceLimits.servedMs
  }

  /** The rest before the next piece of a user, in milliseconds. */
  #closedFor(userId: string | undefined, now: number): number {
    const rest = this.#restUntil - now
    return rest > paceLimits.minimumRestMs && this.#servesOthers(userId, now) ? rest : 0
  }
}

/** The pace of all large answers of a process. */
export const answerPace = new AnswerPace()
