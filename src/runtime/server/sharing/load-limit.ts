import { CallerCosts, type Cost } from './caller-costs.js'

/** Interval between samples of the event loop, in milliseconds. */
const intervalMilliseconds = 10

/** The event loop is busy if it was idle for less than this part of an interval. */
const idlePart = 0.1

/** Consecutive busy samples, and their duration in milliseconds, after which a process is overloaded. */
const busySamples = 10
const busyMilliseconds = 1_000

/**
 * A process is also overloaded if a turn of the event loop takes longer than this, in milliseconds, and there are more
 * requests in progress than usually end in a second, and than `callersOfBurst` callers may have.
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

/** Counts the requests in progress of all callers, and limits them while the process is overloaded. */
export interface LoadLimit {
  /** Counts the start of a request, the caller's only one in progress if `isFirst`. */
  began(isFirst: boolean): void
  /** Counts the end of a request, after which the caller has none in progress if `isLast`. */
  ended(isLast: boolean): void
  /** True while requests may be refused. Call it for each request: one can overload the process. */
  isOverloaded(): boolean
  /** Adds the processor time of a request, in milliseconds, to the cost of its caller. */
  worked(caller: Cost, milliseconds: number): void
  /**
   * Decides whether an overloaded process refuses a request.
   * @param own requests in progress of its caller
   * @param caller the cost of its caller
   * @returns undefined for a request that may start; otherwise a promise that resolves when it is to be refused. Until
   *   then its connection sends nothing else
   */
  refuse(own: number, caller: Cost): Promise<void> | undefined
}

/** Where the limit reads the time and waits; a test has its own. */
export interface LoadClock {
  /** Milliseconds since any moment. */
  now(): number
  /** Milliseconds for which the event loop had nothing to do, since any moment; undefined if it is not measured. */
  idle(): number | undefined
  /** Calls a function once after a time in milliseconds. */
  after(milliseconds: number, run: () => void): void
}

const runtime: typeof performance & { readonly eventLoopUtilization?: () => { readonly idle: number } } =
  performance

const systemClock: LoadClock = {
  now: () => performance.now(),
  idle: () => runtime.eventLoopUtilization?.().idle,
  after: (milliseconds, run) => {
    setTimeout(run, milliseconds).unref()
  },
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
 */
export function createLoadLimit(places: number, clock: LoadClock = systemClock): LoadLimit {
  const least = Math.ceil(places * leastPart)
  let [sampledAt, idleThen, refusedAt] = [0, 0, 0]
  let [isSampling, hasRequests, isOverloaded] = [false, false, false]
  /** Consecutive busy samples, and their duration in milliseconds. */
  let [samples, busy] = [0, 0]
  let [inProgress, callers, ended] = [0, 0, 0]
  /** Moving average of completed requests per millisecond. */
  let rate = 0
  /** Moving average of the latency in milliseconds, while the event loop is not busy. */
  let usual = 0
  /** Requests in progress of an overloaded process. */
  let most = least
  /** Requests of light callers that may start before the next sample. */
  let lightLeft = least
  /** Pending refusals, oldest first. */
  const refusals = new Set<() => void>()
  const costs = new CallerCosts(clock.now)

  function startSampling(): void {
    isSampling = true
    sampledAt = clock.now()
    idleThen = clock.idle() ?? Number.NEGATIVE_INFINITY
    ended = 0
    clock.after(intervalMilliseconds, sample)
  }

  function sample(): void {
    const [now, idle] = [clock.now(), clock.idle() ?? Number.POSITIVE_INFINITY]
    const passed = now - sampledAt
    const isBusy = idle - idleThen < passed * idlePart
    rate += weight * (ended / passed - rate)
    if (!isBusy && !isOverloaded && rate > 0) usual += weight * (inProgress / rate - usual)
    ;[samples, busy] = isBusy ? [samples + 1, busy + passed] : [0, 0]
    if (isOverloaded) adapt(isBusy, now)
    else if (isJudged() && samples >= busySamples && busy >= busyMilliseconds) overload(now)
    lightLeft = Math.max(least, timesEnded * rate * passed)
    release(passed)
    ;[sampledAt, idleThen, ended] = [now, idle, 0]
    isSampling = hasRequests || isOverloaded || refusals.size > 0
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

  function release(milliseconds: number): void {
    let left = Math.ceil(milliseconds * refusalsPerMillisecond)
    for (const refuse of refusals) {
      if (left-- === 0) break
      refusals.delete(refuse)
      refuse()
    }
  }

  return {
    began(isFirst) {
      inProgress += 1
      if (isFirst) callers += 1
      hasRequests = true
      if (!isSampling) startSampling()
    },
    ended(isLast) {
      inProgress -= 1
      if (isLast) callers -= 1
      ended += 1
    },
    isOverloaded() {
      hasRequests = true
      if (isOverloaded) return true
      if (!isSampling || idleThen < 0 || inProgress < callersOfBurst * places || !isJudged()) return false
      const now = clock.now()
      if (inProgress < rate * millisecondsPerSecond || now - sampledAt < turnMilliseconds) return false
      overload(now)
      return true
    },
    worked: (caller, milliseconds) => costs.add(caller, milliseconds),
    refuse(own, caller) {
      if (inProgress < most || callers < 2 || own < Math.floor(most / callers)) return undefined
      if (lightLeft >= 1 && costs.isLight(caller, callers)) {
        lightLeft -= 1
        return undefined
      }
      refusedAt = clock.now()
      return new Promise((resolve) => {
        refusals.add(resolve)
      })
    },
  }
}
