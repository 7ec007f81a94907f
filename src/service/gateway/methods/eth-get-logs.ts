import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import { type JsonObject, type JsonValue, RawJson, RawJsonStream, type RpcError } from '@concordat/rpc'
import { FairLimiter, Holder } from '@concordat/server'
import { isObject, isQuantity, toQuantity } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/index.js'
import { nodeCall } from '../profiles/index.js'
import { findBlock } from './known-block.js'
import { ByteQueue } from './logs/byte-queue.js'
import { type CollectorOptions, LogCollector } from './logs/log-collector.js'
import { LogDeadline } from './logs/log-deadline.js'
import { type BlockRange, type ReadFilter, readFilter, resolveRange } from './logs/log-filter.js'
import { LogSearch } from './logs/log-search.js'
import { LogStream } from './logs/log-stream.js'
import { LongRange } from './logs/long-range.js'
import { RangeLimit } from './logs/range-limit.js'
import { RangeTime, type RangeTimeLimits } from './logs/range-time.js'
import type { SingleAnswer, SingleCaller } from './method-code.js'

/** The contract's limits of eth_getLogs (specification 8). */
export interface LogLimits extends RangeTimeLimits {
  /** Maximum number of logs in the answer to a long range, inclusive. */
  readonly logsPerAnswer: number
  /** Maximum length of a range without a limit on the number of logs, in blocks. */
  readonly blockSpanWithoutLogLimit: number
  /**
   * Deadline for finding the logs of a call, in seconds. Time in which the caller receives them does not
   * count.
   */
  readonly logsTimeoutSeconds: number
}

/** Memory budget for the logs of an answer. */
export interface LogRoom {
  /** Reserves bytes, or releases them if negative; returns false when the budget is exceeded. */
  hold(bytes: number): boolean
  /** True if an answer over the budget may be streamed. */
  readonly mayStream: boolean
  /** True when the memory for all users was the reason of the last refusal. */
  readonly lacksMemory?: boolean | undefined
}

/** An answer with logs, either complete or streamed. */
export interface LogsAnswer {
  readonly result: RawJson | RawJsonStream
  /** Resolves when all work for the answer has ended. */
  readonly done: Promise<void>
}

/** Options of one caller: a signal that aborts when the caller disconnects, its user, and the trace of the request. */
export type LogCallOptions = Pick<NodeCallOptions, 'trace' | 'callers'> & {
  readonly signal?: AbortSignal | undefined
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
  /** Returns the head with which the call begins; by default it is asked for. */
  readonly firstHead?: (ask: () => Promise<Head>) => Promise<Head>
}

/** The most recent block; undefined when a node has none. */
type Head = JsonObject | undefined

/** Maximum attempts for a range whose head block is replaced during the search. */
const attempts = 3

const millisecondsPerSecond = 1000

const calls = new FairLimiter({ unitsPerKey: limits.logCallsAtOncePerUser }, () => new Holder())

/**
 * Creates the function that answers eth_getLogs of a network. A user's next call starts when all work for this one has ended. Logs are
 * held until they are sent, up to the contract's `logsHeldBytes` for all calls of a batch. A larger answer is
 * streamed, or refused in a batch.
 * @throws RpcError see {@link getLogs}
 */
export function ethGetLogs(call: NodeCall, nodeCallsPerSecond: () => number): SingleAnswer {
  const own: LogLimits = {
    ...limits,
    get nodeCallsPerUserPerSecond() {
      return nodeCallsPerSecond()
    },
  }
  const limit = new RangeLimit()
  const heads = new WeakMap<object, Promise<Head>>()
  return ([filter], caller) => answerTo(call, filter, own, limit, caller, heads)
}

const answerTo = (
  call: NodeCall,
  filter: JsonValue | undefined,
  own: LogLimits,
  limit: RangeLimit,
  caller: SingleCaller,
  heads: WeakMap<object, Promise<Head>>,
): Promise<LogsAnswer['result']> =>
  new Promise((resolve, reject) => {
    const signal = caller.onDisconnect?.()
    // Disconnected callers read no error, and an aborted call is not a failure of the service.
    const fail = (error: unknown) => reject(signal?.aborted === true ? failure('noNode') : error)
    const work = async () => {
      const left: Promise<void>[] = []
      const callers = {
        userIds: [caller.userId],
        queued: 0,
        calls: 0,
        countNodeCall: () => caller.countNodeCall?.(),
        keepPlace(until: Promise<void>) {
          left.push(until)
          caller.keepPlace?.(until)
        },
      }
      /** The calls of a batch begin with the same head, so they ask for it once. */
      const firstHead = (ask: () => Promise<Head>) => {
        const known = heads.get(caller.request)
        if (known !== undefined) {
          // The head is the free node call of the request, also where it is shared.
          callers.calls++
          return known
        }
        const head = ask()
        heads.set(caller.request, head)
        head.catch(() => heads.delete(caller.request))
        return head
      }
      const options = { signal, trace: caller.trace, callers, firstHead }
      await getLogs(call, filter, own, roomOf(caller), options, limit).then(({ result, done }) => {
        resolve(result)
        return done
      }, fail)
      await Promise.all(left)
    }
    calls.run(caller.userId, work, signal).catch(fail)
  })

const tooLargeInBatch = (): RpcError =>
  failure('logsTooLargeInBatch', { values: { limit: limits.logsHeldBytes } })

/** The memory budget for the logs of all calls of a request. */
const roomOf = (caller: SingleCaller): LogRoom => ({
  mayStream: !caller.inBatch,
  hold: (bytes) => caller.holdLogs(bytes),
  get lacksMemory() {
    return caller.lacksMemory
  },
})

/**
 * Answers eth_getLogs (specification 4.1 and 8) with the logs of a block or a range, in the chain's order.
 * The nodes' own limits do not limit the answer. An answer over the memory budget is streamed once a client
 * error is ruled out.
 * @param filter as the caller sent it
 * @param room the memory budget
 * @param limit the limit that the network's nodes have shown
 * @throws RpcError invalidParams when the filter breaks a rule, or an answer over the budget must not be
 * streamed. Also when a long range has too many logs; this error contains the longest range from the same
 * block that works
 */
export async function getLogs(
  call: NodeCall,
  filter: JsonValue | undefined,
  limits: LogLimits,
  room: LogRoom,
  options: LogCallOptions = {},
  limit: RangeLimit = new RangeLimit(),
): Promise<LogsAnswer> {
  const read = readFilter(filter)
  const { signal: left } = options
  const tooSlow = () => failure('nodeTooSlow', { cause: 'the time for finding the logs has expired' })
  const deadline = new LogDeadline(limits.logsTimeoutSeconds * millisecondsPerSecond, tooSlow, options.now)
  return new Promise((resolve, reject) => {
    let stream: LogStream | undefined
    const leave = () => {
      deadline.end(left?.reason)
      stream?.cancel()
    }
    if (left?.aborted === true) leave()
    left?.addEventListener('abort', leave, { once: true })
    const nodeOptions = { ...options, signal: deadline.signal }
    const commit = (held: ByteQueue) => {
      const cancel = () => deadline.end(failure('noNode', { cause: 'the caller disconnected' }))
      stream = new LogStream(held, cancel, (bytes) => logs.release(bytes))
      resolve({ result: new RawJsonStream(stream), done: stream.closed })
      return stream
    }
    const logs = new LogsOfCall(call, nodeOptions, limits, room, deadline, commit)
    logs
      .find(read, limit)
      .then(
        (found) => {
          if (stream === undefined) resolve({ result: new RawJson(textOf(found)), done: Promise.resolve() })
          else stream.end()
        },
        (reason: unknown) => {
          if (stream !== undefined) stream.fail(reason)
          else {
            logs.end()
            reject(reason)
          }
        },
      )
      .finally(() => {
        deadline.end(searchEnded)
        left?.removeEventListener('abort', leave)
      })
  })
}

/** No caller receives this error. An abort without a reason would make an error with a stack trace for each search. */
const searchEnded = failure('noNode', { cause: 'the search has ended' })

/** Makes a JSON array of logs that are separated by commas. */
const textOf = (logs: ByteQueue): Uint8Array => Buffer.concat([opening, logs.from(0), closing])

const opening = Buffer.from('[')
const closing = Buffer.from(']')

/** The search of one call. */
class LogsOfCall {
  #refusal: RpcError | undefined
  #isTooLarge = false
  #isSent = false
  #hasEnded = false
  #held = 0

  constructor(
    readonly call: NodeCall,
    readonly options: NodeCallOptions & LogCallOptions,
    readonly limits: LogLimits,
    readonly room: LogRoom,
    readonly deadline: LogDeadline,
    readonly commit: (held: ByteQueue) => LogStream,
  ) {}

  /** Returns the logs of the call, except those already streamed. */
  async find(read: ReadFilter, limit: RangeLimit): Promise<ByteQueue> {
    const { call, limits, options } = this
    const { blockSpanWithoutLogLimit: size } = limits
    const search = new LogSearch(call, read.match, size, limit, options, options.now)
    if (read.blockHash !== undefined) {
      const { queue } = await this.#unlessRefused(this.#ofBlock(search, read.blockHash))
      return queue
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      const head = await this.#head(attempt === 0)
      if (head === undefined || !isQuantity(head['number'])) break
      const headNumber = BigInt(head['number'])
      const range = await resolveRange(call, read, headNumber, options)
      if (range === undefined) return new ByteQueue()
      this.release()
      this.#isTooLarge = false
      const logs = await this.#unlessRefused(this.#ofRange(search, range))
      if (range.to < headNumber || (await this.#isStillThere(head))) return logs
      if (this.#isSent) break
    }
    throw failure('noNode', { cause: 'the head kept changing' })
  }

  #head(isFirst: boolean): Promise<Head> {
    const { firstHead } = this.options
    const ask = () => findBlock(this.call, 'latest', this.options)
    return isFirst && firstHead !== undefined ? firstHead(ask) : ask()
  }

  async #ofBlock(search: LogSearch, blockHash: JsonValue): Promise<LogCollector> {
    const collector = this.#collector(true)
    await search.block(blockHash, collector)
    return collector
  }

  async #ofRange(search: LogSearch, range: BlockRange): Promise<ByteQueue> {
    if (range.to - range.from < BigInt(this.limits.blockSpanWithoutLogLimit))
      return this.#short(search, range)
    const logs = await this.#long(search, range)
    if (!this.#isTooLarge) return logs
    // The number of logs is within the limit, but not their size. They are read again and streamed.
    this.release()
    this.#isTooLarge = false
    return this.#short(search, range)
  }

  /** Reads any number of logs, one part after another, so that they can be streamed in order. */
  async #short(search: LogSearch, range: BlockRange): Promise<ByteQueue> {
    const collector = this.#collector(true)
    await search.range(range, collector, () => this.#refusal !== undefined)
    return collector.queue
  }

  /** Reads logs up to the limit. */
  #long(search: LogSearch, range: BlockRange): Promise<ByteQueue> {
    const { limits, deadline } = this
    const long = new LongRange({
      search,
      range,
      mostLogs: limits.logsPerAnswer,
      unlimitedBlocks: limits.blockSpanWithoutLogLimit,
      time: new RangeTime(range, limits, deadline, this.options.now),
      collector: (options) => this.#collector(false, options),
      overLimit: (passing) => this.#overLimit(range, passing),
      isRefused: () => this.#refusal !== undefined,
    })
    return long.read()
  }

  /** @param isStreamed false if logs over the budget are counted instead of streamed */
  #collector(isStreamed: boolean, own: Partial<CollectorOptions> = {}): LogCollector {
    const { deadline, room, commit } = this
    const overflow: CollectorOptions['overflow'] = (held) => {
      if (this.#hasEnded) return 'enough'
      if (room.mayStream && isStreamed) {
        this.#isSent = true
        return commit(held)
      }
      this.#isTooLarge = true
      if (room.mayStream) return 'count'
      this.#refusal = room.lacksMemory ? failure('overloaded') : tooLargeInBatch()
      return 'enough'
    }
    const hold = (bytes: number) => {
      // Parts in flight may receive logs until they are cancelled.
      const isHeld = !this.#hasEnded && room.hold(bytes)
      if (isHeld) this.#held += bytes
      return isHeld
    }
    return new LogCollector({ hold, overflow, deadline, ...own })
  }

  /** Ends the call without an answer, and releases the reserved memory. */
  end(): void {
    this.release()
    this.#hasEnded = true
  }

  /** Releases reserved memory. */
  release(bytes = this.#held): void {
    const released = Math.min(bytes, this.#held)
    this.room.hold(-released)
    this.#held -= released
  }

  async #unlessRefused<T>(work: Promise<T>): Promise<T> {
    const done = await work
    if (this.#refusal !== undefined) throw this.#refusal
    return done
  }

  /** Checks that the head block was not replaced meanwhile: the logs would belong to two chains. */
  async #isStillThere(head: JsonObject): Promise<boolean> {
    const block = { block: head['number'] ?? null, transactions: false }
    const { result } = await this.call(...nodeCall('blockByNumber', block), this.options)
    return isObject(result) && result['hash'] === head['hash']
  }

  /**
   * Creates the error for too many logs. It contains the longest range that works: up to the block before the
   * limit is exceeded, or the whole span without a limit if that is longer.
   * @param passing the block with the first log over the limit
   */
  #overLimit({ from, to }: BlockRange, passing: bigint): RpcError {
    const { blockSpanWithoutLogLimit, logsPerAnswer } = this.limits
    const unlimited = from + BigInt(blockSpanWithoutLogLimit) - 1n
    const last = passing - 1n > unlimited ? passing - 1n : unlimited
    const data = { from: toQuantity(from), to: toQuantity(last < to ? last : to), limit: logsPerAnswer }
    return failure('logsOverLimit', { values: data, data })
  }
}
