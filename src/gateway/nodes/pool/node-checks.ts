import type { JsonValue } from '@concordat/rpc'
import { isObject, isQuantity, toQuantity } from '../../ethereum/index.js'
import { type NodePurpose, nodeCall } from '../../profiles/index.js'
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
  readonly settings: PoolSettings
  readonly log: PoolLog | undefined
}

/** Share of the newest measurement in the smoothed latency. */
const newestShare = 0.2

/** Consecutive failed checks that open a node's circuit breaker. */
const failedInARow = 2

/**
 * Number of consecutive checks with a distant head before a log entry. After a single check, the node may
 * just be the first with a new block.
 */
const distantInARow = 2

interface Watch {
  timer: NodeJS.Timeout | undefined
  /** The last check; resolves to true for a usable node. */
  check: Promise<boolean>
  isRunning: boolean
  startedAt: number
  /** Number of consecutive failed checks. */
  failed: number
  /** Number of consecutive checks that found the node's head too far from the agreed head. */
  distant: number
}

/**
 * Periodically checks the head and the network of each node, since another node may answer at the same
 * address later. A node has at most one check at a time, and two checks start at least `checkAgainMs` apart.
 */
export class NodeChecks {
  readonly #options: NodeChecksOptions
  readonly #watches = new Map<PoolNode, Watch>()
  /** The agreed head after the last check. */
  #head = -1
  #isClosed = false

  constructor(options: NodeChecksOptions) {
    this.#options = options
  }

  /** Starts the checks: the first one immediately, then periodically. */
  start(): void {
    for (const node of this.#options.pool.nodes) {
      const watch: Watch = {
        timer: undefined,
        check: Promise.resolve(false),
        isRunning: false,
        startedAt: Number.NEGATIVE_INFINITY,
        failed: 0,
        distant: 0,
      }
      this.#watches.set(node, watch)
      this.#checkNow(node, watch)
    }
  }

  /** Schedules early checks of lagging and unusable nodes, because calls wait for a node. */
  checkSoon(): void {
    const { pool } = this.#options
    for (const [node, watch] of this.#watches) {
      const isFine = node.isUsable && node.head >= pool.head.number
      if (!isFine && !watch.isRunning) this.#schedule(node, 0)
    }
  }

  /** Returns true when a check within the last second, or a new one, found a usable node. */
  async ready(): Promise<boolean> {
    const recent = performance.now() - this.#options.settings.checkAgainMs
    const checks = [...this.#watches].map(async ([node, watch]) => {
      const check = watch.startedAt > recent ? watch.check : this.#checkNow(node, watch)
      if (!(await check)) throw new NotReady()
      return true
    })
    return Promise.any(checks).catch(() => false)
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

  /** Starts a check, or joins the running one. Resolves to true when the node is usable. */
  #checkNow(node: PoolNode, watch: Watch): Promise<boolean> {
    if (watch.isRunning || this.#isClosed) return watch.check
    watch.isRunning = true
    watch.startedAt = performance.now()
    watch.check = this.#check(node, watch).finally(() => {
      watch.isRunning = false
      this.#review(node, watch)
      this.#schedule(node, this.#delay(node, watch))
    })
    return watch.check
  }

  async #check(node: PoolNode, watch: Watch): Promise<boolean> {
    try {
      if (!(await this.#isRightChain(node))) return false
      const askedAt = performance.now()
      const number = await this.#ask(node, 'headNumber')
      if (!isQuantity(number) || !Number.isSafeInteger(Number(number)))
        throw new Unusable(`the head: ${JSON.stringify(number)}`)
      this.#succeeded(node, watch)
      await this.#learn(node, Number(number), askedAt)
      return true
    } catch (error) {
      this.#failed(node, watch, error)
      return false
    }
  }

  async #isRightChain(node: PoolNode): Promise<boolean> {
    const { pool, chainId, log } = this.#options
    const reported = await this.#ask(node, 'network')
    if (!isQuantity(reported)) throw new Unusable(`the network: ${JSON.stringify(reported)}`)
    const isRight = BigInt(reported) === BigInt(chainId)
    if (!isRight && node.isRightChain !== false) {
      const facts = { node: node.name, chainId: reported, wanted: chainId }
      log?.error(facts, 'a node serves another network and is not used')
    }
    const wasRight = node.isRightChain === true
    node.isRightChain = isRight
    // Another node answers at this address now, so earlier reports are not reliable.
    if (wasRight && !isRight) pool.forgetHead(node)
    return isRight
  }

  /** Calls the node; an error response is a failed check. */
  async #ask(node: PoolNode, purpose: NodePurpose, values?: Readonly<Record<string, JsonValue>>) {
    const { pool, settings } = this.#options
    const [method, params] = nodeCall(purpose, values)
    const startedAt = performance.now()
    const answer = await pool.callNode(node, method, params, Math.min(settings.checkMs, node.timeoutMs))
    if (answer.error !== undefined) throw new Unusable(`${method}: ${answer.error.message}`)
    const milliseconds = performance.now() - startedAt
    node.latencyMs =
      node.latencyMs === undefined
        ? milliseconds
        : node.latencyMs + (milliseconds - node.latencyMs) * newestShare
    return answer.result
  }

  /** Records the head. With several nodes, the hash of the head block identifies nodes on another branch. */
  async #learn(node: PoolNode, number: number, askedAt: number): Promise<void> {
    const { pool } = this.#options
    pool.learn(node, { number, hash: undefined, isLatest: true }, askedAt)
    if (pool.nodes.length === 1 || number < pool.head.number) return
    const asked = this.#ask(node, 'blockByNumber', { block: toQuantity(number), transactions: false })
    const block = await asked.catch(() => undefined)
    const hash = isObject(block) ? block['hash'] : undefined
    if (typeof hash !== 'string') return
    pool.learn(node, { number, hash: hash.toLowerCase(), isLatest: false }, askedAt)
  }

  #succeeded(node: PoolNode, watch: Watch): void {
    watch.failed = 0
    node.isAnswering = true
    if (!node.circuit.isOpen) return
    node.circuit.close(performance.now())
    node.forgetDialect()
    this.#options.log?.info({ node: node.name }, 'a node answers again and is used')
  }

  #failed(node: PoolNode, watch: Watch, error: unknown): void {
    watch.failed++
    node.isAnswering = false
    const isNew = !node.circuit.isOpen
    const isOver = !isNew || node.isRightChain === undefined || watch.failed >= failedInARow
    if (!isOver || this.#isClosed) return
    node.circuit.open(performance.now())
    if (isNew) this.opened(node, error instanceof Error ? (error.cause ?? error.message) : error)
  }

  /** Logs that a node's circuit breaker opened, and schedules the trial. */
  opened(node: PoolNode, cause: unknown): void {
    this.#options.log?.warn({ node: node.name, cause }, 'a node fails and is not used for a while')
    this.#schedule(node, node.circuit.trialAt - performance.now())
  }

  /** Updates the agreed head after a check, and logs changes that matter to operators. */
  #review(node: PoolNode, watch: Watch): void {
    const { pool, log } = this.#options
    pool.decide()
    const head = pool.head.number
    if (head >= 0) {
      if (head < this.#head) log?.warn({ from: this.#head, to: head }, 'the chain head moved back')
      this.#head = head
    }
    watch.distant = node.isUsable && pool.head.distance(node) !== 'healthy' ? watch.distant + 1 : 0
    if (watch.distant !== distantInARow) return
    const facts = { node: node.name, block: node.head, head }
    log?.warn(facts, 'a node is too far from the agreed head and is not used')
  }

  #delay(node: PoolNode, watch: Watch): number {
    const { checkEveryMs, checkAgainMs, jitter } = this.#options.settings
    if (node.circuit.isOpen) return node.circuit.trialAt - performance.now()
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
