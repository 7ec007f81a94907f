import { failure } from '../../../generated/errors.js'
import { type JsonValue, RawJson } from '../../rpc/index.js'
import type { NodeCallOptions } from '../node-call.js'
import { KeptAnswers } from './kept-answers.js'
import { isShared, type Lifetime, lifetimeOf, lifetimeOfResult } from './lifetime.js'

/** Answers a method of the contract; see the policy's forwarder. */
type Forward = (method: string, params: readonly JsonValue[], options?: NodeCallOptions) => Promise<JsonValue>

/** Numbers of the cache that are no promises to users; for one network each, in bytes. */
export interface CacheSettings {
  /** Answers that cannot change. */
  readonly keptBytes: number
  /** Answers that are good until the next block. */
  readonly headBytes: number
  /** Larger answers are not kept. */
  readonly answerBytes: number
}

const cacheSettings: CacheSettings = {
  keptBytes: 32 * 1_048_576,
  headBytes: 8 * 1_048_576,
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

/** How one caller asks. */
export interface AskOptions extends Omit<NodeCallOptions, 'signal'> {
  /** Gives a signal that is aborted when the caller leaves. */
  readonly left?: (() => AbortSignal) | undefined
}

/** Answers what it knows at once, and asks for the rest once for all who want the same. */
export type AnswerCache = (
  method: string,
  params: readonly JsonValue[],
  options?: AskOptions,
) => RawJson | Promise<JsonValue | RawJson>

/** A call, as the first caller made it. */
interface Asked {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly options: NodeCallOptions
}

/** A call that is under way for one caller or several. */
interface Flight {
  readonly answer: Promise<JsonValue | RawJson>
  /** Aborts the call when nobody waits for it any more. */
  readonly controller: AbortController
  waiting: number
}

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
  const recent = new KeptAnswers(settings.headBytes)
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
    const isOver = now() - recentSince >= limits.latestAnswerSeconds * millisecondsPerSecond
    if (isOver && recent.bytes > 0) recent.clear()
    return (lifetime === 'kept' ? kept.get(key) : undefined) ?? recent.get(key)
  }

  function depart(key: string, longest: Lifetime, { method, params, options }: Asked): Flight {
    const controller = new AbortController()
    const asked = epoch
    const answer = forward(method, params, { ...options, signal: controller.signal }).then((result) => {
      const head = lookAtHead()
      return remember(key, lifetimeOfResult(method, longest, result, head, finalityDepth), result, asked)
    })
    const flight = { answer, controller, waiting: 0 }
    flights.set(key, flight)
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    answer.then(land, land)
    return flight
  }

  /** Waits with others: rejects when this caller leaves, and ends the call when it was the last. */
  function join(key: string, flight: Flight, left: AbortSignal | undefined): Promise<JsonValue | RawJson> {
    flight.waiting += 1
    if (left === undefined) return flight.answer
    return new Promise((resolve, reject) => {
      const leave = () => {
        flight.waiting -= 1
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key)
          flight.controller.abort()
        }
        // Nobody reads it: what a call is given up with is no failure of ours.
        reject(failure('noNode'))
      }
      if (left.aborted) {
        leave()
        return
      }
      left.addEventListener('abort', leave, { once: true })
      const settle = () => left.removeEventListener('abort', leave)
      flight.answer.then(
        (answer) => {
          settle()
          resolve(answer)
        },
        (error: unknown) => {
          settle()
          reject(error)
        },
      )
    })
  }

  async function write(
    method: string,
    params: readonly JsonValue[],
    options: NodeCallOptions,
  ): Promise<JsonValue> {
    begin()
    try {
      return await forward(method, params, options)
    } finally {
      begin()
    }
  }

  return (method, params, { left, ...callOptions } = {}) => {
    if (method === sending) return write(method, params, callOptions)
    if (!isShared(method)) return alone(forward, { method, params, options: callOptions }, left?.())
    const longest = lifetimeOf(method, params, lookAtHead(), finalityDepth)
    const key = `${method} ${JSON.stringify(params)}`
    const answer = found(key, longest)
    if (answer !== undefined) {
      observe('hit')
      return answer
    }
    const under = flights.get(key)
    observe(under === undefined ? 'miss' : 'joined')
    return join(key, under ?? depart(key, longest, { method, params, options: callOptions }), left?.())
  }
}

/** Asks for one caller alone. */
async function alone(
  forward: Forward,
  { method, params, options }: Asked,
  signal: AbortSignal | undefined,
): Promise<JsonValue> {
  try {
    return await forward(method, params, { ...options, signal })
  } catch (error) {
    // Nobody reads it: what a call is given up with is no failure of ours.
    throw signal?.aborted === true ? failure('noNode') : error
  }
}
