import { type JsonValue, RawJson } from '../../rpc/index.js'
import { isHash, isList, isQuantity } from '../ethereum/hex.js'
import type { NodeCallOptions, WrittenParams } from '../nodes/node-call.js'
import type { MethodProfile } from '../profiles/method-profile.js'
import { KeptAnswers } from './kept-answers.js'
import { type Asker, RecentCall, RecentCalls } from './recent-calls.js'

/** Asks the network's nodes for the result of a method. */
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

/** Answers what it knows at once, and asks for the rest once for all who want the same. */
export type AnswerCache = (
  profile: MethodProfile,
  params: readonly JsonValue[],
  asker?: Asker,
) => RawJson | Promise<JsonValue | RawJson>

const nobodyKnown: Asker = {}

const millisecondsPerSecond = 1_000

/**
 * Makes the cache of a network (specification 2.1). Every caller keeps the own id and pays the own quota. A call that
 * comes after a new block or a write never gets an answer that was asked for before; one who leaves does not take the
 * others' answer away.
 */
export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { forward, limits, observe = () => undefined, now = () => performance.now() } = options
  const settings = { ...cacheSettings, ...options.settings }
  const { finalityDepth } = limits
  const recentMilliseconds = limits.latestAnswerSeconds * millisecondsPerSecond
  const kept = new KeptAnswers(settings.keptBytes)
  /** Of now: with each new block and each write they begin anew, and what was asked for before is nobody's who comes later. */
  const recent = new RecentCalls(settings.headBytes, settings.headAnswers)
  let knownHead: bigint | undefined

  function lookAtHead(): bigint | undefined {
    const head = options.head()
    if (head === knownHead) return head
    // A chain that began anew has other blocks under the same numbers.
    if (head === undefined || (knownHead !== undefined && head < knownHead)) kept.clear()
    knownHead = head
    recent.clear()
    return head
  }

  function remember(
    key: string,
    call: RecentCall,
    lifetime: Lifetime,
    result: JsonValue,
  ): JsonValue | RawJson {
    if (lifetime === 'never') return result
    const answer = new RawJson(JSON.stringify(result))
    if (answer.text.length > settings.answerBytes) return answer
    if (lifetime === 'kept') kept.set(key, answer)
    else {
      call.result = answer
      call.landedAt = now()
    }
    return answer
  }

  function depart(
    key: string,
    longest: Lifetime,
    profile: MethodProfile,
    written: WrittenParams,
    asker: Asker,
  ): Promise<JsonValue | RawJson> {
    const call = new RecentCall(asker)
    const answer = forward(profile.name, written.params, { signal: call, trace: asker.trace, written }).then(
      (result) => {
        call.land()
        const head = lookAtHead()
        const lifetime = lifetimeOfResult(profile, longest, result, head, finalityDepth)
        const told = remember(key, call, lifetime, result)
        recent.landed(key, call)
        return told
      },
      (error: unknown) => {
        call.land()
        recent.landed(key, call)
        throw error
      },
    )
    call.answer = answer
    recent.add(key, call)
    return answer
  }

  return (profile, params, asker = nobodyKnown) => {
    if (profile.writes) {
      const work = () => forward(profile.name, params, { trace: asker.trace })
      return between(() => recent.clear(), work)
    }
    const longest = lifetimeOf(profile, params, lookAtHead(), finalityDepth)
    const text = JSON.stringify(params)
    const key = `${profile.name} ${text}`
    const known = longest === 'kept' ? kept.get(key) : undefined
    const call = known === undefined ? recent.get(key) : undefined
    const isRecent = call?.result !== undefined && now() - call.landedAt < recentMilliseconds
    const answer = known ?? (isRecent ? call.result : undefined)
    if (answer !== undefined) {
      observe('hit')
      return answer
    }
    if (call?.answer === undefined || call.aborted) {
      observe('miss')
      return depart(key, longest, profile, { params, text }, asker)
    }
    observe('joined')
    call.join(asker)
    return call.answer
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

/**
 * How long an answer is cached: `kept` for final data, `head` until a new block arrives or this process sends a
 * transaction, `never` otherwise.
 */
export type Lifetime = 'kept' | 'head' | 'never'

/**
 * Returns how long the answer to a call may be cached at most, before the answer is known.
 * @param head number of the most recent block; undefined when none is known
 * @param finalityDepth depth in blocks from which data is final
 */
export function lifetimeOf(
  { about, cache }: MethodProfile,
  params: readonly JsonValue[],
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  const selector = about.kind === 'block' ? about.selector(params) : 'latest'
  if (cache === 'never' || selector === 'pending') return 'never'
  if (cache === 'head') return 'head'
  if (about.kind === 'transaction') return 'kept'
  const number = selector === 'earliest' ? '0x0' : selector
  if (isHash(number)) return 'kept'
  return isQuantity(number) && isDeep(number, head, finalityDepth) ? 'kept' : 'head'
}

/**
 * Returns how long a known answer may be cached. A missing object is not cached, and an empty list only until the next
 * block.
 */
export function lifetimeOfResult(
  { about }: MethodProfile,
  longest: Lifetime,
  result: JsonValue,
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  if (result === null || longest === 'never') return 'never'
  if (isList(result) && result.length === 0) return 'head'
  if (about.kind !== 'transaction') return longest
  const number = about.number(result)
  if (!isQuantity(number)) return 'never'
  return isDeep(number, head, finalityDepth) ? longest : 'head'
}

function isDeep(number: string, head: bigint | undefined, finalityDepth: number): boolean {
  return head !== undefined && head - BigInt(number) > BigInt(finalityDepth)
}
