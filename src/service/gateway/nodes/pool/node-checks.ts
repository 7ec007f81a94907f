import { setTimeout as delay } from 'node:timers/promises'
import { exponentialDelay, type JsonValue, RpcError } from '@concordat/rpc'
import { isObject, isQuantity, toQuantity } from '../../ethereum/index.js'
import { type NodePurpose, nodeCall } from '../../profiles/index.js'
import type { NodeAnswer } from '../node-call.js'
import { limitedStatus } from '../node-problem.js'
import type { NetworkReadiness, NodeState } from '../node-status.js'
import type { NodePool } from './node-pool.js'
import type { PoolNode } from './pool-node.js'
import type { PoolSettings } from './pool-settings.js'

/** The pool's log for the operator. */
export interface PoolLog {
  error(facts: object, words: string): void
  warn(facts: object, words: string): void
  info(facts: object, words: string): void
}

/** Options of the node checks. */
export interface NodeChecksOptions {
  readonly pool: NodePool
  /** The network's number, such as `0x1f`. */
  readonly chainId: string
  /** Age of the head block above which a node is stale, in seconds; 0 for never. */
  readonly staleSeconds: number
  /** Maximum distance of a node's head from the highest block that it knows of, in blocks, unless it is syncing. */
  readonly lagBlocks: number
  readonly settings: PoolSettings
  readonly log: PoolLog | undefined
}

/** Share of the newest measurement in the smoothed latency. */
const newestShare = 0.2

/** Consecutive failed checks of an unreachable node. The first is enough when calls had no answer, too. */
const failedInARow = 2

/**
 * Number of consecutive checks with a distant head before a log entry. After a single check, the node may
 * just be the first with a new block.
 */
const distantInARow = 2

const millisecondsPerSecond = 1_000

/** A timer that keeps no process alive. */
const unref = { ref: false }

/** What the log says of a node whose state has changed. */
const words: Readonly<Record<NodeState, string>> = {
  ok: 'a node is ok and is used',
  failing: 'calls to a node fail; it is used after the others',
  limited:
    'a node answers that it is asked too often (429); calls wait as it tells, and are sent more slowly',
  syncing: 'a node is syncing; it is used only while no other node is ok',
  stale: 'the head block of a node is old; it is used only while no other node is ok',
  behind: 'a node is behind the agreed head; it is used only while no other node is left',
  ahead: 'a node is ahead of the agreed head and is not used',
  'wrong-network': 'a node serves another network and is not used',
  unreachable: 'a node does not answer checks and is not used',
}

/** What is known of a node from its checks, apart from its health. */
interface Watch {
  timer: NodeJS.Timeout | undefined
  /** The last check. */
  check: Promise<void>
  isRunning: boolean
  startedAt: number
  /** Number of consecutive failed checks. */
  failed: number
  /** Why the last check failed. */
  cause: unknown
  /** Number of consecutive checks that found the node's head too far from the agreed head. */
  distant: number
  /** The network's number, as the node reports it. */
  chainId: JsonValue
  /** The block whose time is known. */
  timedBlock: number
  /** Time of that block, in seconds since 1970; undefined where the node does not tell it. */
  time: number | undefined
  /** The state that was logged last; undefined before the first. */
  logged: NodeState | undefined
}

/**
 * Periodically checks the network, the progress and the head of each node, since another node may answer at the same
 * address later. A node has at most one check at a time, and two checks start at least `checkAgainMs` apart.
 */
export class NodeChecks {
  readonly #options: NodeChecksOptions
  readonly #watches = new Map<PoolNode, Watch>()
  /** The agreed head after the last check. */
  #head = -1
  /** The readiness that was logged last. */
  #readiness: NetworkReadiness = 'ok'
  #isClosed = false

  constructor(options: NodeChecksOptions) {
    this.#options = options
  }

  /** Starts the checks: the first one immediately, then periodically. */
  start(): void {
    for (const node of this.#options.pool.nodes) {
      const watch: Watch = {
        timer: undefined,
        check: Promise.resolve(),
        isRunning: false,
        startedAt: Number.NEGATIVE_INFINITY,
        failed: 0,
        cause: undefined,
        distant: 0,
        chainId: null,
        timedBlock: -1,
        time: undefined,
        logged: undefined,
      }
      this.#watches.set(node, watch)
      this.#checkNow(node, watch)
    }
  }

  /** Schedules early checks of nodes that are not ok or not at the head, because calls wait for a node. */
  checkSoon(): void {
    const { pool } = this.#options
    for (const node of this.#watches.keys())
      if (node.health.state !== 'ok' || node.head < pool.head.number) this.doubt(node)
  }

  /** Schedules an early check of a node that did not answer. */
  doubt(node: PoolNode): void {
    if (this.#watches.get(node)?.isRunning === false) this.#schedule(node, 0)
  }

  /** Returns how the network is served. It waits for the running checks while no node is used. */
  async ready(): Promise<NetworkReadiness> {
    const { pool } = this.#options
    if (pool.readiness() === 'no node') {
      const found = [...this.#watches.values()].map(async ({ check }) => {
        await check
        if (pool.readiness() === 'no node') throw new NotReady()
      })
      await Promise.any(found).catch(() => undefined)
    }
    return pool.readiness()
  }

  close(): void {
    this.#isClosed = true
    for (const { timer } of this.#watches.values()) clearTimeout(timer)
  }

  /** Schedules the next check of a node, and replaces the scheduled one. */
  #schedule(node: PoolNode, delayMs: number): void {
    const watch = this.#watches.get(node)
    if (watch === undefined || this.#isClosed) return
    const soonest = watch.startedAt + this.#options.settings.checkAgainMs - performance.now()
    clearTimeout(watch.timer)
    watch.timer = setTimeout(() => this.#checkNow(node, watch), Math.max(delayMs, soonest)).unref()
  }

  /** Starts a check, unless one is running. */
  #checkNow(node: PoolNode, watch: Watch): void {
    if (watch.isRunning || this.#isClosed) return
    watch.isRunning = true
    watch.startedAt = performance.now()
    watch.check = this.#check(node, watch).finally(() => {
      watch.isRunning = false
      this.#review(node, watch)
      this.#schedule(node, this.#delay(node, watch))
    })
  }

  async #check(node: PoolNode, watch: Watch): Promise<void> {
    const { pool, settings } = this.#options
    try {
      if (!(await this.#isRightNetwork(node, watch))) return
      const askedAt = performance.now()
      const progress = this.#isSyncing(node)
      const number = await this.#ask(node, 'headNumber')
      if (!isQuantity(number) || !Number.isSafeInteger(Number(number)))
        throw new Unusable(`the head: ${JSON.stringify(number)}`)
      const { health } = node
      health.isSyncing = await Promise.race([progress, delay(settings.progressMs, health.isSyncing, unref)])
      this.#reached(node, watch)
      pool.learn(node, { number: Number(number), hash: undefined, isLatest: true }, askedAt)
      await this.#lookAtHead(node, watch, Number(number), askedAt)
      health.isStale = this.#isOld(watch)
      health.isSyncing = await progress
    } catch (error) {
      this.#failed(node, watch, error)
    }
  }

  async #isRightNetwork(node: PoolNode, watch: Watch): Promise<boolean> {
    const { pool, chainId } = this.#options
    const { health } = node
    const reported = await this.#ask(node, 'network')
    if (!isQuantity(reported)) throw new Unusable(`the network: ${JSON.stringify(reported)}`)
    watch.chainId = reported
    const wasRight = health.isRightNetwork
    health.isRightNetwork = BigInt(reported) === BigInt(chainId)
    if (health.isRightNetwork) return true
    this.#reached(node, watch)
    // Another node answers at this address now, so earlier reports are not reliable.
    if (wasRight && node.head >= 0) pool.forgetHead(node)
    return false
  }

  /**
   * True when a node reports that it is far from the highest block that it knows of. Nodes also report a block or two
   * that they are about to receive. A node that refuses the method counts as not syncing. Without an answer, the last
   * one counts. It never rejects.
   */
  async #isSyncing(node: PoolNode): Promise<boolean> {
    const progress = await this.#ask(node, 'syncing').catch(
      (error) => !isRefusal(error) && node.health.isSyncing,
    )
    if (!isObject(progress)) return progress === true
    const { currentBlock, highestBlock } = progress
    if (!isQuantity(currentBlock) || !isQuantity(highestBlock)) return true
    return Number(highestBlock) - Number(currentBlock) > this.#options.lagBlocks
  }

  /** Calls the node; an error response is a failed check. */
  async #ask(node: PoolNode, purpose: NodePurpose, values?: Readonly<Record<string, JsonValue>>) {
    const { pool, settings } = this.#options
    const [method, params] = nodeCall(purpose, values)
    const mostMs = Math.min(settings.checkMs, node.timeoutMs)
    const deadline = performance.now() + mostMs
    let startedAt = performance.now()
    const call = (): Promise<NodeAnswer> => {
      startedAt = performance.now()
      return pool.callNode(node, method, params, mostMs).catch(async (error) => {
        const at = node.pace?.nextAt(performance.now()) ?? deadline
        if (!isLimit(error) || at >= deadline || this.#isClosed) throw error
        await delay(at - performance.now(), undefined, unref)
        return call()
      })
    }
    const answer = await call()
    const milliseconds = performance.now() - startedAt
    node.latencyMs =
      node.latencyMs === undefined
        ? milliseconds
        : node.latencyMs + (milliseconds - node.latencyMs) * newestShare
    if (answer.error !== undefined) throw new Unusable(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /**
   * Reads the time of a new head block, and with several nodes the hash of the head block, which shows nodes on
   * another branch.
   */
  async #lookAtHead(node: PoolNode, watch: Watch, number: number, askedAt: number): Promise<void> {
    const { pool } = this.#options
    const isCompared = pool.nodes.length > 1 && number >= pool.head.number
    if (!isCompared && (number === watch.timedBlock || this.#options.staleSeconds === 0)) return
    const asked = this.#ask(node, 'blockByNumber', { block: toQuantity(number), transactions: false })
    const block = await asked.catch(() => undefined)
    const { hash, timestamp } = isObject(block) ? block : {}
    watch.timedBlock = number
    watch.time = isQuantity(timestamp) ? Number(timestamp) : undefined
    if (!isCompared || typeof hash !== 'string') return
    pool.learn(node, { number, hash: hash.toLowerCase(), isLatest: false }, askedAt)
  }

  #isOld({ time }: Watch): boolean | undefined {
    const { staleSeconds } = this.#options
    if (staleSeconds === 0 || time === undefined) return undefined
    return Date.now() / millisecondsPerSecond - time > staleSeconds
  }

  #reached(node: PoolNode, watch: Watch): void {
    const { health } = node
    watch.failed = 0
    health.isChecked = true
    if (health.isReachable) return
    health.isReachable = true
    node.forgetDialect()
  }

  #failed(node: PoolNode, watch: Watch, error: unknown): void {
    const { health } = node
    // A 429 is not a failed check.
    if (isLimit(error)) {
      health.isChecked = true
      return
    }
    watch.failed++
    watch.cause = error instanceof Error ? (error.cause ?? error.message) : error
    const isKnown = health.isReachable && !health.calls.isSilent
    if (isKnown && watch.failed < failedInARow) return
    health.isChecked = true
    health.isReachable = false
    health.calls.clear()
  }

  /** Logs that the calls of a node fail. */
  failing(node: PoolNode, cause: unknown): void {
    const watch = this.#watches.get(node)
    if (watch === undefined) return
    watch.cause = cause
    this.#log(node, watch)
  }

  /** Updates the agreed head and the states after a check, and logs changes that matter to operators. */
  #review(node: PoolNode, watch: Watch): void {
    const { pool, log } = this.#options
    const { health } = node
    health.judgeCalls(performance.now())
    if (node.pace?.isLimited(performance.now()) === false) node.pace = undefined
    health.isLimited = node.pace !== undefined
    pool.decide()
    if (this.#isClosed) return
    const head = pool.head.number
    if (head >= 0) {
      if (head < this.#head) log?.warn({ from: this.#head, to: head }, 'the chain head moved back')
      this.#head = head
    }
    const isDistant = health.state === 'behind' || health.state === 'ahead'
    watch.distant = isDistant ? watch.distant + 1 : 0
    if (!isDistant || watch.distant >= distantInARow) this.#log(node, watch)
  }

  /** Logs a changed state of a node, and a changed readiness of the network. */
  #log(node: PoolNode, watch: Watch): void {
    const { pool, log, chainId } = this.#options
    const { state } = node.health
    const was = watch.logged
    watch.logged = state
    if (state !== (was ?? 'ok')) {
      const facts = { node: node.name, state, was, block: node.head, head: pool.head.number }
      if (state === 'ok') log?.info(facts, words.ok)
      else if (state === 'wrong-network')
        log?.error({ ...facts, chainId: watch.chainId, wanted: chainId }, words[state])
      else if (state === 'stale') log?.warn({ ...facts, timestamp: watch.time }, words.stale)
      else if (state === 'failing' || state === 'limited' || state === 'unreachable')
        log?.warn({ ...facts, cause: watch.cause }, words[state])
      else log?.warn(facts, words[state])
    }
    this.#logReadiness()
  }

  #logReadiness(): void {
    const { pool, log } = this.#options
    const readiness = pool.readiness()
    const isStarting = readiness === 'no node' && pool.nodes.some(({ health }) => !health.isChecked)
    if (readiness === this.#readiness || isStarting) return
    this.#readiness = readiness
    const facts = { readiness }
    if (readiness === 'ok') log?.info(facts, 'the network has a node that is ok')
    else if (readiness === 'no node') log?.error(facts, 'the network has no node that can be used')
    else log?.warn(facts, 'no node of the network is ok; it is served with what its nodes have')
  }

  #delay(node: PoolNode, watch: Watch): number {
    const { checkEveryMs, checkAgainMs, retryMs, retryMaximumMs, jitter } = this.#options.settings
    if (watch.failed > 0 && !node.health.isReachable)
      return exponentialDelay(watch.failed, retryMs, retryMaximumMs)
    return (watch.failed > 0 ? checkAgainMs : checkEveryMs) * (1 - jitter + 2 * jitter * Math.random())
  }
}

/** The node's answer to a check is unusable. */
class Unusable extends Error {
  override readonly name = 'Unusable'
}

class NotReady extends Error {
  override readonly name = 'NotReady'
}

/** True if a node answered 429. */
const isLimit = (error: unknown): boolean =>
  error instanceof RpcError &&
  isRefusal(error) &&
  (error.cause as { status: unknown }).status === limitedStatus

/** True when a node, or a proxy before it, answered that it does not offer the method. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof RpcError ? error.cause : undefined
  return error instanceof Unusable || (typeof cause === 'object' && cause !== null && 'status' in cause)
}
