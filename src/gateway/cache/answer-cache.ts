import { failure } from '../../../generated/errors.js'
import { type JsonValue, RawJson } from '../../rpc/index.js'
import type { CallSignal, NodeCallOptions, NodeTrace, WrittenParams } from '../node-call.js'
import { KeptAnswers } from './kept-answers.js'
import { type Lifetime, lifetimeOf, lifetimeOfResult } from './lifetime.js'

/** Answers a method of the contract; see the policy's forwarder. */
type Forward = (method: string, params: readonly JsonValue[], options?: NodeCallOptions) => Promise<JsonValue>

/** Numbers of the cache that are no promises to users; for one network each, sizes in bytes. */
export interface CacheSettings {
  /** Answers that cannot change. */
  readonly keptBytes: number
  /** Answers that are good until the next block. */
  readonly headBytes: number
  /** How many of these: few, so that what nobody asks for again is gone while it is young. */
  readonly headAnswers: number
  /** Larger answers are not kept. */
  readonly answerBytes: number
}

const cacheSettings: CacheSettings = {
  keptBytes: 32 * 1_048_576,
  headBytes: 1_048_576,
  headAnswers: 512,
  answerBytes: 1_048_576,
}

/** What a lookup came to: found, asked of a node, or joined to a call that is under way. */
export type CacheOutcome = 'hit' | 'miss' | 'joined'

/** What the cache of a network is made of. */
export interface AnswerCacheOptions {
  readonly forward: Forward
  /** Number of the most recent block; undefined before the first is known. */
  readonly head: () => bigint | undefined
  readonly limits: {
    /** Blocks; what is deeper cannot change. */
    readonly finalityDepth: number
    readonly latestAnswerSeconds: number
  }
  /** Told of each lookup. */
  readonly observe?: ((outcome: CacheOutcome) => void) | undefined
  /** A clock that does not go back, in milliseconds. */
  readonly now?: (() => number) | undefined
  readonly settings?: Partial<CacheSettings> | undefined
}

/** One who asks. */
export interface Asker {
  /** True when nobody reads the answer any more; looked at while the answer is on its way. */
  readonly hasLeft?: boolean | undefined
  /** Where requests are traced. */
  readonly trace?: NodeTrace | undefined
}

/** Answers what it knows at once, and asks for the rest once for all who want the same. */
export type AnswerCache = (
  method: string,
  params: readonly JsonValue[],
  asker?: Asker,
) => RawJson | Promise<JsonValue | RawJson>

/** A call that is under way for one caller or several: given up when all of them have left. */
class Flight implements CallSignal {
  answer: Promise<JsonValue | RawJson> | undefined = undefined
  #askers: Asker[]

  constructor(first: Asker) {
    this.#askers = [first]
  }

  get aborted(): boolean {
    for (const { hasLeft } of this.#askers) if (hasLeft !== true) return false
    return true
  }

  /** Nobody reads it: what a call is given up with is no failure of ours. */
  get reason(): unknown {
    return failure('noNode')
  }

  join(asker: Asker): void {
    this.#askers.push(asker)
  }

  /** Lets go of all that belongs to it: who held it last may hold it for long. */
  land(): void {
    this.#askers = nobody
    this.answer = undefined
  }
}

const nobody: Asker[] = []
const nobodyKnown: Asker = {}

const millisecondsPerSecond = 1_000
const sending = 'eth_sendRawTransaction'

/**
 * Makes the cache of a network (specification 2.1). Every caller keeps the own id and pays the own quota. A call that
 * comes after a new block or a write never gets an answer that was asked for before; one who leaves does not take the
 * others' answer away.
 */
export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { forward, limits, observe = () => undefined, now = () => performance.now() } = options
  const settings = { ...cacheSettings, ...options.settings }
  const { finalityDepth } = limits
  const kept = new KeptAnswers(settings.keptBytes)
  const recent = new KeptAnswers(settings.headBytes, settings.headAnswers)
  const flights = new Map<string, Flight>()
  let knownHead: bigint | undefined
  /** When the answers about the most recent block began to be collected. */
  let recentSince = 0
  /** Changes with each new block and each write: what was asked for in another one is out of date. */
  let epoch = 0

  function begin(): void {
    epoch += 1
    recent.clear()
    flights.clear()
  }

  function lookAtHead(): bigint | undefined {
    const head = options.head()
    if (head === knownHead) return head
    // A chain that began anew has other blocks under the same numbers.
    if (head === undefined || (knownHead !== undefined && head < knownHead)) kept.clear()
    knownHead = head
    begin()
    return head
  }

  function remember(key: string, lifetime: Lifetime, result: JsonValue, asked: number): JsonValue | RawJson {
    if (lifetime === 'never') return result
    const answer = new RawJson(JSON.stringify(result))
    if (answer.text.length > settings.answerBytes) return answer
    if (lifetime === 'kept') kept.set(key, answer)
    else if (asked === epoch) {
      if (recent.bytes === 0) recentSince = now()
      recent.set(key, answer)
    }
    return answer
  }

  function found(key: string, lifetime: Lifetime): RawJson | undefined {
    if (lifetime === 'never') return undefined
    const isOver =
      recent.bytes > 0 && now() - recentSince >= limits.latestAnswerSeconds * millisecondsPerSecond
    if (isOver) recent.clear()
    return (lifetime === 'kept' ? kept.get(key) : undefined) ?? recent.get(key)
  }

  function depart(
    key: string,
    longest: Lifetime,
    method: string,
    written: WrittenParams,
    asker: Asker,
  ): Promise<JsonValue | RawJson> {
    const flight = new Flight(asker)
    const asked = epoch
    const land = () => {
      flight.land()
      if (flights.get(key) === flight) flights.delete(key)
    }
    const answer = forward(method, written.params, { signal: flight, trace: asker.trace, written }).then(
      (result) => {
        land()
        const head = lookAtHead()
        return remember(key, lifetimeOfResult(method, longest, result, head, finalityDepth), result, asked)
      },
      (error: unknown) => {
        land()
        throw error
      },
    )
    flight.answer = answer
    flights.set(key, flight)
    return answer
  }

  return (method, params, asker = nobodyKnown) => {
    if (method === sending) return between(begin, () => forward(method, params, { trace: asker.trace }))
    const longest = lifetimeOf(method, params, lookAtHead(), finalityDepth)
    const text = JSON.stringify(params)
    const key = `${method} ${text}`
    const answer = found(key, longest)
    if (answer !== undefined) {
      observe('hit')
      return answer
    }
    const flight = flights.get(key)
    if (flight?.answer === undefined || flight.aborted) {
      observe('miss')
      return depart(key, longest, method, { params, text }, asker)
    }
    observe('joined')
    flight.join(asker)
    return flight.answer
  }
}

/** Does something before a piece of work and behind it, whatever becomes of it. */
async function between<T>(act: () => void, work: () => Promise<T>): Promise<T> {
  act()
  try {
    return await work()
  } finally {
    act()
  }
}
