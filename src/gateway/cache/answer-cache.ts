import { type JsonValue, RawJson } from '../../rpc/index.js'
import { isHash, isList, isQuantity } from '../ethereum/index.js'
import type { NodeCallOptions, WrittenParams } from '../nodes/index.js'
import type { MethodProfile } from '../profiles/index.js'
import { KeptAnswers } from './kept-answers.js'
import { type Asker, RecentCall, RecentCalls } from './recent-calls.js'

/** Asks the network's nodes for the result of a method. */
type Forward = (method: string, params: readonly JsonValue[], options?: NodeCallOptions) => Promise<JsonValue>

/** Internal sizes of the cache of one network, in bytes. */
export interface CacheSettings {
  /** Final answers. */
  readonly keptBytes: number
  /** Answers that are valid until the next block. */
  readonly headBytes: number
  /** The number of these: small, so that unused answers are collected while they are young. */
  readonly headAnswers: number
  /** Larger answers are not cached. */
  readonly answerBytes: number
}

const cacheSettings: CacheSettings = {
  keptBytes: 32 * 1_048_576,
  headBytes: 1_048_576,
  headAnswers: 512,
  answerBytes: 1_048_576,
}

/** The outcome of a lookup: cached, asked of a node, or joined to a pending call. */
export type CacheOutcome = 'hit' | 'miss' | 'joined'

/** Options of the cache of a network. */
export interface AnswerCacheOptions {
  readonly forward: Forward
  /** Number of the most recent block; undefined before the first one is known. */
  readonly head: () => bigint | undefined
  readonly limits: {
    /** Depth in blocks from which data is final. */
    readonly finalityDepth: number
    readonly latestAnswerSeconds: number
  }
  /** Called for each lookup. */
  readonly observe?: ((outcome: CacheOutcome) => void) | undefined
  /** A monotonic clock, in milliseconds. */
  readonly now?: (() => number) | undefined
  readonly settings?: Partial<CacheSettings> | undefined
}

/** Answers a call from the cache, or asks a node once for all callers of the same call. */
export type AnswerCache = (
  profile: MethodProfile,
  params: readonly JsonValue[],
  caller?: Asker,
) => RawJson | Promise<JsonValue | RawJson>

const unknownCaller: Asker = {}

const millisecondsPerSecond = 1_000

/**
 * Creates the cache of a network (specification 2.1). Callers keep their ids and are charged individually. A call after
 * a new block or a write never gets an older answer. A caller who disconnects does not cancel the answer for others.
 */
export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { forward, limits, observe = () => undefined, now = () => performance.now() } = options
  const settings = { ...cacheSettings, ...options.settings }
  const { finalityDepth } = limits
  const recentMilliseconds = limits.latestAnswerSeconds * millisecondsPerSecond
  const kept = new KeptAnswers(settings.keptBytes)
  /** Cleared by each new block and each write: later callers never get an older answer. */
  const recent = new RecentCalls(settings.headBytes, settings.headAnswers)
  let knownHead: bigint | undefined

  function lookAtHead(): bigint | undefined {
    const head = options.head()
    if (head === knownHead) return head
    // After a reset of the chain, the same numbers mean other blocks.
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
      call.endedAt = now()
    }
    return answer
  }

  function ask(
    key: string,
    longest: Lifetime,
    profile: MethodProfile,
    written: WrittenParams,
    caller: Asker,
  ): Promise<JsonValue | RawJson> {
    const call = new RecentCall(caller)
    const answer = forward(profile.name, written.params, { signal: call, trace: caller.trace, written }).then(
      (result) => {
        call.end()
        const head = lookAtHead()
        const lifetime = lifetimeOfResult(profile, longest, result, head, finalityDepth)
        const told = remember(key, call, lifetime, result)
        recent.ended(key, call)
        return told
      },
      (error: unknown) => {
        call.end()
        recent.ended(key, call)
        throw error
      },
    )
    call.answer = answer
    recent.add(key, call)
    return answer
  }

  return (profile, params, caller = unknownCaller) => {
    if (profile.writes) {
      const work = () => forward(profile.name, params, { trace: caller.trace })
      return between(() => recent.clear(), work)
    }
    const longest = lifetimeOf(profile, params, lookAtHead(), finalityDepth)
    const text = JSON.stringify(params)
    const key = `${profile.name} ${text}`
    const known = longest === 'kept' ? kept.get(key) : undefined
    const call = known === undefined ? recent.get(key) : undefined
    const isRecent = call?.result !== undefined && now() - call.endedAt < recentMilliseconds
    const answer = known ?? (isRecent ? call.result : undefined)
    if (answer !== undefined) {
      observe('hit')
      return answer
    }
    if (call?.answer === undefined || call.aborted) {
      observe('miss')
      return ask(key, longest, profile, { params, text }, caller)
    }
    observe('joined')
    call.join(caller)
    return call.answer
  }
}

/** Runs a function before and after a piece of work, also when the work fails. */
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
