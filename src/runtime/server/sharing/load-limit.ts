import { FairLimiter, Holder } from './fair-limiter.js'
import { systemClock } from './loop-clock.js'

/** Interval between samples of the event loop, in milliseconds. */
const intervalMilliseconds = 10

/** The event loop is busy if it was idle for less than this part of an interval. */
const idlePart = 0.1

/** Consecutive busy samples, and their duration in milliseconds, after which a process is overloaded. */
const busySamples = 10
const busyMilliseconds = 1_000

/**
 * A process is also overloaded if a turn of the event loop takes longer than this, in milliseconds, while more requests
 * are in progress than usually end in a second. Up to the requests of `callersOfBurst` callers are no overload.
 */
const turnMilliseconds = 50
const callersOfBurst = 4

/** Time without a refusal after which the process is no longer overloaded, in milliseconds. */
const calmMilliseconds = 500

/** Target latency of an overloaded process, as a multiple of the usual latency. */
const timesUsual = 3

/** Minimum target latency, in milliseconds. */
const leastMilliseconds = 20

/** Minimum of the requests in progress of an overloaded process, as a part of those of one caller. */
const leastPart = 1 / 4

/** Refusals sent per millisecond. Each costs up to 50 microseconds of processor time. */
const refusalsPerMillisecond = 2

/** Requests of light callers that an overloaded process starts, as a multiple of the requests that end meanwhile. */
const timesEnded = 2

/** Weight of a sample in the moving averages. */
const weight = 0.1

const millisecondsPerSecond = 1_000

/** Growth of the limit per sample while the event loop has idle time. */
const growth = 1.05

/** Time in which a cost decays to 1/e, and length of the intervals that count active callers, in milliseconds. */
const memoryMilliseconds = 1_000

/** A caller is light below this fraction of an equal share. It is below 1, so that equal callers are rarely light. */
const lightPart = 0.9

/** Limits the requests in progress of all callers while the process is overloaded. */
export interface LoadLimit {
  /** Counts the start of a request. */
  began(): void
  /** Counts the end of a request. */
  ended(): void
  /** True while requests may be refused. Call it for each request: one can overload the process. */
  isOverloaded(): boolean
  /** Adds the processor time of a request, in milliseconds, to the cost of its caller. */
  worked(caller: Cost, milliseconds: number): void
  /**
   * Decides whether an overloaded process refuses a request.
   * @param own requests in progress of its caller
   * @param caller the cost of its caller
   */
  refuses(own: number, caller: Cost): boolean
  /** Refusals that wait to be sent, in turn. Until then, their connections send nothing else. */
  readonly refusals: FairLimiter
}

/**
 * Creates the limit of a process. While the event loop has no idle time, a further request in progress makes all others
 * slower and none faster. By Little's law, requests in progress are their rate times their mean time, so the limit is the
 * present rate times the time that they may take. Without a measure of the idle time, as outside Node.js, no request is
 * refused.
 *
 * A process that ends fewer requests in a second than one caller may have in progress is not limited, because its
 * requests wait for something else than the processor.
 *
 * A caller is not refused while it has fewer requests in progress than an equal share of the limit. Neither are light
 * callers, which used less than an equal share of the processor time; at most twice as many of their requests start as
 * requests end. A single caller is never refused: its own limits apply.
 * @param places maximum number of requests in progress of one caller
 * @param inProgress the requests in progress of all callers, and the number of their callers
 */
export function createLoadLimit(
  places: number,
  inProgress: Pick<FairLimiter<never>, 'units' | 'holders'>,
  clock = systemClock,
): LoadLimit {
  const least = Math.ceil(places * leastPart)
  let [sampledAt, idleThen, refusedAt] = [0, 0, 0]
  let [isSampling, hasRequests, isOverloaded] = [false, false, false]
  /** Consecutive busy samples, and their duration in milliseconds. */
  let [samples, busy] = [0, 0]
  let ended = 0
  /** Moving average of completed requests per millisecond. */
  let rate = 0
  /** Moving average of the latency in milliseconds, while the event loop is not busy. */
  let usual = 0
  /** Requests in progress of an overloaded process. */
  let most = least
  /** Requests of light callers that may start before the next sample. */
  let lightLeft = least
  const refusals = new FairLimiter({ onReady: () => undefined }, () => new Holder())
  const isMeasured = clock.idle() !== undefined
  const costs = new CallerCosts(clock.now)

  function startSampling(): void {
    isSampling = true
    sampledAt = clock.now()
    idleThen = clock.idle() ?? 0
    ended = 0
    clock.after(intervalMilliseconds, sample)
  }

  function sample(): void {
    const [now, idle] = [clock.now(), clock.idle() ?? 0]
    const passed = now - sampledAt
    const isBusy = idle - idleThen < passed * idlePart
    rate += weight * (ended / passed - rate)
    if (!isBusy && !isOverloaded && rate > 0) usual += weight * (inProgress.units / rate - usual)
    ;[samples, busy] = isBusy ? [samples + 1, busy + passed] : [0, 0]
    if (isOverloaded) adapt(isBusy, now)
    else if (isJudged() && samples >= busySamples && busy >= busyMilliseconds) overload(now)
    lightLeft = Math.max(least, timesEnded * rate * passed)
    refusals.start(Math.ceil(passed * refusalsPerMillisecond))
    ;[sampledAt, idleThen, ended] = [now, idle, 0]
    isSampling = hasRequests || isOverloaded || refusals.waiting > 0
    hasRequests = false
    if (isSampling) clock.after(intervalMilliseconds, sample)
  }

  /** False if requests wait for something else than the processor, such as slow nodes: few of them end. */
  const isJudged = () => rate * millisecondsPerSecond >= places

  const target = () => Math.max(least, rate * Math.max(leastMilliseconds, timesUsual * usual))

  function overload(now: number): void {
    isOverloaded = true
    refusedAt = now
    most = target()
  }

  function adapt(isBusy: boolean, now: number): void {
    if (now - refusedAt > calmMilliseconds) isOverloaded = false
    else most = isBusy ? Math.max(target(), most / growth) : most * growth
  }

  return {
    began() {
      hasRequests = true
      if (!isSampling && isMeasured) startSampling()
    },
    ended() {
      ended += 1
    },
    isOverloaded() {
      hasRequests = true
      if (isOverloaded) return true
      if (!isSampling || inProgress.units < callersOfBurst * places || !isJudged()) return false
      const now = clock.now()
      if (inProgress.units < rate * millisecondsPerSecond || now - sampledAt < turnMilliseconds) return false
      overload(now)
      return true
    },
    worked: (caller, milliseconds) => costs.add(caller, milliseconds),
    refuses(own, caller) {
      const { units, holders } = inProgress
      if (units < most || holders < 2 || own < Math.floor(most / holders)) return false
      if (lightLeft >= 1 && costs.isLight(caller, holders)) {
        lightLeft -= 1
        return false
      }
      refusedAt = clock.now()
      return true
    },
    refusals,
  }
}

/** The recent cost of a caller, or of all callers. */
export interface Cost {
  /** Processor time in milliseconds at the time `at`. It decays from then on. */
  milliseconds: number
  /** Time of the last change, in milliseconds. */
  at: number
  /** Number of the last interval in which the caller was active. */
  interval: number
}

/** A caller's initial cost: zero. */
export const noCost = (): Cost => ({ milliseconds: 0, at: 0, interval: -1 })

/** The recent costs of all callers, by which an overloaded process finds light callers. */
class CallerCosts {
  readonly #total = noCost()
  readonly #now: () => number
  /** Number of callers that were active in the current interval, and in the previous interval. */
  #active = 0
  #activeBefore = 0
  #interval = 0

  /** @param now clock, in milliseconds since any moment */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds the processor time of a request, in milliseconds, to the cost of its caller. */
  add(caller: Cost, milliseconds: number): void {
    const now = this.#now()
    this.#startInterval(now)
    if (caller.interval !== this.#interval) {
      caller.interval = this.#interval
      this.#active += 1
    }
    addCost(caller, milliseconds, now)
    addCost(this.#total, milliseconds, now)
  }

  /**
   * Returns true if the cost of a caller is clearly below an equal share of the total cost.
   * @param inProgress number of callers with requests in progress
   */
  isLight(caller: Cost, inProgress: number): boolean {
    const now = this.#now()
    this.#startInterval(now)
    const callers = Math.max(inProgress, this.#active, this.#activeBefore)
    return costAt(caller, now) * callers < costAt(this.#total, now) * lightPart
  }

  #startInterval(now: number): void {
    const interval = Math.floor(now / memoryMilliseconds)
    if (interval === this.#interval) return
    this.#activeBefore = interval === this.#interval + 1 ? this.#active : 0
    this.#active = 0
    this.#interval = interval
  }
}

const costAt = ({ milliseconds, at }: Cost, now: number): number =>
  milliseconds * Math.exp((at - now) / memoryMilliseconds)

function addCost(cost: Cost, milliseconds: number, now: number): void {
  cost.milliseconds = costAt(cost, now) + milliseconds
  cost.at = now
}
