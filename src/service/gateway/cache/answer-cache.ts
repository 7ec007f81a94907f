import { failure } from '@concordat/node-access-contract/errors'
import { type JsonValue, RawJson, RpcError } from '@concordat/rpc'
import { LRUCache } from 'lru-cache'
import { isHash, isList, isQuantity } from '../ethereum/index.js'
import type { CallSignal, NodeCallers, NodeCallOptions, NodeTrace, WrittenParams } from '../nodes/index.js'
import type { MethodProfile } from '../profiles/index.js'

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

/** Bytes of an entry: answers are ASCII, and its objects take 200 bytes. */
const sizeOf = (answer: RawJson, key: string) => 200 + key.length + answer.text.length

/** Creates an empty cache of final answers, bounded in bytes. */
const createKept = ({ keptBytes }: CacheSettings) =>
  new LRUCache<string, RawJson>({ maxSize: keptBytes, sizeCalculation: sizeOf })

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
    /** Time for the node calls of a caller, in seconds. */
    readonly nodeTimeoutSeconds: number
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

/** A call is not repeated for a caller with less time left than this, in milliseconds. */
const leastTimeMs = 1_000

const firstServerStatus = 500

/** True for a failure that the nodes, or the limits of the first caller, have caused: another call may succeed. */
const mayNextSucceed = (error: unknown) => error instanceof RpcError && error.httpStatus >= firstServerStatus

/**
 * Creates the cache of a network (specification 2.1). Callers keep their ids and are charged individually. A call after
 * a new block or a write never gets an older answer. A caller who disconnects does not cancel the answer for others.
 * When a shared call fails, those who joined it share another one within their own time: it began before they came.
 */
export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { forward, limits, observe = () => undefined, now = () => performance.now() } = options
  const settings = { ...cacheSettings, ...options.settings }
  const { finalityDepth } = limits
  const recentMilliseconds = limits.latestAnswerSeconds * millisecondsPerSecond
  let kept = createKept(settings)
  /** Cleared by each new block and each write: later callers never get an older answer. */
  const recent = new RecentCalls(settings.headBytes, settings.headAnswers)
  let knownHead: bigint | undefined

  function lookAtHead(): bigint | undefined {
    const head = options.head()
    if (head === knownHead) return head
    // After a reset, the same numbers mean other blocks. Pending calls keep the old cache, so their answers are dropped.
    if (head === undefined || (knownHead !== undefined && head < knownHead)) kept = createKept(settings)
    knownHead = head
    recent.clear()
    return head
  }

  function remember(
    key: string,
    call: RecentCall,
    lifetime: Lifetime,
    result: JsonValue,
    into: typeof kept,
  ): JsonValue | RawJson {
    if (lifetime === 'never') return result
    const answer = new RawJson(JSON.stringify(result))
    if (answer.text.length > settings.answerBytes) return answer
    if (lifetime === 'kept') into.set(key, answer)
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
    since: number | undefined,
  ): Promise<JsonValue | RawJson> {
    const call = new RecentCall(caller)
    const keptBefore = kept
    const answer = forward(profile.name, written.params, {
      since,
      signal: call,
      callers: call,
      trace: caller.trace,
      written,
    }).then(
      (result) => {
        call.end()
        const head = lookAtHead()
        const lifetime = lifetimeOfResult(profile, longest, result, head, finalityDepth)
        const remembered = remember(key, call, lifetime, result, keptBefore)
        recent.ended(key, call)
        return remembered
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

  /**
   * Looks an answer up.
   * @param since when a caller came whose shared call failed, by the cache's clock; undefined for a new caller
   */
  function find(
    profile: MethodProfile,
    params: readonly JsonValue[],
    caller: Asker,
    since: number | undefined,
  ): RawJson | Promise<JsonValue | RawJson> {
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
    if (call?.answer === undefined || call.aborted || !call.isOpenTo(caller)) {
      observe('miss')
      return ask(key, longest, profile, { params, text }, caller, since)
    }
    observe('joined')
    call.join(caller)
    if (since !== undefined) return call.answer
    const cameAt = now()
    return call.answer.catch((error: unknown) => {
      const hasTime = now() + leastTimeMs < cameAt + limits.nodeTimeoutSeconds * millisecondsPerSecond
      if (!mayNextSucceed(error) || !hasTime || caller.isDisconnected === true) throw error
      return find(profile, params, caller, cameAt)
    })
  }

  return (profile, params, caller = unknownCaller) => {
    if (!profile.writes) return find(profile, params, caller, undefined)
    const callers = new RecentCall(caller)
    const work = () => forward(profile.name, params, { callers, trace: caller.trace })
    return between(() => recent.clear(), work)
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

/** A caller of a method whose answers are shared. */
export interface Asker {
  /** Id of the caller's user; undefined for calls that the service makes for itself. */
  readonly userId?: string | undefined
  /** True when the caller has disconnected. Read while the answer is being made. */
  readonly isDisconnected?: boolean | undefined
  /** The trace of the caller's request. */
  readonly trace?: NodeTrace | undefined
  /** Counts a call that is sent to a node for this caller. */
  countNodeCall?(): void
  /** Keeps a disconnected caller's request in the count of requests in flight until the node has answered the call. */
  keepPlace?(until: Promise<void>): void
}

const noCallers: Asker[] = []

/** The error of calls without callers. They share one object, because a batch may leave many such calls. */
const withoutCallers = failure('noNode')

const usersOf = ({ userId }: Asker): string[] => (userId === undefined ? [] : [userId])

/**
 * A call for one or several callers. It is aborted when all of them have disconnected. After it has ended it holds the
 * cached answer, if the answer may be cached.
 */
export class RecentCall implements CallSignal, NodeCallers {
  /** The pending answer; undefined after the call has ended. */
  answer: Promise<JsonValue | RawJson> | undefined = undefined
  /** The cached answer; undefined when there is none. */
  result: RawJson | undefined = undefined
  /** When the call ended, by the cache's clock. */
  endedAt = 0
  readonly userIds: string[]
  queued = 0
  calls = 0
  #callers: Asker[]

  constructor(first: Asker) {
    this.#callers = [first]
    this.userIds = usersOf(first)
  }

  get aborted(): boolean {
    for (const { isDisconnected } of this.#callers) if (isDisconnected !== true) return false
    return true
  }

  get reason(): unknown {
    return withoutCallers
  }

  /** Returns false while the call is queued for other users only. A new caller then makes a call of its own. */
  isOpenTo({ userId }: Asker): boolean {
    return this.queued === 0 || userId === undefined || this.userIds.includes(userId)
  }

  countNodeCall(): void {
    this.#callers[0]?.countNodeCall?.()
  }

  keepPlace(until: Promise<void>): void {
    for (const caller of this.#callers) caller.keepPlace?.(until)
  }

  join(caller: Asker): void {
    const { userId } = caller
    this.#callers.push(caller)
    if (userId !== undefined && !this.userIds.includes(userId)) this.userIds.push(userId)
  }

  /** Drops the references to callers and to the pending answer, because the call may stay in the cache. */
  end(): void {
    this.#callers = noCallers
    this.answer = undefined
  }
}

/**
 * The calls about the most recent block: the pending ones and the last ones that ended. One map holds both, so that a
 * new call needs one lookup and one insertion: most calls are asked once, and an entry of lru-cache costs twice as much.
 * The least recently used half is dropped at once, because V8 keeps the old tables of a Map, and everything they refer
 * to, in the old generation of the heap.
 */
export class RecentCalls {
  readonly #halfBytes: number
  readonly #halfCount: number
  #young = new Map<string, RecentCall>()
  #old = new Map<string, RecentCall>()
  /** Calls that ended since the last half was dropped, and the bytes of their answers. */
  #ended = 0
  #bytes = 0

  /**
   * @param most bytes of answers and their keys; one large answer may exceed it
   * @param count calls that are kept after they have ended
   */
  constructor(most: number, count: number) {
    this.#halfBytes = most / 2
    this.#halfCount = count / 2
  }

  get(key: string): RecentCall | undefined {
    const call = this.#young.get(key)
    if (call !== undefined || this.#old.size === 0) return call
    const old = this.#old.get(key)
    if (old !== undefined) {
      this.#young.set(key, old)
      this.ended(key, old)
    }
    return old
  }

  /** Adds a pending call. */
  add(key: string, call: RecentCall): void {
    this.#young.set(key, call)
  }

  /** Counts a call when it has ended, and again when it is reused, so that reused calls stay within the limits, too. */
  ended(key: string, { result }: RecentCall): void {
    this.#ended += 1
    // Answers are ASCII: a character is a byte.
    this.#bytes += key.length + (result === undefined ? 0 : result.text.length)
    if (this.#ended < this.#halfCount && this.#bytes <= this.#halfBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#ended = 0
    this.#bytes = 0
    for (const [key, each] of this.#old) if (each.answer !== undefined) this.#young.set(key, each)
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map()
    if (this.#old.size > 0) this.#old = new Map()
    this.#ended = 0
    this.#bytes = 0
  }
}
